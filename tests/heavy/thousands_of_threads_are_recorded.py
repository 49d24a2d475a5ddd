# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
"""Thousands of threads that sleep through the window are all there, each with the whole of it."""
import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/e2e")
from lib import *

PROCESSES, EACH = 100, 64
need_root()
pids = {background(workload("sleeper"), 1, 120_000, EACH).pid for _ in range(PROCESSES)}
time.sleep(3)
recording = record("-n", "sleeper*", "-d", "5s", timeout=100)
mine = [t for t in recording.threads if t["pid"] in pids]
check(len(mine) == PROCESSES * (EACH + 1), f"{len(mine)} threads")
for thread in mine:
    check_thread(thread, life_ns=(recording.window_ns, 0, MS),
                 blocked_ns=(recording.window_ns, 0, MS))
check_books(recording)
