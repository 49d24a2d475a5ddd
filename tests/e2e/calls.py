# SPDX-License-Identifier: GPL-2.0-or-later
"""What cases about calls share: recording the calls of a workload from its first one to its last, and
the laws that hold of every recording with calls."""
from lib import *

PARTS = ("running", "woken", "preempted", "blocked")


def record_calls(of, *args, path=None):
    """Starts to record the workload, lets it go when the window is open, and stops when it has said what
    it did. {pid} in an argument is the workload's. Returns the recording and what it said."""
    recorder = Recorder("-p", of.pid, *(str(arg).replace("{pid}", str(of.pid)) for arg in args), path=path)
    of.go()
    log = of.line()
    return recorder.stop(), log


def calls_of(functions, *options):
    """--calls of each, with options behind each."""
    return [word for function in functions for word in ("--calls", function, *options)]


def check_laws(recording):
    """Wall time is the parts', for every row; what is slow is told, state by state; and bands are those of
    the calls that are in them."""
    losses = {loss["loss"]: loss["count"] for loss in recording.report["accounting"]["losses"]}
    check("call_mismatch" not in losses, f"parts that do not add up: {losses}")
    parts = " + ".join(f"{part}_ns" for part in PARTS)
    for table in ("calls", "open_calls"):
        off = recording.rows(f"SELECT * FROM {table} WHERE wall_ns <> {parts} OR wall_ns < 0 OR "
                             + " OR ".join(f"{part}_ns < 0" for part in PARTS))
        check(not off, f"{table} whose parts are not their wall time: {off[:5]}")
    off = recording.rows("SELECT * FROM calls WHERE max_ns > wall_ns OR max_ns * count < wall_ns")
    check(not off, f"the longest cannot be as long: {off[:5]}")
    for part in PARTS:
        off = recording.rows(f"""
            SELECT f.name, c.ns, coalesce(s.ns, 0) FROM functions f JOIN (
              SELECT function, sum(ns) AS ns FROM (
                SELECT function, {part}_ns AS ns FROM calls WHERE is_slow UNION ALL
                SELECT function, {part}_ns FROM open_calls WHERE is_slow) GROUP BY function) c ON c.function = f.id
            LEFT JOIN (SELECT function, sum(ns) AS ns FROM slow WHERE state =
              (SELECT number FROM words WHERE kind = 'state' AND word = '{part}') GROUP BY function) s
              ON s.function = f.id
            WHERE c.ns <> coalesce(s.ns, 0)""")
        check(not off, f"{part} of slow calls, and what is told of it: {off}")
    for function in recording.report["calls"]:
        check(sum(band["count"] for band in function["bands"]) == function["count"], function)
        for whole in ("count", "wall_ns", *(f"{part}_ns" for part in PARTS)):
            check(function["slow"][whole] + function["typical"][whole] == function[whole], function)
    return losses


def function_of(recording, name):
    """What the report has of it, by the end of its name."""
    found = [one for one in recording.report["calls"] if one["name"].endswith(name)]
    check(len(found) == 1, f"{name}: {[one['name'] for one in recording.report['calls']]}")
    return found[0]


def by_thread(recording, name):
    """{tid: {"count", "wall", "running", ...}} of a function's calls, the outermost ones' times."""
    rows = recording.rows(f"""
        SELECT t.tid, sum(c.count), sum((1 - c.is_inner) * c.wall_ns),
          {', '.join(f'sum((1 - c.is_inner) * c.{part}_ns)' for part in PARTS)}
        FROM calls c JOIN functions f ON f.id = c.function LEFT JOIN threads t ON t.id = c.thread
        WHERE f.name LIKE ? GROUP BY t.tid""", f"%{name}")
    return {row[0]: dict(zip(("count", "wall", *PARTS), row[1:])) for row in rows}
