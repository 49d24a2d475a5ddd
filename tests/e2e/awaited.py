# SPDX-License-Identifier: GPL-2.0-or-later
"""What a recording says of the things that threads waited for, read by hand."""
from collections import namedtuple

from wakers import *

# id 0: not told; then the kind is "none".
Thing = namedtuple("Thing", "id kind name place port address pid count ns max_ns")

THINGS = (
    "SELECT s.awaited, coalesce((SELECT word FROM words WHERE kind = 'awaited_kind' AND number = a.kind), 'none'),"
    " coalesce(a.name, ''), coalesce(a.place, ''), coalesce(a.port, 0), coalesce(a.address, 0),"
    " coalesce((SELECT pid FROM processes p WHERE p.id = a.process), 0), s.count, s.ns, s.max_ns, s.kernel_stack"
    " FROM (SELECT thread, awaited, kernel_stack, sum(count) AS count, sum(ns) AS ns, max(max_ns) AS max_ns FROM sums"
    "  WHERE state = 3 GROUP BY thread, awaited, kernel_stack) s"
    " JOIN threads t ON t.id = s.thread LEFT JOIN awaited a ON a.id = s.awaited WHERE t.tid = ? AND t.comm = ?")


def things_of(recording, tid, comm):
    """The things of a thread's waits, most time first; what it slept in clock_nanosleep is left out."""
    found = {}
    for *values, stack in recording.rows(THINGS, tid, comm):
        if "hrtimer_nanosleep" in frames_of(recording, stack):
            continue
        thing = Thing(*values)
        before = found.get(thing.id)
        found[thing.id] = thing if not before else thing._replace(
            count=thing.count + before.count, ns=thing.ns + before.ns, max_ns=max(thing.max_ns, before.max_ns))
    return sorted(found.values(), key=lambda thing: -thing.ns)


def text_of(thing):
    return (f"{thing.kind} {thing.id} {thing.name!r} in {thing.place!r}, port {thing.port}, address "
            f"{thing.address:#x}, process {thing.pid}: {thing.count} waits, {thing.ns} ns")


def is_logged(thing, log, pid):
    """Is that what things.h says that the thread waited for?"""
    if thing.kind != log["kind"]:
        return False
    if thing.kind == "futex":
        # A condition has several words, and an address may stand for the eight bytes around it.
        return (0 <= thing.address - log["address"] < max(log["span_bytes"], 8) and thing.pid == pid
                and bool(re.fullmatch(re.escape(log["name"]) + r"(\+0x[0-9a-f]+)?", thing.name)))
    return all(getattr(thing, key) == log[key] for key in ("name", "port", "address") if key in log)


def wrong_things(recording, log):
    """What is not as the workload says: for each thread a line."""
    wrong = []
    for thread in log["things"]:
        things = things_of(recording, thread["tid"], thread["thread"])
        total = sum(thing.ns for thing in things)
        right = [thing for thing in things if is_logged(thing, thread, log["pid"])]
        is_one = len(right) == 1 or thread["kind"] == "futex"
        right_ns = sum(thing.ns for thing in right)
        # An emulated machine also waits for its own locks, while others fork or map.
        if right_ns < (0.6 if SLOW > 1 else 0.9) * max(total, thread["least_ns"]) or not is_one:
            wrong.append(f"{thread['thread']}: {right_ns} of {total} ns for {thread}; recorded: "
                         + ("; ".join(map(text_of, things)) or "nothing"))
    return wrong
