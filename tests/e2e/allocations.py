# SPDX-License-Identifier: GPL-2.0-or-later
"""What cases about sampled allocations share: what a recording of them holds, row by row."""
from collections import namedtuple

from lib import *

MEASURES = ("alloc", "freed", "live", "leaks")
NO_SITE = ""


class Amount(namedtuple("Amount", "samples blocks value")):
    """Blocks that were looked at, all that these stand for, and the bytes of those."""

    def __add__(self, other):
        return Amount(*(one + another for one, another in zip(self, other)))


NOTHING = Amount(0, 0, 0)


def functions_of_stacks(recording):
    """{stack: its functions}"""
    functions = {}
    for stack, function in recording.rows("SELECT stack, function FROM stack_frames"):
        functions.setdefault(stack, set()).add(function)
    return functions


def amounts(recording, sites, key=lambda pid, measure, site: (measure, site)):
    """{key: Amount} of all rows of memory. A row's site is the one of those in its stack, or NO_SITE."""
    functions = functions_of_stacks(recording)
    found = {}
    for pid, measure, stack, *row in recording.rows(
            "SELECT p.pid, m.name, c.user_stack, c.count, c.events, c.value FROM counts c"
            " JOIN measures m ON m.id = c.measure JOIN threads t ON t.id = c.thread"
            " JOIN processes p ON p.id = t.process"):
        here = functions.get(stack, set()) & set(sites)
        check(len(here) <= 1, f"a stack of several sites: {here}")
        name = key(pid, measure, here.pop() if here else NO_SITE)
        found[name] = found.get(name, NOTHING) + Amount(*row)
    return found


def check_fates(recording):
    """What was allocated was freed or lives, thread by thread of those who allocated it and stack by
    stack, and what leaks lives; so it is in the recording and in what is told of it."""
    losses = {loss["loss"]: loss["count"] for loss in recording.report["accounting"]["losses"]}
    for loss in ("events", "bare_events", "untracked_blocks", "unwatched_processes"):
        check(not losses.get(loss), losses)
    rows = {}
    for measure, stack, *row in recording.rows(
            "SELECT m.name, c.user_stack, c.count, c.events, c.value FROM counts c"
            " JOIN measures m ON m.id = c.measure"):
        rows.setdefault(stack, {}).setdefault(measure, []).append(Amount(*row))
    for stack, by_measure in rows.items():
        sums = {name: sum(by_measure.get(name, ()), NOTHING) for name in MEASURES}
        check(sums["alloc"] == sums["freed"] + sums["live"], f"stack {stack}: {sums}")
        check(all(leak <= live for leak, live in zip(sums["leaks"], sums["live"])),
              f"stack {stack}: {sums}")
    told = {one["name"]: one for one in recording.report["measures"]}
    for name in MEASURES:
        total = sum((sum(by_measure.get(name, ()), NOTHING) for by_measure in rows.values()), NOTHING)
        check((told[name]["samples"], told[name]["count"], told[name]["value"]) == total,
              f"{total} are told as {told[name]}")
        # A view of nothing is an error.
        shown = sum(recording.folded(name).values()) if total.value else 0
        check(shown == total.value, f"the view {name}: {shown}, not {total}")
    return told
