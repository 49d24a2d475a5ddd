# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: only, because the clock of this machine is not ours to set
"""The time of day jumps ahead by a day and back by two while dwell records: the window, its slices and
every thread's time are as if nothing had happened, and the start has the time of day it had."""
from load import *

DAY_S = 24 * 3600
sleeper = Workload("sleeper", 10**6, 50)
recorder = Recorder("-p", sleeper.pid, "--slice", "500ms")
started_s = time.time()
begun = time.monotonic()
for jump_s in (DAY_S, -2 * DAY_S, DAY_S):
    time.clock_settime(time.CLOCK_REALTIME, time.time() + jump_s)
    time.sleep(1)
recording = recorder.stop()
wall_ns = (time.monotonic() - begun) * S
check_between("window", recording.window_ns, 3 * S, wall_ns + 5 * S)
check_books(recording)
check_books_by_slice(recording)
check_stored_figures(recording, recording.report["accounting"])
check_between("start", recording.meta()["start_unix_ns"], (started_s - 30) * S, started_s * S)
