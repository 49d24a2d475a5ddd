# SPDX-License-Identifier: GPL-2.0-or-later
"""-m and -M choose waits by length when looking, and never change a thread's totals when they are
given for the recording."""
from lib import *

COMMAND = ["sh", "-c", f"{workload('sleeper')} 20 20 && {workload('sleeper')} 2 200"]
let_tables_come()
recording = record(command=COMMAND)
naps = lambda *args: weight(recording.folded("offcpu", "--state", "blocked", *args), "take_nap")
check_close("all naps", naps(), 800 * MS, rel=0.05)
check_close("naps of 100 ms or more", naps("-m", "100ms"), 400 * MS, rel=0.05)
check_close("naps below 100 ms", naps("-M", "100ms"), 400 * MS, rel=0.05)

recording = record("-m", "100ms", command=COMMAND)
check_books(recording)
check_close("all sleepers", sum(t["blocked_ns"] for t in recording.named("sleeper-0")), 800 * MS,
            rel=0.05)
