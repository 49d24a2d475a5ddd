# SPDX-License-Identifier: GPL-2.0-or-later
"""-m and -M choose waits by length when looking, and never change a thread's totals when they are
given for the recording: what is left out then is the stack of the program, not the reason."""
from lib import *

COMMAND = ["sh", "-c", f"{workload('sleeper')} 20 20 && {workload('sleeper')} 2 200"]
let_tables_come()
recording = record(command=COMMAND)
naps = lambda *args: weight(recording.folded("offcpu", "--state", "blocked", *args), "take_nap")
# A timer may be late, never early; what is long and what is short is all there is.
long, short = naps("-m", "100ms"), naps("-M", "100ms")
check(long + short == naps(), f"{long} and {short} of {naps()}")
check_between("naps of 100 ms or more", long, 0.98 * 400 * MS, 2 * 400 * MS)
check_between("naps below 100 ms", short, 0.5 * 400 * MS, 2 * 400 * MS)

recording = record("-m", "100ms", command=COMMAND)
check_books(recording)
check_between("all sleepers", sum(t["blocked_ns"] for t in recording.named("sleeper-0")),
              0.98 * 800 * MS, 2 * 800 * MS)
# What they were is known, but not what the program did.
slept = sum(wait["total_ns"] for wait in recording.report["waits"]
            if wait["name"] == "sleeper-0" and wait["reason"] == "sleep")
check_between("sleeps", slept, 0.98 * 800 * MS, 2 * 800 * MS)
told = weight(recording.folded("offcpu", "--state", "blocked"), "take_nap")
check_between("with the program's stacks", told, 0.98 * 400 * MS, 0.6 * slept)
