# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because what tells of locks differs: tracepoints of contended ones, since 6.16 tasks, too
"""Threads that map memory of one process wait for its mmap_lock: of the time in which the kernel's stack
is in a lock nearly all is for that thing. Mostly readers have it, who are not told; an owner is another of these threads, or main."""
from lib import *

recording = record(command=[workload("map_fight"), 1500 * SLOW])
check_books(recording)
rows = recording.rows(
    "SELECT coalesce((SELECT word FROM words WHERE kind = 'awaited_kind' AND number = a.kind), 'none'),"
    " s.ns, s.thread, s.owner, (SELECT comm FROM threads WHERE id = s.owner), s.kernel_stack FROM sums s"
    " JOIN threads t ON t.id = s.thread LEFT JOIN awaited a ON a.id = s.awaited"
    " WHERE t.comm = 'fighter' AND s.state = 3")
in_lock = set(row[0] for row in recording.rows("SELECT DISTINCT stack FROM stack_frames WHERE function LIKE 'rwsem_down_%'"))
locks = [row for row in rows if row[5] in in_lock]
total = sum(row[1] for row in locks)
check(total > 0, f"nobody waited for a lock: {rows[:5]}")
told = sum(row[1] for row in locks if row[0] == "mmap_lock")
check(told > 0.9 * total, f"{told} of {total} ns are for mmap_lock: {[row[:2] for row in locks][:10]}")
for _, _, thread, owner, comm, _ in locks:
    check(not owner or (comm in ("fighter", "map_fight") and owner != thread), f"{comm} is the owner of a lock of fighters")
report = dwell("report", recording.path).stdout
check(re.search(r"mmap_lock", report), report)
