# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel stacks go from the system call to the scheduler and hold no frame of dwell's own programs
or of the tracepoint; user stacks name the functions of the program."""
from lib import *

background(workload("pingpong"), 10**9)
recording = record("-a", command=[workload("sleeper"), "20", "50"])
for view in ("offcpu", "oncpu", "runq"):
    for stack in recording.folded(view):
        check(not any(map(is_tracer_frame, stack)), f"{view}: {';'.join(stack)}")

naps = [stack for stack in recording.folded("offcpu", "--state", "blocked")
        if stack[0] == "sleeper-0" and any("hrtimer_nanosleep" in frame for frame in stack)]
check(naps, "no nap")
for stack in naps:
    check(any("take_nap" in frame for frame in stack), f"no take_nap: {stack}")
    check(any("sleeper_main" in frame for frame in stack), f"no sleeper_main: {stack}")
    check(any(frame.startswith("do_syscall_64") or "el0" in frame for frame in stack), f"{stack}")
    check(stack[-1] in ("schedule", "__schedule"), f"leaf: {stack}")
    order = [next(i for i, frame in enumerate(stack) if word in frame)
             for word in ("sleeper_main", "take_nap", "clock_nanosleep", "hrtimer_nanosleep")]
    check(order == sorted(order), f"not root first: {stack}")

# Whether functions have names or not.
shares = recording.report["accounting"]["complete_user_stacks"]
check(shares["by_time"] > 0.95 and shares["by_count"] > 0.9, f"{recording.report['accounting']}")
