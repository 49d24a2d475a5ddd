# SPDX-License-Identifier: GPL-2.0-or-later
"""The first Ctrl-C ends the window and saves: exit 0 and a finished recording. SIGTERM does too."""
from lib import *

sleeper = Workload("deep_sleeper")
tids = sleeper.line()
for how in (signal.SIGINT, signal.SIGTERM):
    recorder = Recorder("-p", sleeper.pid, path=f"{how}.dwell")
    time.sleep(1)
    recorder.process.send_signal(how)
    recording = recorder.wait()
    check(0.9 * S < recording.window_ns < 10 * S, f"window: {recording.window_ns}")
    check_thread(recording.thread(tids["pipe"]), blocked_ns=(recording.window_ns, 0, MS))
    check(recording.meta()["is_finished"], "not finished")
    check_books(recording)
