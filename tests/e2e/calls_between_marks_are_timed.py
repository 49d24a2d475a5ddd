# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because marks are probes that kernels attach differently
"""A request from one mark of a program to another is a call like a function's, in each thread; the mark at which
it ends is found by the name of the one at which it begins."""
from calls import *

need_root()
ROUNDS = 100 if SLOW == 1 else 15
MARK = f"usdt:{workload('call_marks')}:call_marks:request__start"

for mark in (MARK, f"{MARK},request__done"):
    server = Workload("call_marks", ROUNDS)
    recording, log = record_calls(server, *calls_of([mark], "--slower", "2500us"))
    server.end()
    check_laws(recording)
    got, = recording.report["calls"]
    print({word: got[word] for word in ("name", "kind", "count", "wall_ns", *(f"{part}_ns" for part in PARTS))})
    check((got["name"], got["kind"]) == ("call_marks:request__start,request__done", "marks"), f"{got}")
    check(got["count"] == 2 * ROUNDS, f"{got['count']} of {2 * ROUNDS}")
    check(not any(got[word] for word in ("begun_before", "left", "unmatched", "too_deep", "died_inside")), f"{got}")
    threads = by_thread(recording, got["name"])
    for own in log["threads"]:
        calls, thread, phase = threads[own["tid"]], recording.thread(own["tid"]), own["phases"]["request"]
        check(calls["count"] == ROUNDS, f"{calls}")
        check(calls["blocked"] >= 0.9 * ROUNDS * MS, f"{calls}")
        check(calls["running"] >= (0.9 if SLOW == 1 else 0.5) * ROUNDS * MS, f"{calls}")
        unready = thread["runnable_ns"] - calls["woken"] - calls["preempted"]
        slack = phase["wall_ns"] // 100 + ROUNDS * 5000 * SLOW + unready
        check_between(f"wall of {own}", calls["wall"], phase["wall_ns"] - slack, phase["wall_ns"])

# Another one cannot be its end.
check_one_line_error(dwell("calls", f"{MARK},request__dome", "-d", "1s", status=2), "request__dome", "request__done")
check_one_line_error(dwell("calls", f"usdt:{workload('call_marks')}:call_marks:request__stert", "-d", "1s", status=2),
                     "request__stert", "request__start")
