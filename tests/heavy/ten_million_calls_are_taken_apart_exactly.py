# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1200
"""Ten million calls of threads that preempt each other, four for each CPU, moved about all the time, one call
within another: each is counted, and none whose parts are not its wall time."""
import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/e2e")
from calls import *

need_root()
CALLS = 10_000_000
THREADS = 4 * len(os.sched_getaffinity(0))
# Each turn is tiny_call(), and outer_call() with another one in it.
TURNS = -(-CALLS // (3 * THREADS))

callers = Workload("call_parts", THREADS, 20, TURNS)
move_about(callers.pid, os.sched_getaffinity(0))
recording, log = record_calls(callers, *calls_of(["part_call", "tiny_call", "outer_call"]), "--force")
callers.end()
print(check_laws(recording))
total = 0
for name, count in (("part_call", 80 * THREADS), ("tiny_call", log["tiny"]), ("outer_call", log["outer"])):
    got = function_of(recording, f":{name}")
    total += got["count"]
    print(name, {word: got[word] for word in ("count", "wall_ns", *(f"{part}_ns" for part in PARTS))})
    check(got["count"] == count, f"{name}: {got['count']} of {count}")
    check(not any(got[word] for word in UNTIMED), f"{got}")
check(total >= CALLS, f"{total} calls")
