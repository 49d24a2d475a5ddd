# SPDX-License-Identifier: GPL-2.0-or-later
"""Two threads that are moved to another CPU at every wake have the right totals."""
from lib import *

need_cpus(2)
recording = record(command=[workload("pingpong"), "1500", "migrating"])
check_books(recording)
for log in recording.log["threads"]:
    player = recording.thread(log["tid"])
    # The scheduler's own clock leaves out what interrupts take, hence the wide bound.
    check_thread(player, life_ns=(log["wall_ns"], 0.01, 5 * MS),
                 running_ns=(log["cpu_ns"], 0.3, 20 * MS))
    waits = sum(w["count"] for w in recording.report["waits"]
                if w["name"] == log["name"] and w["reason"] == "pipe")
    check(0 < waits <= log["phases"]["wait"]["count"] + 1,
          f"{waits} waits in {log['phases']['wait']['count']} reads")
