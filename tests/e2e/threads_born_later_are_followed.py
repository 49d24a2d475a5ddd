# SPDX-License-Identifier: GPL-2.0-or-later
"""-p follows the threads that the process starts while it is recorded, for their whole lives."""
from lib import *

spawner = Workload("threads", 4, 300)
spawner.line()
recorder = Recorder("-p", spawner.pid, "-d", "2s")
spawner.go()
logs = spawner.line()["threads"]
recording = recorder.wait()

check(len(recording.threads) == 5, f"main and four more: {recording.threads}")
for log in logs:
    check_thread(recording.thread(log["tid"]), life_ns=(log["wall_ns"], 0.02, 5 * MS),
                 blocked_ns=(log["phases"]["nap"]["wall_ns"], 0.02, 5 * MS))
    check(recording.thread(log["tid"])["comm"] == log["name"], "name")
check_books(recording)
