# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: only, because this one may be built without kprobes
"""A function of the kernel is watched like one of a program: how often threads called it, and that sleeping in it
is being blocked, with a stack that has no tracer in it; where they come from the kernel's own threads, too."""
from calls import *

need_root()
ROUNDS = 20
caller = Workload("call_syscalls", ROUNDS)
recording, log = record_calls(caller, *calls_of(["k:do_nanosleep", "k:vfs_f*sync", "k:vfs_read"], "--slower", "500us"))
caller.end()
losses = check_laws(recording)
own, = log["threads"]
thread, phases = recording.thread(own["tid"]), own["phases"]
for one in recording.report["calls"]:
    print({word: one[word] for word in ("name", "kind", "count", "begun_before", "left", "unmatched", "wall_ns",
                                        *(f"{part}_ns" for part in PARTS))}, len(one["open"]), flush=True)
    check(one["kind"] == "kernel" and one["place"] == "", f"{one}")
    check(not any(one[word] for word in ("left", "too_deep", "unmatched", "died_inside", "in_interrupt")), f"{one}")
sleeps = function_of(recording, "k:do_nanosleep")
check(sleeps["count"] == ROUNDS, f"{sleeps['count']} of {ROUNDS} sleeps")
check(ROUNDS * MS <= sleeps["wall_ns"] <= phases["nanosleep"]["wall_ns"], f"{sleeps} {phases}")
check(sleeps["blocked_ns"] >= 0.9 * ROUNDS * MS, f"{sleeps}")
syncs = function_of(recording, "k:vfs_fsync")
check(syncs["count"] == ROUNDS and syncs["wall_ns"] <= phases["fsync"]["wall_ns"], f"{syncs} {phases}")
reads = function_of(recording, "k:vfs_read")
# It waits in one as the recording ends, and did as it began.
check(len(reads["open"]) == 1 and reads["begun_before"] <= 1, f"{reads}")

# All its sleeps were slow, and these waits have whole stacks, without the probe's own code.
stacks = recording.folded("slow:k:do_nanosleep")
check(sum(stacks.values()) == sleeps["slow"]["wall_ns"], f"{stacks}")
check(weight(stacks, "do_nanosleep", "schedule") >= 0.9 * sleeps["blocked_ns"], f"{stacks}")
for stack in stacks:
    tracers = [frame for frame in stack if is_tracer_frame(frame) or "kprobe" in frame or "trampoline" in frame
               or "rethook" in frame]
    check(not tracers, f"{stack}")

# dwell calls, without a target, as a histogram of one function; and functions that there are not.
sleeper = background("sh", "-c", "while :; do sleep 0.01; done")
result = dwell("calls", "k:do_nanosleep", "-d", "2s", "--width", "100")
print(result.stdout)
check(re.search(r"^k:do_nanosleep +\d", result.stdout, re.M), result.stdout)
check_one_line_error(dwell("calls", "k:do_nanoslep", "-d", "1s", status=2), "do_nanoslep", "do_nanosleep")
