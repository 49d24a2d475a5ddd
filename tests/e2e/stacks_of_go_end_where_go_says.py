# SPDX-License-Identifier: GPL-2.0-or-later
"""Some functions of Go's runtime are where a stack begins, or run what they call on another stack,
and do not say so: a stack is complete at the former, and ends with that reason at the latter, even
if what lies below looks like an end."""
from lib import *

OTHER = "goes on on a goroutine's stack"
TRUTH = {"parked": ("complete", ["runtime.mcall", "park_for_ever", "park"]),
         "routine": ("complete", ["runtime.goexit.abi0", "goroutine", "park_for_ever", "park"]),
         "system": (OTHER, ["runtime.systemstack.abi0", "park"]),
         "clock": (OTHER, ["runtime.nanotime1.abi0", "park"])}

program = Workload("goroutines", 2)
recording = record("-F", "0", "-p", program.line()["pid"], "-d", "1")
for comm, (end, names) in TRUTH.items():
    ends = recording.rows("""
        SELECT w.word, sum(s.ns) FROM all_sums s JOIN threads t ON t.id = s.thread
        JOIN stacks k ON k.id = s.user_stack
        JOIN words w ON w.kind = 'unwind_end' AND w.number = k.unwind_end
        WHERE t.comm = ? GROUP BY 1""", comm)
    print(comm, ends, flush=True)
    all_ns = sum(ns for _, ns in ends)
    check(all_ns and dict(ends).get(end, 0) >= 0.99 * all_ns, f"{comm}: {ends}")
    for stack in recording.folded("offcpu", "--state", "blocked", "-U"):
        if stack[0] == comm:
            found = [frame for frame in stack[1:] if not frame.startswith("[")]
            check(found[:len(names)] == names and len(found) <= len(names) + 1, f"{stack}")
