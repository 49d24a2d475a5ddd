# SPDX-License-Identifier: GPL-2.0-or-later
"""kill -9 at moments that fall into drains and commits: the recording is always readable."""
import random
from lib import *

chance = random.Random()
background(workload("pingpong"), 30000)
background("sh", "-c", "while :; do /bin/true; done")
for number in range(6):
    recorder = Recorder("-a", "--slice", "5ms", path=f"{number}.dwell")
    # Whole books are committed once a second.
    time.sleep(chance.uniform(1.2, 1.7))
    kill_group(recorder.process)
    recording = Recording(recorder.path)
    check(recording.window_ns > 100 * MS, f"window: {recording.window_ns}")
    check_books(recording, slack_ns=20 * MS)
    check(recording.folded("offcpu"), "no stacks")
