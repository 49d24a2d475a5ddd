# SPDX-License-Identifier: GPL-2.0-or-later
"""A process that executes another image keeps its time, and each image has its own stacks; from a
thread that is not the leader, too, which takes over the leader's tid."""
from lib import *

for how in ("leader", "thread"):
    recording = record(command=[workload("execer"), how, "400"])
    log = recording.log
    check_books(recording)
    threads = recording.of_process(log["pid"])
    check("second-image" in {t["comm"] for t in threads}, f"{how}: {threads}")
    lives = sum(t["life_ns"] for t in threads)
    # Until the exec of a thread the leader waits for it: 400 ms twice.
    want = log["wall_ns"] + (400 * MS if how == "thread" else 0)
    check_close(f"{how}: lives", lives, want, abs_ns=BUSY_NS)
    stacks = recording.folded("offcpu", "--state", "blocked")
    for function in ("before_exec", "after_exec"):
        check_slept(f"{how}: {function}", weight(stacks, "hrtimer_nanosleep", function), 400 * MS,
                    rel=0.05)
