# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because kernel stacks are walked by the kernel
"""Threads that switch all the time are sampled inside the scheduler: what __schedule had called is in
the stack, not cut away as if the sampler stood there."""
from load import *

need_root()
player = background(workload("pingpong"), 10**9)
recording = record("-p", player.pid, "-F", 999, "-d", "2s" if SLOW == 1 else "4s")
inside = {stack: ns for stack, ns in recording.folded("oncpu").items() if "__schedule" in stack}
ending = sum(ns for stack, ns in inside.items() if stack[-1] == "__schedule")
total = sum(inside.values())
check(total > 0, f"no sample hit the scheduler: {recording.folded('oncpu')}")
check(ending < 0.5 * total, f"{ending} of {total} ns end in __schedule: {inside}")
