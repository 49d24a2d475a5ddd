# SPDX-License-Identifier: GPL-2.0-or-later
"""Each wait is counted once, in the band of its length; the longest is the maximum."""
from lib import *

recording = record(command=[workload("sleeper"), "20", "120"])
# Naps are near the lower end of their band: a machine that stands still makes them longer.
# Those that were over before the process's tables were there have another stack, so another line.
naps = [w for w in recording.report["waits"]
        if w["name"] == "sleeper-0" and w["reason"] == "sleep"]
count = sum(nap["count"] for nap in naps)
bands = [sum(counts) for counts in zip(*(nap["bands"] for nap in naps))]
longest = max(nap["max_ns"] for nap in naps)
check(count == 20, f"20 naps, not {count}")
check(bands == [0, 0, 0, 0, 0, 20, 0], f"naps of 120 ms by decade: {bands}")
check(120 * MS <= longest < S, f"the longest: {longest}")
check_close("total", sum(nap["total_ns"] for nap in naps), 2400 * MS, rel=0.05 * SLOW)
check(sum(recording.folded("offcpu", "--state", "blocked", "-n", "sleeper-0", "--weight",
                           "count").values()) >= 20, "--weight count")
