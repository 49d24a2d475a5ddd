# SPDX-License-Identifier: GPL-2.0-or-later
"""Two threads that hand a turn to and fro across CPUs, so fast that wakes arrive before the sleeper
has switched out: totals are right and nothing is negative or counted twice."""
from lib import *

need_cpus(2)
recording = record(command=[workload("early_wake"), "1500"])
check_books(recording)
for log in recording.log["threads"]:
    shaker = recording.thread(log["tid"])
    check_thread(shaker, life_ns=(log["wall_ns"], 0.01, 5 * MS),
                 running_ns=(log["cpu_ns"], 0.3, 20 * MS))
    in_futex = log["phases"]["wait"]["wall_ns"]
    check(shaker["blocked_ns"] <= in_futex + 10 * MS, f"{shaker} blocked longer than {in_futex}")
