# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo of `make try`: the report names the lock convoy, the disk writer, the hog and the
sleeper, fits the screen, and its JSON has what is promised."""
from lib import *

# The last of its threads, the sleeper, may begin late: those before it keep a slow machine busy.
LENGTH_MS, LEAST_SLEPT_MS = (3000, 2900) if SLOW == 1 else (8000, 4000)
recording = record(command=[workload("demo"), LENGTH_MS, "log"])
text = dwell("report", recording.path).stdout
check(len(text.strip().split("\n")) <= 40, f"{len(text.splitlines())} lines")
check(max(map(len, text.split("\n"))) <= 80, "wider than 80 columns:\n" + text)
for word in ("threads lived", "running", "accounted", "cost", "next:", "demo"):
    check(word in text, f"no {word!r} in:\n{text}")

report = recording.report
check({"version", "window_ns", "accounting", "threads", "waits"} <= set(report), f"{set(report)}")
check({"expected_ns", "accounted_ns", "lost_events", "complete_user_stacks"} <=
      set(report["accounting"]), f"{report['accounting']}")
check(report["accounting"]["lost_events"] == 0, f"lost: {report['accounting']}")
for wait in report["waits"]:
    check({"name", "reason", "state", "count", "total_ns", "max_ns", "bands", "stack"} <=
          set(wait), f"{wait}")

reasons = {}
for wait in report["waits"]:
    reasons.setdefault(wait["name"], {}).setdefault(wait["reason"], 0)
    reasons[wait["name"]][wait["reason"]] += wait["total_ns"]
# Whoever lets a lock go may have it again before the others are awake, on a busy machine all the time.
convoy_ns = sorted(reasons[f"convoy-{number}"].get("futex", 0) for number in (1, 2, 3))
check(0 < convoy_ns[0] and convoy_ns[1] > S and sum(convoy_ns) > 3 * S, f"convoy: {reasons}")
check(reasons["idler"].get("sleep", 0) > LEAST_SLEPT_MS * MS, f"idler: {reasons}")
for log in recording.log["threads"]:
    check_life(recording.thread(log["tid"]), log["wall_ns"])
    # The disk writer is woken across CPUs all the time, where the CPU clock is too vague.
    if log["name"] != "disk-writer":
        check_ran(recording.thread(log["tid"]), log["cpu_ns"], log["wall_ns"], 0.15, 30 * MS)
stacks = recording.folded("offcpu", "--state", "blocked")
check(weight(stacks, "futex_wait", "demo_main") > 3 * S, "the convoy's stack")
check_books(recording)
