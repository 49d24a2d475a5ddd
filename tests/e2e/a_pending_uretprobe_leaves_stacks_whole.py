# SPDX-License-Identifier: GPL-2.0-or-later
"""A thread inside a function on which any tool has set a uretprobe has the address of the kernel's
probe code on its stack instead of the return address. Its user stack is the true one all the same:
nested and recursive probes, entries that a longjmp() left behind, and a thread that slept before
the recording began. So is that of a thread that runs a probed instruction from the kernel's copy."""
from lib import *

NESTED = ["outer", "middle", "inner"]
TRUTH = {"nested": ["nested_main", *NESTED], "jumped": ["jumped_main", *NESTED],
         "asleep": ["asleep_main", *NESTED], "deep": ["deep_main", *["descend"] * 21]}
KNOWN = {name for names in TRUTH.values() for name in names}

probed = Workload("probed", 5)
pid = probed.line()["pid"]
# Each stack is told once; on the way there may be those of a thread whose mappings are not known.
recording = record("-F", "0", "-p", pid, "-d", str(1 + SLOW // 2))
for comm, truth in TRUTH.items():
    ends = recording.rows("""
        SELECT w.word, sum(s.ns) FROM all_sums s JOIN threads t ON t.id = s.thread
        LEFT JOIN stacks k ON k.id = s.user_stack
        LEFT JOIN words w ON w.kind = 'unwind_end' AND w.number = k.unwind_end
        WHERE t.comm = ? AND s.state =
          (SELECT number FROM words WHERE kind = 'state' AND word = 'blocked') GROUP BY 1""", comm)
    whole, all_ns = dict(ends).get("complete", 0), sum(ns for _, ns in ends)
    print(comm, ends, flush=True)
    check(all_ns and whole >= 0.99 * all_ns, f"{comm}: {ends}")
    for stack in recording.folded("offcpu", "--state", "blocked"):
        if stack[0] == comm:
            found = [frame for frame in stack if frame in KNOWN]
            check(found == truth, f"{comm}: {stack}")
probed.kill()

# The other threads of the process sleep: what runs is the one that is stepped.
probed = Workload("probed", 1000, 1)
pid = probed.line()["pid"]
recording = record("-F", "499", "-p", pid, "-d", str(2 * SLOW))
ends = dict(recording.rows("""
    SELECT w.word, sum(s.count) FROM sums s JOIN threads t ON t.id = s.thread
    LEFT JOIN stacks k ON k.id = s.user_stack
    LEFT JOIN words w ON w.kind = 'unwind_end' AND w.number = k.unwind_end
    WHERE t.comm = 'stepped' AND s.state =
      (SELECT number FROM words WHERE kind = 'state' AND word = 'sample') GROUP BY 1"""))
print(ends)
check(sum(ends.values()) >= 20, f"too few samples: {ends}")
check(ends.get("complete", 0) >= 0.98 * sum(ends.values()), f"stepped: {ends}")
stacks = {stack: ns for stack, ns in recording.folded("oncpu").items() if stack[0] == "stepped"}
check(weight(stacks, "stepped_main", "step_on") >= 0.98 * sum(stacks.values()), stacks)
