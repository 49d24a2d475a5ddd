# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because how events are hooked and read differs by kernel
# timeout: 480
"""Tracepoints, functions, returns and marks, of which a program made so many with such numbers: counts
and sums are those, with conditions, in each way that a number can lie; one of a hundred stands for all."""
from lib import *
from traces import need_tracefs

need_root()
need_tracefs()
COUNT = 3000 if SLOW == 1 else 1000
program = workload("eventful")
size_sum = sum(i % 4096 for i in range(COUNT))
kernel_calls = os.path.exists("/sys/bus/event_source/devices/kprobe/type")


def counted(*events, options=()):
    """What the report says of these events, by name, and what the workload said."""
    eventful = Workload("eventful", COUNT)
    recorder = Recorder("-p", eventful.pid, "-F", 0, *options, *events)
    eventful.go()
    log = eventful.line()
    recording = recorder.stop()
    eventful.end()
    losses = {loss["loss"]: loss["count"] for loss in recording.report["accounting"]["losses"]}
    check(not losses.get("events") and not losses.get("bare_events"), losses)
    check_books(recording)
    return {one["name"]: one for one in recording.report["measures"]}, log, recording


# On this machine programs may not run for every event while a kernel's own thread is current: the
# program's events are all its own.
measures, log, recording = counted(
    "-e", "syscalls:sys_exit_write", "--if", "ret>=0", "--as", "good",
    "-e", "syscalls:sys_exit_write", "--if", "ret >= 0", "--sum", "ret", "--as", "bytes",
    "-e", "tracepoint:syscalls:sys_exit_write", "--sum", "ret", "--as", "all",
    "-e", "syscall:write:return", "--if", "ret == -9", "--as", "failed",
    "-e", f"uprobe:{program}:weigh", "--as", "weighed",
    "-e", f"u:{program}:weigh", "--sum", "arg1:count", "--if", "arg2 == 3", "--as", "numbers",
    "-e", f"uretprobe:{program}:weigh", "--sum", "ret:count", "--if", "ret>0", "--as", "results",
    "-e", f"usdt:{program}:eventful:step", "--as", "steps",
    "-e", f"usdt:{program}:eventful:step", "--sum", "arg1:count", "--as", "in_register",
    "-e", f"usdt:{program}:eventful:step", "--sum", "arg2:count", "--as", "constant",
    "-e", f"usdt:{program}:eventful:step", "--sum", "arg3:count", "--as", "in_memory",
    "-e", "context-switches")
print({name: (one["count"], one["value"], one["unit"]) for name, one in measures.items()}, log)
# The line that it says at the end is a write, too.
said = len(json.dumps(log)) + 1
check(log["bytes"] == size_sum, log)
check(measures["good"]["count"] == COUNT + 1, measures["good"])
check(measures["bytes"]["value"] == size_sum + said and measures["bytes"]["unit"] == "bytes",
      measures["bytes"])
check((measures["all"]["count"], measures["all"]["value"]) == (COUNT + 2, size_sum + said),
      "a write that fails is an event of no bytes")
check(measures["failed"]["count"] == 1, measures["failed"])
losses = {loss["loss"]: loss["count"] for loss in recording.report["accounting"]["losses"]}
check(losses.get("odd_values") == 1, f"a number below 0 is told: {losses}")
numbers = sum(range(1, COUNT + 1))
check(measures["weighed"]["count"] == COUNT, measures["weighed"])
check(measures["numbers"]["value"] == numbers, measures["numbers"])
check(measures["results"]["value"] == log["results"] and
      measures["results"]["count"] == COUNT - COUNT // 10, measures["results"])
check(measures["steps"]["count"] == COUNT, measures["steps"])
check(measures["in_register"]["value"] == numbers, measures["in_register"])
check(measures["constant"]["value"] == 7 * COUNT, measures["constant"])
check(measures["in_memory"]["value"] == 2 * numbers, measures["in_memory"])
# A switch is an event of the thread that leaves.
stacks = recording.folded("context-switches")
check(sum(stacks.values()) >= 1 and all(stack[0] == "eventful" for stack in stacks), stacks)
# Where they were made, in whole stacks.
for name, function in (("weighed", "weigh_all"), ("bytes", "write_all"), ("steps", "main")):
    stacks = recording.folded(name)
    below = weight(stacks, function)
    check(below >= 0.99 * sum(stacks.values()), f"{name}: {below} below {function} of {stacks}")

# One of ten, by chance: an estimate, and the report says how sure it is.
measures, log, recording = counted("-e", f"uprobe:{program}:weigh", "-c", 10, "--as", "tenth")
tenth = measures["tenth"]
print(tenth)
looked_at = recording.rows("SELECT sum(count), sum(events), sum(value) FROM counts")[0]
check(looked_at[1] == looked_at[2] == 10 * looked_at[0], looked_at)
check(abs(looked_at[1] - COUNT) < 5 * 10 * (COUNT / 10) ** 0.5, f"{looked_at} of {COUNT}")
check("±" in dwell("report", recording.path).stdout, "an estimate is not told as such")

# A kernel's functions, where it has kprobes.
if kernel_calls:
    measures, log, _ = counted("-e", "kprobe:vfs_write", "--as", "calls", "-e", "kprobe:vfs_write",
                               "--sum", "arg3", "--as", "asked", "-e", "kretprobe:vfs_write", "--if",
                               "ret>0", "--sum", "ret", "--as", "written")
    print({name: (one["count"], one["value"]) for name, one in measures.items()})
    check(measures["written"]["value"] == size_sum + said, measures["written"])
    check(measures["asked"]["value"] >= size_sum + said, measures["asked"])
else:
    check_one_line_error(dwell("record", "-e", "kprobe:vfs_write", "-d", "1s", status=3),
                         "without kprobes", "tracepoints")

# Time without stacks: events have theirs, and every thread's time is what it is.
measures, log, recording = counted("-e", f"uprobe:{program}:weigh", "--as", "weighed",
                                   options=("--events-only",))
check(measures["weighed"]["count"] == COUNT, measures["weighed"])
check(recording.rows("SELECT count(*) FROM sums WHERE user_stack > 15 OR kernel_stack > 15") ==
      [(0,)], "waits have stacks")
check(weight(recording.folded("weighed"), "weigh_all") > 0.99 * COUNT, "events have no stacks")

# What comes upon a thread in an interrupt is no doing of it, and the report says so.
busy = background("sh", "-c", "while :; do :; done")
recording = record("-p", busy.pid, "-F", 0, "-d", f"{SLOW}s", "-e", "irq:softirq_entry")
kill_group(busy)
softirqs = recording.report["measures"][0]
print(softirqs["count"], softirqs["in_interrupts"])
check(softirqs["count"] and softirqs["in_interrupts"] >= 0.9 * softirqs["count"], softirqs)
check("in interrupts" in dwell("report", recording.path).stdout, "that is not said")

# Addresses of the kernel are numbers without a sign.
measures, log, _ = counted("-e", "kmem:kmem_cache_alloc", "--if", "call_site>4096", "--as", "some",
                           "-e", "kmem:kmem_cache_alloc", "--if", "call_site<4096", "--as", "none")
check(measures["some"]["count"] and not measures["none"]["count"], measures)

# A clock counts its ticks, whichever way it is set.
for options in (("-c", 1000000), ("-F", 500)):
    busy = background("sh", "-c", "while :; do :; done")
    recording = record("-p", busy.pid, "-F", 0, "-d", f"{SLOW}s", "-e", "cpu-clock", *options)
    kill_group(busy)
    looked_at, events = recording.rows("SELECT sum(count), sum(events) FROM counts")[0]
    check(looked_at == events, f"{looked_at} ticks are {events} events")
