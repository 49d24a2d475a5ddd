# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because what tells of locks differs: tracepoints of contended ones, since 6.16 tasks, too
"""Threads that write one file wait for the lock of its inode: it is told as that file, and who had the
lock at the longest wait is another of them."""
from lib import *

path = os.path.abspath("fought_for")
recording = record(command=[workload("write_fight"), path, 1500 * SLOW])
check_books(recording)
rows = recording.rows(
    "SELECT s.ns, a.name, s.thread, s.owner, (SELECT comm FROM threads WHERE id = s.owner) FROM sums s"
    " JOIN threads t ON t.id = s.thread LEFT JOIN awaited a ON a.id = s.awaited"
    " WHERE t.comm = 'fighter' AND s.state = 3 AND s.kernel_stack IN"
    " (SELECT stack FROM stack_frames WHERE function LIKE 'rwsem_down_%')")
total = sum(row[0] for row in rows)
check(total > 0, "nobody waited for a lock")
# Beside it they may wait for the mmap_lock while they start.
waits = [row for row in rows if row[1] == path]
told = sum(row[0] for row in waits)
check(told > 0.9 * total, f"{told} of {total} ns are for the file: {rows[:10]}")
for _, _, thread, owner, comm in waits:
    check(not owner or (comm == "fighter" and owner != thread), f"{comm} is the owner of a lock of fighters")
# Between one owner and the next the lock has none, and rows without a chain keep none.
owned = sum(row[0] for row in waits if row[3])
check(owned > 0.5 * told, f"of {told} ns for the file {owned} have an owner")
report = dwell("report", recording.path).stdout
check(re.search(r"of\s+\S*fought_for,\s+held\s+by\s+another\s+fighter", report), report)
