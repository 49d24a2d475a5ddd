# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because it is the law, on any kernel
# alone, because it loads both CPUs
"""Under a mixed load each thread's blocked time is the sum over what it waited for, the waits for nothing
that is told included, to the nanosecond; every thing that rows and hops name is there. With --no-awaited
the same holds and nothing is told of things."""
from load import *

NAMED = "SELECT count(*) FROM {} WHERE {} <> 0 AND {} NOT IN (SELECT id FROM awaited)"
BLOCKED = "(SELECT number FROM words WHERE kind = 'state' AND word = 'blocked')"


def check_sums(recording):
    check_books(recording)
    by_thread = {}
    for thread, awaited, ns in recording.rows(
            f"SELECT thread, awaited, sum(ns) FROM sums WHERE state = {BLOCKED} GROUP BY thread, awaited"):
        by_thread.setdefault(thread, {})[awaited] = ns
    totals = recording.rows("SELECT id, comm, blocked_ns FROM threads")
    off = [(comm, sum(by_thread.get(thread, {}).values()), blocked_ns) for thread, comm, blocked_ns in totals
           if sum(by_thread.get(thread, {}).values()) != blocked_ns]
    check(not off, f"{len(off)} threads, sums over things and blocked time: {off[:5]}, "
          f"losses {recording.report['accounting']['losses']}")
    # The view has all that is told, and no more.
    for thread, total_ns in recording.rows("SELECT thread, sum(total_ns) FROM things GROUP BY thread"):
        told_ns = sum(ns for awaited, ns in by_thread[thread].items() if awaited)
        check(total_ns == told_ns, f"thread {thread}: {total_ns} in the view, {told_ns} in rows")
    [[wrong]] = recording.rows("SELECT count(*) FROM things WHERE is_folded <> (awaited BETWEEN 1 AND 63)")
    check(not wrong, f"of {wrong} things the view does not know whether they stand for several")
    for table, column in (("sums", "awaited"), ("hops", "waited_for")):
        [[missing]] = recording.rows(NAMED.format(table, column, column))
        check(not missing, f"{missing} rows of {table} name things that are not there")
    [[elsewhere]] = recording.rows(f"SELECT count(*) FROM sums WHERE state <> {BLOCKED} AND (awaited <> 0 OR owner <> 0)")
    check(not elsewhere, f"{elsewhere} rows that are no waits have things or owners")
    [[strangers]] = recording.rows("SELECT count(*) FROM sums WHERE owner <> 0 AND owner NOT IN (SELECT id FROM threads)")
    check(not strangers, f"{strangers} owners are no threads")


def told(recording):
    """How many things, rows with one, with an owner, hops with one."""
    return [recording.rows(f"SELECT count(*) FROM {what}")[0][0]
            for what in ("awaited", "sums WHERE awaited <> 0", "sums WHERE owner <> 0", "hops WHERE waited_for <> 0")]


start_mixed_load()
background(workload("holder"), 600_000)
background("sh", "-c", f"while :; do {workload('things')} {TEMP}; done")
recording = record("-a", "-d", "3s", "--slice", "500ms")
check_sums(recording)
things, rows, owners, hops = told(recording)
print(f"{things} things, {rows} rows with one, {owners} with an owner, {hops} hops with one", flush=True)
check(things > 10 and rows > 100 and owners and hops, f"{things} things, {rows} rows, {owners} owners, {hops} hops")

without = record("-a", "-d", "2s", "--slice", "500ms", "--no-awaited")
check_sums(without)
check(told(without) == [0, 0, 0, 0], f"with --no-awaited: {told(without)}")
losses = {loss["loss"] for loss in without.report["accounting"]["losses"]}
check(not any(loss.startswith("awaited") for loss in losses), f"{losses}")
