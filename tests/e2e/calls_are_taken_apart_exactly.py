# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because probes of functions differ by kernel, and who may come between them
"""Of each call the wall time is running, woken, preempted and blocked time to the nanosecond, with more
threads than CPUs, preempted and moved from one CPU to another, one call within another and by the
million; and the parts are those of the threads that made them, by their own clocks."""
from calls import *

need_root()
THREADS, ROUNDS = 3 * len(os.sched_getaffinity(0)), 30 if SLOW == 1 else 6
TINY = 150000 if SLOW == 1 else 1000
CALLS = ("part_call", "tiny_call", "outer_call")

callers = Workload("call_parts", THREADS, ROUNDS, TINY)
move_about(callers.pid, os.sched_getaffinity(0))
recording, log = record_calls(callers, *calls_of(CALLS), "--force")
callers.end()
losses = check_laws(recording)
print(losses)
for name, count in (("part_call", 4 * THREADS * ROUNDS), ("tiny_call", log["tiny"]), ("outer_call", log["outer"])):
    got = function_of(recording, f":{name}")
    check(got["count"] == count, f"{name}: {got['count']} of {count} calls: {got}")
    check(not any(got[word] for word in UNTIMED), got)
    check(not got["open"], got["open"])
check(sum(calls["preempted"] for calls in by_thread(recording, ":part_call").values()), "nobody was preempted")

parts, tiny, outer = (by_thread(recording, f":{name}") for name in CALLS)
# One is within the other, and what is not in both is not much: of CPU time, as who is preempted where is chance.
ran = [sum(calls["running"] for calls in of.values()) for of in (outer, tiny)]
check(ran[0] < 3 * ran[1], f"ran {ran}: {outer} {tiny}")
for own in log["threads"]:
    thread, calls = recording.thread(own["tid"]), parts[own["tid"]]
    check(calls["count"] == 4 * ROUNDS, f"{calls}")
    check((tiny[own["tid"]]["count"], outer[own["tid"]]["count"]) == (2 * TINY, TINY), f"{tiny} {outer}")
    # The log's clocks stand right around the call: what is between is a probe, or waiting for a CPU,
    # which then is the thread's and no call's.
    inside = sum(phase["wall_ns"] for phase in own["phases"].values())
    unready = thread["runnable_ns"] - sum(of[own["tid"]][part] for of in (parts, outer)
                                          for part in ("woken", "preempted"))
    slack = inside // 100 + 4 * ROUNDS * AROUND_NS + unready
    check(inside - slack <= calls["wall"] <= inside, f"wall: {calls}, {own}, {slack} slack")
    # It waits in part_call(), and hardly anywhere else.
    check(calls["blocked"] <= thread["blocked_ns"], f"{calls} {thread}")
    if SLOW == 1:
        check_close(f"blocked {calls} {thread}", calls["blocked"], thread["blocked_ns"], rel=0.01, abs_ns=10 * MS)
