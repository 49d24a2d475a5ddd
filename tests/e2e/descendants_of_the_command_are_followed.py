# SPDX-License-Identifier: GPL-2.0-or-later
"""A command's children and theirs are recorded from birth to end, and nobody else."""
from lib import *

COUNT = 6
other = Workload("deep_sleeper")
other.line()
recording = record(command=[workload("forker"), COUNT, "100"])
log = recording.log
forker = recording.thread(log["pid"])
check_thread(forker, life_ns=(log["wall_ns"], 0.05, 20 * MS))
for name in ("child", "grandchild"):
    threads = recording.named(name)
    check(len(threads) == COUNT, f"{len(threads)} threads are called {name}")
    for thread in threads:
        check_thread(thread, life_ns=(100 * MS, 0.1, 10 * MS), blocked_ns=(100 * MS, 0.1, 10 * MS))
check(len(recording.threads) == 2 * COUNT + 1, f"{len(recording.threads)} threads")
check_books(recording)
