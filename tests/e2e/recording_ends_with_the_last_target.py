# SPDX-License-Identifier: GPL-2.0-or-later
"""Without a duration the recording ends when its last target does."""
from lib import *

first, second = (background("cat", stdin=subprocess.PIPE) for _ in range(2))
recorder = Recorder("-p", f"{first.pid},{second.pid}")
first.stdin.close()
first.wait()
time.sleep(0.3)
check(recorder.process.poll() is None, "it ended with its first target")
second.stdin.close()
recording = recorder.wait()
check(recording.of_process(first.pid) and recording.of_process(second.pid), "both were recorded")
check_books(recording)
