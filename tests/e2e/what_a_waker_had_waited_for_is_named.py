# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because what a thread waits for is read from the kernel's own structures
"""Alice waits at a pipe for Bob, who had waited at another one for Carol, who had slept. Her chain says so:
her wait is for her pipe, what Bob was woken from is his, and of Carol's sleep nothing is told."""
from awaited import *

HOPS = ("SELECT h.position, h.name, coalesce((SELECT word FROM words WHERE kind = 'awaited_kind' AND number = a.kind),"
        " 'none'), coalesce(a.address, 0), sum(s.ns) FROM sums s JOIN threads t ON t.id = s.thread"
        " JOIN hops h ON h.chain = s.chain LEFT JOIN awaited a ON a.id = h.waited_for"
        " WHERE s.state = 3 AND t.comm = 'alice' AND s.kernel_stack = ? GROUP BY 1, 2, 3, 4")

recording = record(command=[workload("relay"), "20"])
log = recording.log
# Where alice waits for most of the time: in her read.
[[stack, _]] = recording.rows("SELECT kernel_stack, sum(ns) FROM sums s JOIN threads t ON t.id = s.thread"
                              " WHERE state = 3 AND comm = 'alice' GROUP BY 1 ORDER BY 2 DESC LIMIT 1")
wanted = {(1, "carol"): ("pipe", log["bob_inode"]), (2, "hrtimer_wakeup"): ("none", 0)}
found = {}
for position, name, *thing, ns in recording.rows(HOPS, stack):
    found.setdefault((position, name), {})[tuple(thing)] = ns
[[tid]] = recording.rows("SELECT tid FROM threads WHERE comm = 'alice'")
own = things_of(recording, tid, "alice")
wrong = [f"{hop}: not {thing} but {found.get(hop)}" for hop, thing in wanted.items()
         if found.get(hop, {}).get(thing, 0) < 0.9 * sum(found.get(hop, {0: 1}).values())]
if (own[0].kind, own[0].address) != ("pipe", log["alice_inode"]):
    wrong.append(f"alice: not pipe {log['alice_inode']} but {text_of(own[0])}")
check(not wrong, "\n".join(wrong))
