# SPDX-License-Identifier: GPL-2.0-or-later
# alone, because it loads the machine itself
"""A recording that took much of the machine's CPU time says so, and how to bound it; one with a budget does not."""
from lib import *

need_root()
need_tool("taskset")
for cpu in os.sched_getaffinity(0):
    background("taskset", "-c", cpu, workload("pingpong"), HANGS_S * 1000, "pinned")


def summary(*arguments, length="2s"):
    result = dwell("record", "-a", "-d", length, "-F", "0", *arguments)
    lines = [line for line in result.stderr.split("\n") if "of this machine's CPU time" in line]
    meta = read_meta("last.dwell")
    return lines, (meta["own_cpu_ns"] + meta["program_ns"]) / meta["window_ns"] / meta["cpus"]


lines, share = summary()
check(bool(lines) == (share > 0.05), f"{share:.1%} of the machine: {lines}")
check(share > 0.05, f"no dear recording: {share:.1%}")
check("--budget" in lines[0], lines[0])
lines, _ = summary("--budget", "5%")
check(not lines, f"with a budget: {lines}")
lines, _ = summary(length="100ms")
check(not lines, f"of a moment, whose cost is that of its end: {lines}")
