# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it is long
"""Nobody empties the smallest tables while a thread waits on thousands of stacks, and ends: it has
all its time, the waits without their stack are counted and shown, and nothing else is said."""
from scale import *

NUMBER = 20_000 // SLOW
# By frame pointers: who is stopped loads no unwind tables.
recorder = Recorder("-n", "many_stacks", "--memory", "8M", "--user-stacks", "fp")
recorder.process.send_signal(signal.SIGSTOP)
log = json.loads(run(workload("many_stacks"), NUMBER, 20, 20 * SLOW).stdout)
recorder.process.send_signal(signal.SIGCONT)
time.sleep(1)
recording = recorder.stop()
thread = recording.thread(log["pid"])
check_life(thread, log["wall_ns"])
check_books(recording)
check_no_lost_time(recording)
accounting = recording.report["accounting"]
check(accounting["lost_events"] > 0, f"it all fitted: make the load bigger: {accounting}")
stacks = recording.folded("offcpu")
shown = weight(stacks, "[overflow]") + weight(stacks, "[lost stack]")
check(shown > 0, f"nothing shows what was lost: {accounting}")
check(sum(stacks.values()) == thread["runnable_ns"] + thread["blocked_ns"],
      "the view does not sum to the thread's time")
