# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell is stopped twice while it records, the second time until long after the planned end: the
window is as long as was asked for, every thread has all its time in each slice, and no row is
missing."""
from load import *

ping = Workload("pingpong", 10**9)
sleeper = Workload("deep_sleeper")
tids = sleeper.line()
recorder = Recorder("-p", f"{ping.pid},{sleeper.pid}", "-d", 3, "--slice", "200ms")
for pause_s in (0.6, 3.5):
    recorder.process.send_signal(signal.SIGSTOP)
    time.sleep(pause_s)
    recorder.process.send_signal(signal.SIGCONT)
    time.sleep(0.2)
recording = recorder.wait()
check(recording.window_ns == 3 * S, f"the window is {recording.window_ns} ns")
check_books(recording)
check_books_by_slice(recording)
check_stored_figures(recording, recording.report["accounting"])
check_thread(recording.thread(tids["sleep"]), life_ns=(3 * S, 0, 0), blocked_ns=(3 * S, 0, MS))
