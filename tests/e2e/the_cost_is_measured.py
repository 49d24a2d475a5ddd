# SPDX-License-Identifier: GPL-2.0-or-later
# alone, because it compares clocks
"""dwell knows what it costs: its own CPU time and the time inside its programs, per switch and as
share of a CPU."""
from lib import *

recording = record("-a", command=[workload("pingpong"), "2000"])
meta = recording.meta()
check(meta["switches"] > 2000 // SLOW, f"{meta['switches']} switches under this load")
check(meta["wakes"] > 1000 // SLOW, f"{meta['wakes']} wakes under this load")
per_switch_ns = meta["program_ns"] / meta["switches"]
check(50 <= per_switch_ns <= 50_000 * SLOW, f"{per_switch_ns} ns per switch")
check(0 < meta["own_cpu_ns"] < recording.window_ns, f"own CPU time: {meta['own_cpu_ns']}")

cost, = [line for line in dwell("report", recording.path).stdout.split("\n")
         if line.startswith("cost ")]
check("per switch" in cost and "of one CPU" in cost, cost)
