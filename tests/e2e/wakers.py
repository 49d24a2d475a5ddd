# SPDX-License-Identifier: GPL-2.0-or-later
"""Chains as the recording holds them, read by hand, and what must hold for all of them."""
import fnmatch
from collections import namedtuple

from lib import *

KINDS = ("task", "irq", "softirq", "softirq in task", "timer", "ipi", "disk", "fork", "signal",
         "work", "unknown")
ENDS = ("metal", "awake", "depth limit", "no waker", "not woken", "earlier", "overflow")
METAL = ("irq", "softirq", "timer", "ipi", "disk")
TIMER = ("timer", "hrtimer_wakeup")

Hop = namedtuple("Hop", "kind name kernel_stack user_stack waited_stack ran_ns no_cpu_ns earlier_ns")
Chain = namedtuple("Chain", "count ns hops end rest_ns")


def frames_of(recording, stack):
    """Names of a stack's frames, leaf first."""
    return [row[0] for row in recording.rows(
        "WITH RECURSIVE walk(id, depth) AS (SELECT ?, 0 UNION ALL SELECT stacks.parent, depth + 1 "
        "FROM walk JOIN stacks ON stacks.id = walk.id WHERE stacks.parent <> 0) "
        "SELECT frames.name FROM walk JOIN stacks ON stacks.id = walk.id "
        "JOIN frames ON frames.id = stacks.frame ORDER BY depth", stack)]


def chains_of(recording, comm, inside=None, tid=None):
    """The chains of a name's waits that have ended, those of equal content added up; inside: only
    waits with that function in their kernel stack; tid: only that thread's."""
    hops = {}
    for row in recording.rows("SELECT chain, kind, name, kernel_stack, user_stack, waited_stack "
                              "FROM hops ORDER BY chain, position"):
        hops.setdefault(row[0], []).append((KINDS[row[1]], *row[2:]))
    ends = dict(recording.rows("SELECT id, chain_end FROM chains"))
    shares = {}
    for number, *share in recording.rows("SELECT * FROM shares"):
        shares.setdefault(number, []).append(share)
    wanted = {}
    found = {}
    for number, chain, stack, count, ns in recording.rows(
            "SELECT s.id, chain, kernel_stack, count, ns FROM sums s "
            "JOIN threads ON threads.id = s.thread "
            f"WHERE state = 3 AND NOT {IS_UNENDED} AND comm = ? AND ? IN (tid, 0)", comm, tid or 0):
        if inside and stack not in wanted:
            wanted[stack] = inside in frames_of(recording, stack)
        if inside and not wanted[stack]:
            continue
        if chain not in found:
            found[chain] = [0, 0, [[0, 0, 0] for _ in range(len(hops.get(chain, [])) + 1)]]
        found[chain][0] += count
        found[chain][1] += ns
        for position, *share in shares.get(number, []):
            found[chain][2][position] = [a + b for a, b in zip(found[chain][2][position], share)]
    return [Chain(count, ns, [Hop(*hop, *part) for hop, part in zip(hops.get(chain, []), parts)],
                  ENDS[ends[chain]] if chain in ends else "none", sum(parts[-1]))
            for chain, (count, ns, parts) in found.items()]


def shape(chain):
    return " <- ".join([f"{hop.kind} {hop.name}" for hop in chain.hops] + [f"[{chain.end}]"])


def check_most(chains, is_right, what, share=0.95):
    """Of the waits, at least that share has a chain that is right."""
    total = sum(chain.count for chain in chains)
    right = sum(chain.count for chain in chains if is_right(chain))
    wrong = sorted(((chain.count, shape(chain)) for chain in chains if not is_right(chain)),
                   reverse=True)
    check(total > 0, f"{what}: no waits")
    check(right >= share * total, f"{what}: {right} of {total} waits; the others: {wrong[:5]}")


def has_hops(*wanted):
    """Does a chain consist of these (kind, name)? A kind may be a tuple of kinds, a name a pattern."""
    def is_right(chain):
        return len(chain.hops) == len(wanted) and all(
            (hop.kind == kind or hop.kind in kind) and fnmatch.fnmatch(hop.name, name)
            for hop, (kind, name) in zip(chain.hops, wanted))
    return is_right


def check_chains(recording):
    """Every wait has a chain, its shares add up to it exactly, and nobody had to count otherwise.
    Returns the number of waits."""
    bad = recording.rows(
        "SELECT sums.id, ns, chain_end, hop_count, sum(ran_ns + no_cpu_ns + earlier_ns) AS parts "
        "FROM sums JOIN chains ON chains.id = sums.chain JOIN shares ON shares.sum = sums.id "
        "WHERE state = 3 GROUP BY sums.id HAVING parts <> ns LIMIT 5")
    check(not bad, f"rows whose shares are not the wait: {bad}")
    bare = recording.rows("SELECT count(*) FROM sums LEFT JOIN chains ON chains.id = sums.chain "
                          "WHERE state = 3 AND chains.id IS NULL")[0][0]
    check(bare == 0, f"{bare} rows of waits without a chain")
    lacking = recording.rows(
        "SELECT count(*) FROM sums JOIN chains ON chains.id = sums.chain "
        "WHERE hop_count > 0 AND sums.id NOT IN (SELECT sum FROM shares)")[0][0]
    check(lacking == 0, f"{lacking} rows of waits without shares")
    losses = {row[0]: row[1] for row in recording.rows("SELECT name, count FROM losses")}
    check(not losses.get("chain_mismatch"), f"mismatches: {losses}")
    return recording.rows("SELECT sum(count) FROM sums WHERE state = 3")[0][0]
