# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
"""A million waits under stress-ng, perf bench and a parallel build: the shares of the hops are the
wait in every one."""
import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/e2e")
from load import *
from wakers import *

start_mixed_load()
background("perf", "bench", "sched", "pipe", "-l", "100000000")
total = 0
for attempt in range(20):
    recording = record("-a", "-d", "30s", timeout=200)
    total += check_chains(recording)
    check_books(recording)
    print(f"{total} waits", flush=True)
    if total > 1_000_000:
        break
check(total > 1_000_000, f"only {total} waits")
