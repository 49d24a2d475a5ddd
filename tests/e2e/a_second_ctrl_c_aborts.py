# SPDX-License-Identifier: GPL-2.0-or-later
"""Ctrl-C twice: dwell is gone at once, and what it leaves behind is readable or nothing."""
from lib import *

for pause_s in (0, 0.001, 0.005):
    recorder = Recorder("-a", path=f"abort-{pause_s}.dwell")
    time.sleep(1.5)
    programs = programs_of(recorder.pid)
    recorder.process.send_signal(signal.SIGINT)
    time.sleep(pause_s)
    recorder.process.send_signal(signal.SIGINT)
    recorder.process.wait(HANGS_S)
    wait_until(lambda: not programs & loaded_programs(), "unloading the programs")
    if os.path.exists(recorder.path):
        check(Recording(recorder.path).window_ns > 0, "the recording is not readable")
