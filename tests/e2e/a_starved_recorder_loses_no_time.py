# SPDX-License-Identifier: GPL-2.0-or-later
# alone, because it loads both CPUs
"""dwell is stopped for two seconds in the middle: tables are not drained meanwhile, but every
thread has all its time."""
from load import *

background("sh", "-c", "while :; do perf bench sched messaging -g 2 -l 200; done")
background("sh", "-c", "while :; do /bin/true; done")
recorder = Recorder("-a", "-d", "4", "--slice", "100ms")
recorder.process.send_signal(signal.SIGSTOP)
time.sleep(2)
recorder.process.send_signal(signal.SIGCONT)
recording = recorder.wait()
check_close("window", recording.window_ns, 4 * S, abs_ns=BUSY_NS)
check_books(recording)
meta = recording.meta()
check(meta["rows_missing"] == 0 and meta["rows_missing_ns"] == 0, "rows were lost")
check_books_by_slice(recording)
