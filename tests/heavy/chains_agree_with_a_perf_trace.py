# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
"""The same run, recorded by dwell and by perf (sched_switch and sched_waking, imported and walked by
src/replay), has the same wakers in 99.9 % of its waits, and the wakers did the same in 99 % of the
blocked time."""
from traces import *
from wakers import *

need_root()
need_tool("perf")
need_tracefs()

# Births are not in such a trace, and neither is who queues work: no children, no pseudo terminal.
WAYS = ("pipe", "tcp", "eventfd", "mutex", "condition", "signal", "sleep")
NAMES = ("alice", "bob", "carol", "waiter", "waker", "ping", "pong", "r0", "r1", "r2", "r3", "r4")
script = f"{workload('relay')} 20\n{workload('ring')} 5 3000\n{workload('pingpong')} 1500\n"
script += "".join(f"{workload('wakes')} {way} 300\n" for way in WAYS)
text = trace(DWELL, "record", "-a", "-F", "0", "-o", "own.dwell", "--", "sh", "-c", script)
dwell("import", text, "-o", "theirs.dwell")


SWITCH = re.compile(r"\[(\d+)\].*sched_switch: .* prev_pid=(\d+) .* ==> .* next_pid=(\d+) ")


def gaps(path, tids):
    """Switches of these threads that perf did not log, without a word: a CPU is left by another one
    than it was given to. On some guests it seems to log nothing while a hidden thread
    runs. Idle machines show many of these: give this case a busy one."""
    current, count = {}, 0
    with open(path, errors="replace") as file:
        for cpu, prev, following in (found.groups() for found in map(SWITCH.search, file) if found):
            pair = {current.get(cpu, prev), prev}
            count += len(pair) > 1 and any(int(tid) in tids for tid in pair)
            current[cpu] = following
    return count


def who(kind, name):
    """perf's stacks tell an interrupt from a thread, but not always which."""
    return "metal" if KINDS[kind] in METAL else name


def wakers_of(recording, tids):
    """(tid, who) -> waits; (tid, position, who, what it did) -> ns."""
    counts, parts = {}, {}
    hops = {(chain, position): who(kind, name) for chain, position, kind, name in
            recording.rows("SELECT chain, position, kind, name FROM hops")}
    numbers = {}
    for number, tid, chain, count, ns, hop_count in recording.rows(
            "SELECT s.id, t.tid, s.chain, s.count, s.ns, c.hop_count FROM sums s "
            "JOIN threads t ON t.id = s.thread JOIN chains c ON c.id = s.chain "
            "WHERE s.state = 3 AND c.chain_end <> ?", ENDS.index("not woken")):
        if tid not in tids:
            continue
        # Parts of waits that another row counts add time, and no wait.
        key = tid, hops.get((chain, 0), "nobody")
        counts[key] = counts.get(key, 0) + count
        numbers[number] = tid, chain
        if not hop_count:
            parts[tid, 0, "nobody", "rest"] = parts.get((tid, 0, "nobody", "rest"), 0) + ns
    for number, position, *share in recording.rows(
            "SELECT sum, position, ran_ns, no_cpu_ns, earlier_ns FROM shares"):
        if number not in numbers:
            continue
        tid, chain = numbers[number]
        for what, ns in zip(("ran", "no CPU", "earlier"), share):
            key = tid, position, hops.get((chain, position), "rest"), what
            parts[key] = parts.get(key, 0) + ns
    return counts, parts


def agreement(ours, theirs):
    common = sum(min(ours.get(key, 0), theirs.get(key, 0)) for key in ours)
    return common / max(sum(ours.values()), sum(theirs.values()))


def differences(ours, theirs):
    return sorted(((abs(ours.get(key, 0) - theirs.get(key, 0)), key, ours.get(key, 0),
                    theirs.get(key, 0)) for key in set(ours) | set(theirs)), reverse=True)[:12]


own, other = Recording("own.dwell"), Recording("theirs.dwell")
# Others may run the same programs here: only those that both saw from birth to end.
tids = {row[0] for row in own.rows(
    "SELECT tid FROM threads WHERE start_ns > 0 AND end_ns < (SELECT value FROM meta WHERE "
    "key = 'window_ns') AND comm IN (%s)" % ",".join("?" * len(NAMES)), *NAMES)}
own_counts, own_parts = wakers_of(own, tids)
other_counts, other_parts = wakers_of(other, tids)
waits, blocked = sum(own_counts.values()), sum(own_parts.values())
check(waits > 10000, f"only {waits} waits: the load does not run")
missing = gaps(text, tids) / waits
if missing > 0.01:
    skip(f"perf missed {100 * missing:.1f} % of the switches", is_optional=True)
same_wakers, same_parts = agreement(own_counts, other_counts), agreement(own_parts, other_parts)
print(f"{waits} waits of {len(tids)} threads, {blocked / S:.3f} s blocked, {100 * missing:.3f} % missed by "
      f"perf: {100 * same_wakers:.3f} % same wakers, {100 * same_parts:.3f} % same shares")
check(same_wakers >= 0.999 - missing,
      f"{100 * same_wakers:.3f} % same wakers: {differences(own_counts, other_counts)}")
check(same_parts >= 0.99 - missing,
      f"{100 * same_parts:.3f} % same shares: {differences(own_parts, other_parts)}")
check_chains(own)
check_chains(other)
