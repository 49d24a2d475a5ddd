# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because a function's return is watched otherwise by other kernels
"""Threads that are busy calling when a recording begins and when it ends are each in one call then, or in none:
no more calls are told as begun before, or as not ended, and none as left or without a beginning."""
from calls import *

need_root()
THREADS = 4
callers = Workload("call_parts", THREADS, 10**6, 0)
callers.go()
for function in ("part_call", f"{workload('call_parts')}:part_call"):
    recorder = Recorder("-p", callers.pid, *calls_of([function]))
    recording = recorder.stop()
    check_laws(recording)
    got = function_of(recording, ":part_call")
    counts = {word: got[word] for word in ("count", *UNTIMED)}
    print(counts, len(got["open"]), flush=True)
    check(got["count"] > 10, "nothing was timed")
    check(got["begun_before"] + got["unmatched"] <= THREADS, f"begun before: {counts}")
    check(len(got["open"]) <= THREADS, f"not ended: {got['open']}")
    check(not any(got[word] for word in ("left", "died_inside", "too_deep")), f"{counts}")
    for one in (one for one in got["open"] if one["state"] != "running"):
        check("part_call" in one["stack"], f"{one}")
