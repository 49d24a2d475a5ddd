# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because it is about births
"""-p follows the threads that the process starts while it is recorded, for their whole lives."""
from lib import *

spawner = Workload("threads", 4, 300)
spawner.line()
recorder = Recorder("-p", spawner.pid)
spawner.go()
logs = spawner.line()["threads"]
recording = recorder.stop()

check(len(recording.threads) == 5, f"main and four more: {recording.threads}")
for log in logs:
    thread = recording.thread(log["tid"])
    check_life(thread, log["wall_ns"])
    # A timer is set before its thread leaves the CPU: in between it runs, or is made to wait.
    awake_ns = thread["running_ns"] + thread["runnable_ns"]
    check_between(f"blocked time of {thread}", thread["blocked_ns"], 300 * MS - awake_ns,
                  310 * MS if SLOW == 1 else 300 * MS + BUSY_NS)
    check(thread["comm"] == log["name"], f"name of {thread}")
check_books(recording)
