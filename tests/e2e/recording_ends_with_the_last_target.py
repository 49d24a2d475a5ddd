# SPDX-License-Identifier: GPL-2.0-or-later
"""Without a duration the recording ends when its last target does."""
from lib import *

first = background(workload("sleeper"), 1, 2000 * SLOW)
second = background(workload("sleeper"), 1, 3000 * SLOW)
start = time.monotonic()
recording = record("-p", f"{first.pid},{second.pid}", timeout=20 * SLOW)
elapsed_s = time.monotonic() - start
check(elapsed_s < 5 * SLOW, f"ended after {elapsed_s} s")
check(1 * S < recording.window_ns < 4.5 * S * SLOW, f"window: {recording.window_ns}")
check(recording.of_process(first.pid) and recording.of_process(second.pid), "both were recorded")
check_books(recording)
