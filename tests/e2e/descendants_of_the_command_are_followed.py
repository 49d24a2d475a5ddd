# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it is long there, and other cases go through the same kernel code
"""A command's children and theirs are recorded from birth to end, and nobody else."""
from lib import *

COUNT = 6
other = Workload("deep_sleeper")
other.line()
recording = record(command=[workload("forker"), COUNT, "100"])
log = recording.log
forker = recording.thread(log["pid"])
check_life(forker, log["wall_ns"])
for name in ("child", "grandchild"):
    threads = recording.named(name)
    check(len(threads) == COUNT, f"{len(threads)} threads are called {name}")
    for thread in threads:
        # The timer runs from a moment before the thread leaves its CPU, longer if it is preempted there.
        check_between(f"blocked time of {thread}", thread["blocked_ns"], (100 - 5 * SLOW) * MS,
                      100 * MS + BUSY_NS)
        check_between(f"life of {thread}", thread["life_ns"], 100 * MS,
                      100 * MS + thread["runnable_ns"] + 2 * BUSY_NS)
check(len(recording.threads) == 2 * COUNT + 1, f"{len(recording.threads)} threads")
check_books(recording)
