# SPDX-License-Identifier: GPL-2.0-or-later
"""perf, bpftrace and libbpf-tools' offcputime watch the same switches at the same time: each of them
sees what it is there for and ends well, dwell's books balance, and none of the others' frames are in
its stacks."""
from lib import *

need_root()
for tool in ("perf", "bpftrace", "offcputime", "unshare"):
    need_tool(tool)
# bpftrace needs tracefs, which may not be mounted; only it shall see it.
WITH_TRACEFS = 'mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null; exec "$0" "$@"'
SCRIPT = "tracepoint:sched:sched_switch { @[kstack(3)] = count(); } interval:s:2 { exit(); }"

sleeper = background(workload("sleeper"), 10**6, 5)
recorder = Recorder("-p", sleeper.pid)
with open("offcputime.txt", "w") as text, open("bpftrace.txt", "w") as maps:
    others = [background("perf", "record", "-q", "-e", "cpu-clock", "-F", 49, "-a", "-o", "perf.data",
                         "--", "sleep", 2),
              background("offcputime", "-p", sleeper.pid, 2, stdout=text),
              background("unshare", "-m", "sh", "-c", WITH_TRACEFS, "bpftrace", "-e", SCRIPT,
                         stdout=maps, stderr=maps)]
statuses = [process.wait(60) for process in others]
recording = recorder.stop()
with open("offcputime.txt") as text, open("bpftrace.txt") as maps:
    off_cpu, counts = text.read(), maps.read()
check(statuses == [0, 0, 0], f"{statuses}: {counts[-500:]}")
check(run("perf", "script", "-i", "perf.data").stdout.strip(), "perf saw nothing")
check("sleeper" in off_cpu, f"offcputime: {off_cpu[-500:]}")
check("__schedule" in counts, f"bpftrace: {counts[-500:]}")
check_books(recording)
check(recording.report["accounting"]["lost_events"] == 0, f"{recording.report['accounting']}")
stacks = recording.folded("offcpu")
check(weight(stacks, "hrtimer_nanosleep", root="sleeper-0") > S, f"{list(stacks)[:3]}")
for stack in stacks:
    check(not any(map(is_tracer_frame, stack)), ";".join(stack))
