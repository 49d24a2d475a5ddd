# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it depends on how soon tables come
# alone, because it loads both CPUs
"""Under a mixed load (pipes, forks, sockets, timers, compilers) the user stacks of switches reach
their roots, but for those of processes too young for their tables; what is incomplete says why, and
the shares by time and count add up."""
from load import *

COMPLETE = 0
start_mixed_load()
# Twice: the first run leaves the tables of large files in the cache.
record("-a", "-d", "1")
recording = record("-a", "-d", "5")

rows = recording.rows("""
    SELECT p.name, coalesce(k.unwind_end, -s.user_stack), sum(max(s.count, 1)), sum(s.ns)
    FROM all_sums s JOIN threads t ON t.id = s.thread JOIN processes p ON p.id = t.process
    LEFT JOIN stacks k ON k.id = s.user_stack
    WHERE NOT t.is_kernel AND s.user_stack <> 0 AND s.state IN
      (SELECT number FROM words WHERE kind = 'state' AND word IN ('blocked', 'woken', 'preempted'))
    GROUP BY 1, 2""")
words = dict(recording.rows("SELECT number, word FROM words WHERE kind = 'unwind_end'"))
# An emulator's generated code has frames of its own making; nobody can walk those.
rows = [row for row in rows if not row[0].startswith("qemu")]
count = sum(row[2] for row in rows)
ns = sum(row[3] for row in rows)
whole = sum(row[2] for row in rows if row[1] == COMPLETE)
whole_ns = sum(row[3] for row in rows if row[1] == COMPLETE)
others = sorted((-number, name, str(words.get(end, end))) for name, end, number, _ in rows
                if end != COMPLETE)
print(f"{whole} of {count} stacks, {whole_ns / ns:.3%} of the time; {others[:12]}", flush=True)
check(count > 5000 // SLOW, f"no load: {count} stacks")
check(whole / count > (0.99 if SLOW == 1 else 0.9), f"{whole / count:.3%} by count: {others[:20]}")
check(whole_ns / ns > (0.99 if SLOW == 1 else 0.9), f"{whole_ns / ns:.3%} by time: {others[:20]}")

accounting = recording.report["accounting"]
shares = accounting["complete_user_stacks"]
missing = accounting["incomplete_user_stacks"]
check(all(part["end"] and part["process"] for part in missing), f"no reason: {missing}")
for how in ("by_time", "by_count"):
    total = shares[how] + sum(part[how] for part in missing)
    check(abs(total - 1) < 1e-6, f"{how}: {total}")
