# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because it is about the kernel's order of events at an exec
"""A process that executes another image keeps its time, and each image has its own stacks; from a
thread that is not the leader, too, which takes over the leader's tid."""
from lib import *

# Long enough for the tables of the first image to come: then the wait has its stack.
NAP_MS = 400 * SLOW

for how in ("leader", "thread"):
    recording = record(command=[workload("execer"), how, NAP_MS])
    log = recording.log
    check_books(recording)
    threads = recording.of_process(log["pid"])
    check("second-image" in {t["comm"] for t in threads}, f"{how}: {threads}")
    lives = sum(t["life_ns"] for t in threads)
    # Until the exec of a thread the leader waits for it: the nap counts twice.
    want = log["wall_ns"] + (NAP_MS * MS if how == "thread" else 0)
    check_close(f"{how}: lives", lives, want, abs_ns=BUSY_NS)
    stacks = recording.folded("offcpu", "--state", "blocked")
    # On a busy emulated machine the first image may be gone before its tables are there.
    functions = ("before_exec", "after_exec") if SLOW == 1 else ("after_exec",)
    for function in functions:
        check_slept(f"{how}: {function}", weight(stacks, "hrtimer_nanosleep", function),
                    NAP_MS * MS, rel=0.05)
    check(weight(stacks, "hrtimer_nanosleep", "before_exec") <= NAP_MS * MS + BUSY_NS,
          f"{how}: the second image's nap was taken for the first one's")
