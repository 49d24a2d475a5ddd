# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it is long
# timeout: 300
# alone, because it loads both CPUs
"""Under stress-ng, perf bench and a parallel build every wait has a chain, and the shares of its
hops are the wait, to the nanosecond."""
from load import *
from wakers import *

start_mixed_load()
recording = record("-a", "-d", "5s")
waits = check_chains(recording)
check(waits > 500, f"only {waits} waits under this load")
blocked = sum(thread["blocked_ns"] for thread in recording.threads)
rows = recording.rows("SELECT sum(ns) FROM sums WHERE state = 3")[0][0]
check(rows == blocked, f"rows of waits hold {rows} ns, the threads were blocked {blocked}")
