# SPDX-License-Identifier: GPL-2.0-or-later
"""Each wait is counted once, in the band of its length; the longest is the maximum."""
from lib import *

recording = record(command=[workload("sleeper"), "20", "30"])
nap, = [w for w in recording.report["waits"]
        if w["name"] == "sleeper-0" and w["reason"] == "sleep"]
bands = [0, 0, 0, 0, 20, 0, 0]
check(nap["count"] == 20, f"20 naps, not {nap['count']}")
check(nap["bands"] == bands, f"naps of 30 ms by decade: {nap['bands']}")
check(30 * MS <= nap["max_ns"] < 100 * MS, f"the longest: {nap['max_ns']}")
check_close("total", nap["total_ns"], 600 * MS, rel=0.05 * SLOW)
check(sum(recording.folded("offcpu", "--state", "blocked", "-n", "sleeper-0", "--weight",
                           "count").values()) >= 20, "--weight count")
