# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because arguments are read where the probe is
"""Calls of which a test of an argument is true are timed, and no others; what each kind of call does, asleep,
computing, waiting for a lock or leaving the CPU to others, is what its parts say."""
from calls import *

need_root()
ROUNDS = 40 if SLOW == 1 else 10
WAYS = ("sleep", "spin", "lock", "yield")


def record_with(test):
    callers = Workload("call_parts", 2, ROUNDS, 0)
    recording, log = record_calls(callers, *calls_of(["part_call"], "--if", test))
    callers.end()
    check_laws(recording)
    return function_of(recording, ":part_call"), log, recording


for number, way in enumerate(WAYS):
    got, log, recording = record_with(f"arg1=={number}")
    phases = [thread["phases"][way] for thread in log["threads"]]
    wall, cpu = (sum(phase[word] for phase in phases) for word in ("wall_ns", "cpu_ns"))
    print(way, {word: got[word] for word in ("count", "wall_ns", *(f"{part}_ns" for part in PARTS))}, wall, cpu)
    check(got["count"] == 2 * ROUNDS, f"{way}: {got['count']} of {2 * ROUNDS}")
    # A call that is not chosen ends like one that was not begun.
    check(not any(got[word] for word in ("begun_before", "left", "unmatched", "too_deep")), got)
    runnable = sum(recording.thread(thread["tid"])["runnable_ns"] for thread in log["threads"])
    slack = wall // 100 + 2 * ROUNDS * 5000 * SLOW
    check_between(f"{way}: wall", got["wall_ns"], wall - slack - runnable, wall)
    if way == "sleep":
        check(got["blocked_ns"] >= 0.99 * 2 * ROUNDS * 3 * MS, f"{got}")
    elif way == "lock":
        check(got["blocked_ns"] > 0.5 * (got["wall_ns"] - got["woken_ns"] - got["preempted_ns"]), f"{got}")
    else:
        check(got["blocked_ns"] <= 0.01 * wall + slack, f"{way} does not wait: {got}")
    if way == "spin" and has_cpu_clock(cpu, wall):
        # An emulated probe takes its time, which is the thread's and not in the call.
        low = cpu - slack if SLOW == 1 else cpu // 2
        check_between("spin: running", got["running_ns"], low, cpu + slack + unclocked_ns(wall))

for test, times in (("arg1>=2", 2), ("arg1!=0", 3), ("arg1>3", 0), ("arg1&1", 2), ("arg1<0", 0)):
    got, *_ = record_with(test)
    check(got["count"] == times * 2 * ROUNDS, f"--if {test}: {got['count']} of {times * 2 * ROUNDS}")
    if SLOW > 1:
        break
