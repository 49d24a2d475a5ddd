# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it compares clocks
"""A thread that falls asleep inside the window and does not wake has all its time, and the kernel
stack of its last wait."""
from lib import *

faller = Workload("falls_asleep", 300)
tid = faller.line()["tid"]
recorder = Recorder("-p", faller.pid)
faller.go()
log, = faller.line()["threads"]
time.sleep(1.5)
recording = recorder.stop()

thread = recording.thread(tid)
wakeful = log["phases"]["wakeful"]
check_thread(thread, life_ns=(recording.window_ns, 0, 1000))
check_ran(thread, wakeful["cpu_ns"], wakeful["wall_ns"], rel=0.1, abs_ns=10 * MS)
# Before it may compute it waits for our word, and then for a CPU.
check_close("blocked or just woken", thread["blocked_ns"] + thread["woken_ns"],
            recording.window_ns - wakeful["wall_ns"], rel=0.05, abs_ns=BUSY_NS)
check_books(recording)

stacks = recording.folded("offcpu", "--by", "thread", "--state", "blocked")
root = f"falls-asleep-{faller.pid}/{tid}"
for_ever = weight(stacks, "hrtimer_nanosleep", "faller_main", root=root)
check(for_ever > S, f"only {for_ever} ns of the last sleep")
