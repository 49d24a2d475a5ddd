# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because what stands in for stacks that tell who wakes differs by kernel
# alone, because it hides the names of kernel functions from others, too
"""Where the kernel tells nobody its addresses, times are as exact as ever, and it is still known who
wakes whom; only kernel functions have no names, and their stacks are the kernel's own work."""
import atexit

from lib import *

need_root()
SETTING = "/proc/sys/kernel/kptr_restrict"
with open(SETTING) as file:
    usual = file.read()


def set_to(value):
    with open(SETTING, "w") as file:
        file.write(value)


atexit.register(set_to, usual)
set_to("2")
recording = record("-F", "0", command=[workload("pingpong"), "1000"])
check_books(recording)
meta = recording.meta()
check(meta["kernel_stacks_known"] == 0 and meta["kernel_stacks_walked"] == 0,
      f"rules were looked for, where there can be none: {meta}")
wakes = recording.folded("wakeup")
for waker, woken in (("ping", "pong"), ("pong", "ping")):
    by_all = {stack: ns for stack, ns in wakes.items() if stack[-1] == woken}
    by_waker = sum(ns for stack, ns in by_all.items() if stack[0] == waker)
    check(by_waker > 0.5 * sum(by_all.values()), f"who woke {woken}: {by_all}")
frames = {frame for stack in recording.folded("offcpu", "--state", "blocked") for frame in stack}
check(not any("pipe_read" in frame for frame in frames), "addresses were not hidden")
