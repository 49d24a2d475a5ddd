# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because it is about the order of events on two CPUs
"""Two threads that hand a turn to and fro across CPUs, so fast that wakes arrive before the sleeper
has switched out: totals are right and nothing is negative or counted twice."""
from lib import *

need_cpus(2)
recording = record(command=[workload("early_wake"), "1500"])
check_books(recording)
for log in recording.log["threads"]:
    shaker = recording.thread(log["tid"])
    check_life(shaker, log["wall_ns"])
    check_against_own_clocks(shaker, log)
for (count, ns, max_ns) in recording.rows("SELECT count, ns, max_ns FROM sums"):
    check(0 <= ns <= 2 * S and 0 <= max_ns <= 2 * S and count >= 0, f"{(count, ns, max_ns)}")
