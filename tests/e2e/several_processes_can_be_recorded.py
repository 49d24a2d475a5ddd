# SPDX-License-Identifier: GPL-2.0-or-later
"""-p takes a list."""
from lib import *

sleepers = [Workload("deep_sleeper") for _ in range(3)]
for sleeper in sleepers:
    sleeper.line()
wanted = {sleepers[0].pid, sleepers[2].pid}
recording = record("-p", ",".join(map(str, wanted)), "-d", "1s")
check({t["pid"] for t in recording.threads} == wanted, f"{recording.threads}")
check(len(recording.threads) == 10, f"{len(recording.threads)} threads")
