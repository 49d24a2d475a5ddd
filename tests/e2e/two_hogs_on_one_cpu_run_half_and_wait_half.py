# SPDX-License-Identifier: GPL-2.0-or-later
"""Two threads that compute on one CPU: each runs about half of the time, is runnable for the other
half and never blocked."""
from lib import *

recording = record(command=[workload("hogs"), "2000"])
check_books(recording)
for log in recording.log["threads"]:
    hog = recording.thread(log["tid"])
    check_life(hog, log["wall_ns"])
    check_thread(hog, running_ns=(log["cpu_ns"], 0.05, 20 * MS),
                 runnable_ns=(log["wall_ns"] - log["cpu_ns"], 0.05, BUSY_NS))
    # Others may want that CPU too.
    check(0.25 < hog["running_ns"] / hog["life_ns"] < 0.65, f"not about half: {hog}")
    check(hog["blocked_ns"] < 0.01 * hog["life_ns"], f"blocked: {hog}")

preempted = recording.folded("runq")
check(sum(ns for stack, ns in preempted.items()
          if stack[0].startswith("hog-") and stack[-1] == "[preempted]") > 1.3 * S,
      "hogs are preempted, not woken")
