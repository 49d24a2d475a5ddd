# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because it is about the order of events on two CPUs
"""Two threads that are moved to another CPU at every wake have the right totals."""
from lib import *

need_cpus(2)
recording = record(command=[workload("pingpong"), "1500", "migrating"])
check_books(recording)
for log in recording.log["threads"]:
    player = recording.thread(log["tid"])
    check_life(player, log["wall_ns"])
    check_against_own_clocks(player, log)
    waits = sum(w["count"] for w in recording.report["waits"]
                if w["name"] == log["name"] and w["reason"] == "pipe")
    reads = log["phases"]["wait"]["count"]
    check(0.5 * reads < waits <= reads, f"{waits} waits in {reads} reads")
