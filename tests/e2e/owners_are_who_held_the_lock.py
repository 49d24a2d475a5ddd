# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because owners are read from memory at a switch, and namespaces are the kernel's
"""Threads hold a mutex in turn and log who had it when. The owner that a row names had it when its wait
began, also where the program has other numbers for its threads than the recorder: in a pid namespace.
What has no owner is given none: futexes of the program's own, condition variables, locks inside libc."""
from awaited import *

SLICE_NS = 50 * MS
# A wait is logged so much longer than it is, most of all by the time until there is a CPU.
LATE_NS = MS * SLOW
# Around the moments at which it is handed on, the log does not say who has it.
EDGE_NS = MS
# A clock that is set meanwhile would show; a moment of the recording is known as well as this.
CLOCK_NS = 20 * MS
ROWS = ("SELECT t.tid, t.comm, s.kernel_stack, s.slice_last, s.count, s.max_ns, coalesce(a.address, 0), s.owner,"
        " coalesce(o.comm, '') FROM sums s JOIN threads t ON t.id = s.thread JOIN processes p ON p.id = t.process"
        " LEFT JOIN awaited a ON a.id = s.awaited LEFT JOIN threads o ON o.id = s.owner"
        " WHERE s.state = 3 AND p.name = 'owners' AND t.comm <> 'owners'")
Row = namedtuple("Row", "tid comm stack slice count max_ns address owner owner_name")


def futex_rows(recording):
    is_futex = {}
    for row in map(Row._make, recording.rows(ROWS)):
        if row.stack not in is_futex:
            is_futex[row.stack] = any("futex_wait" in frame for frame in frames_of(recording, row.stack))
        if is_futex[row.stack]:
            yield row


def holders_between(log, first, last):
    """Who may have had it from then until then; two, where it was handed on."""
    return {f"user-{number}" for number, user in enumerate(log["users"]) for _, had, gave_back in user["holds"]
            if had - EDGE_NS < last and first < gave_back + EDGE_NS}


def logged_wait(start_ns, log, row):
    """Between when the row's only wait began, if the log has just one that is so long and ended then: a thread that
    asks may lose its CPU before it blocks."""
    start = start_ns + row.slice * SLICE_NS
    found = [(asked, max(asked, had - row.max_ns)) for asked, had, _ in log["users"][int(row.comm.split("-")[1])]["holds"]
             if -MS // 10 <= had - asked - row.max_ns <= LATE_NS
             and start - CLOCK_NS <= had <= start + SLICE_NS + CLOCK_NS]
    return found[0] if len(found) == 1 else None


def check_owners(recording, log):
    rows = list(futex_rows(recording))
    users = [row for row in rows if row.comm.startswith("user-") and row.count and row.max_ns >= MS]
    elsewhere = [row for row in users if row.address != log["lock"]]
    check(len(users) > 50 and len(elsewhere) <= 0.01 * len(users),
          f"{len(elsewhere)} of {len(users)} waits are not at {log['lock']:#x}: {elsewhere[:3]}")
    without = [row for row in users if not row.owner]
    check(len(without) <= 0.01 * len(users), f"{len(without)} of {len(users)} rows without an owner: {without[:5]}")
    known, wrong, start_ns = 0, [], recording.meta()["start_unix_ns"]
    for row in users:
        asked = logged_wait(start_ns, log, row) if row.count == 1 else None
        holders = holders_between(log, *asked) if asked else ()
        if len(holders) == 1:
            known += 1
            wrong += [(row, holders)] if row.owner_name not in holders else []
    print(f"{len(users)} rows, {known} of them known from the log, {len(wrong)} with another owner", flush=True)
    check(known > 0.3 * len(users), f"only {known} of {len(users)} rows are known from the log")
    check(len(wrong) <= 0.01 * known, f"{len(wrong)} of {known} owners did not have it: {wrong[:5]}")


def check_no_owners(recording, log):
    rows = list(futex_rows(recording))
    for name in ("word", "condition", "stream"):
        check(any(row.comm == name and row.max_ns >= MS for row in rows), f"no waits of {name}")
    # After its signal a condition is left with the mutex that guards it, which has an owner.
    wrong = [row for row in rows if row.owner and (row.comm in ("word", "stream") or row.comm.startswith("arena-") or (
        row.comm == "condition" and 0 <= row.address - log["condition"] < log["condition_bytes"]))]
    check(not wrong, f"{len(wrong)} owners of what has none: {wrong[:5]}")


need_tool("unshare")
let_tables_come()
command = [workload("owners"), 3000]
for namespace in ([], ["unshare", "--pid", "--fork", "--mount-proc"]):
    recording = record("--slice", "50ms", command=namespace + command)
    log = recording.log
    outer = {row[0] for row in recording.rows("SELECT tid FROM threads WHERE comm LIKE 'user-%'")}
    inner = {user["tid"] for user in log["users"]}
    check(len(outer) == len(inner) and (outer == inner) == (not namespace), f"{outer}, in the program {inner}")
    check_no_owners(recording, log)
    check_owners(recording, log)
