# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because kernels tell a preemption differently
# alone, because it compares clocks
"""Two threads that compute on one CPU: each runs about half of the time, is runnable for the other
half and never blocked."""
from lib import *

recording = record(command=[workload("hogs"), "1000"])
check_books(recording)
hogs = [recording.thread(log["tid"]) for log in recording.log["threads"]]
left_ns = sum(hog["running_ns"] for hog in hogs)
check(left_ns <= 1.01 * max(hog["life_ns"] for hog in hogs), f"two at a time on one CPU: {hogs}")
for log in recording.log["threads"]:
    hog = recording.thread(log["tid"])
    check_life(hog, log["wall_ns"])
    check_ran(hog, log["cpu_ns"], log["wall_ns"], rel=0.05, abs_ns=20 * MS)
    if has_cpu_clock(log["cpu_ns"], log["wall_ns"]):
        check_thread(hog, runnable_ns=(log["wall_ns"] - log["cpu_ns"], 0.05, BUSY_NS))
    # Others may want that CPU too: then it is half of what they leave.
    check(0.35 < hog["running_ns"] / left_ns < 0.65, f"not about half of {left_ns}: {hog}")
    # They start together, and wait for that; emulated, it takes longer.
    check(hog["blocked_ns"] < 0.01 * SLOW * hog["life_ns"], f"blocked: {hog}")

preempted_ns = sum(ns for stack, ns in recording.folded("runq").items()
                   if stack[0].startswith("hog-") and stack[-1] == "[preempted]")
check(preempted_ns > 0.9 * sum(hog["runnable_ns"] for hog in hogs), "preempted, not woken")
