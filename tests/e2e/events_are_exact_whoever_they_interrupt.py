# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because who may come between a program and its end differs by kernel
"""Threads whose calls are counted preempt each other amid that, and a clock whose ticks are counted,
too, interrupts them: every call is counted once, with the stack of its own thread, or told as lost, and
so is no tick's stack another thread's. A kernel that does not preempt is made to, where it lets us."""
from lib import *

need_root()
THREADS, CALLS = 8, 20000 // SLOW


def preempt(how):
    """Sets how eagerly the kernel preempts; returns what it was, or None where that is fixed."""
    folder = os.path.join(TEMP, "debug")
    os.makedirs(folder, exist_ok=True)
    if subprocess.run(["mount", "-t", "debugfs", "none", folder], capture_output=True).returncode:
        return None
    try:
        with open(os.path.join(folder, "sched/preempt")) as file:
            before = re.search(r"\((\w+)\)", file.read())[1]
        with open(os.path.join(folder, "sched/preempt"), "w") as file:
            file.write(how)
        return before
    except OSError:
        return None
    finally:
        subprocess.run(["umount", folder], check=True)


before = preempt("full")
if before:
    cleanup(lambda: preempt(before))
print(f"preemption: {'full, was ' + before if before else 'as it is'}")
callers = Workload("callers", THREADS, CALLS)
recorder = Recorder("-p", callers.pid, "-e", f"uprobe:{workload('callers')}:hit", "-e", "cpu-clock",
                    "--slice", "100ms", "-F", 0)
time.sleep(0.5 * SLOW)
callers.go()
log = callers.line()
recording = recorder.stop()
losses = {loss["loss"]: loss["count"] for loss in recording.report["accounting"]["losses"]}
stacks = recording.folded("callers:hit")
counted = sum(stacks.values())
lost, bare = losses.get("events", 0), losses.get("bare_events", 0)
print(f"{counted} counted, {lost} lost, {bare} without stacks: {losses}")
check(counted == THREADS * CALLS and not lost, f"{counted} of {THREADS * CALLS}, {lost} lost")
check(bare <= 0.02 * counted, f"{bare} of {counted} events are without stacks")
for stack, calls in stacks.items():
    if stack[1:] == ("[overflow]",):
        continue
    number = int(stack[0].rsplit("_", 1)[-1])
    ways = [frame for frame in stack if frame.startswith("way_")]
    check(ways == [f"way_{number}"] * 10 * (number + 1) and stack[-1] == "hit",
          f"{calls} calls of caller_{number} have the stack {stack}")
# Most ticks hit amid the counting; those in the program itself may be anywhere in it.
ticks = recording.folded("cpu-clock")
amid = sum(ns for stack, ns in ticks.items() if any("uprobe" in frame for frame in stack))
print(f"{sum(ticks.values()) / MS:.0f} ticks, {amid / MS:.0f} of them amid a uprobe")
check(amid > 20 * MS, f"no clock came between: {ticks}")
for stack, ns in ticks.items():
    number = stack[0].rsplit("_", 1)[-1]
    strangers = [frame for frame in stack if frame.startswith("way_") and frame != f"way_{number}"]
    check(not strangers, f"{ns / MS} ticks of {stack[0]} have the stack {stack}")
measure = next(one for one in recording.report["measures"] if one["name"] == "callers:hit")
check((measure["count"], measure["value"]) == (counted, counted), f"the report has {measure['count']}")
callers.end()
