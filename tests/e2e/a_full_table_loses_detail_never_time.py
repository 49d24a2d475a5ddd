# SPDX-License-Identifier: GPL-2.0-or-later
# alone, because it loads both CPUs
"""With far too little memory for the tables, and nobody to drain them for two seconds, every thread
still has all its time, and what lost its stack is counted and shown. Chains still add up."""
from load import *
from wakers import *

need_tool("perf")
GROUPS = 10
load = background("sh", "-c", f"while :; do perf bench sched messaging -t -g {GROUPS} -l 1000; done")
time.sleep(1)
recorder = Recorder("-a", "-d", "4s", "--slice", "2ms", "--memory", "8M")
recorder.process.send_signal(signal.SIGSTOP)
time.sleep(2)
recorder.process.send_signal(signal.SIGCONT)
# The window is over by then; what is left to do should not have to compete with the load.
time.sleep(3)
kill_group(load)
recording = recorder.wait()
check_books(recording)
accounting = recording.report["accounting"]
check_close("accounted_ns", accounting["accounted_ns"], accounting["expected_ns"], rel=0.001)
check(accounting["lost_events"] > 0, "nothing was lost in 8 MiB: make the load bigger")
overflow = weight(recording.folded("offcpu"), "[overflow]")
check(overflow > 0, "no [overflow] frame")
total = sum(t["runnable_ns"] + t["blocked_ns"] for t in recording.threads)
check_close("offcpu", sum(recording.folded("offcpu").values()), total, rel=0.001)
lines = dwell("report", recording.path).stdout.split("\n")
check(any("lost" in line and "lost nothing" not in line for line in lines), "the report is silent")
check_chains(recording)
