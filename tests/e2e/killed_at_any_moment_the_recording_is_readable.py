# SPDX-License-Identifier: GPL-2.0-or-later
"""kill -9 at moments that fall into drains and commits: the recording is always readable."""
import random
from lib import *

chance = random.Random()
background(workload("pingpong"), 10**9)
background("sh", "-c", "while :; do /bin/true; done")
for number in range(6 // SLOW + 1):
    recorder = Recorder("-a", "--slice", "5ms", path=f"{number}.dwell")
    empty = os.path.getsize(recorder.path)
    wait_until(lambda: os.path.getsize(recorder.path) > empty, "the first commit")
    time.sleep(chance.uniform(0, 1.2))
    kill_group(recorder.process)
    recording = Recording(recorder.path)
    check(recording.window_ns > 100 * MS, f"window: {recording.window_ns}")
    check_books(recording, slack_ns=20 * MS)
    check(recording.folded("offcpu"), "no stacks")
