# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it compares clocks
"""--waker-stacks-from leaves out the stacks of wakers of shorter waits, not their names, and counts
them; --depth 0 records no chains at all."""
from wakers import *

NO_WAKER_STACK = 6
ROUNDS = 200 if SLOW == 1 else 40
PAUSE_MS = 1 if SLOW == 1 else 20

for way, hops in (("pipe", (("task", "waker"), TIMER)), ("sleep", (TIMER,)),
                  ("tcp", ((("task", "softirq in task"), "waker"), TIMER))):
    recording = record("-F", "0", "--waker-stacks-from", "60s",
                       command=[workload("wakes"), way, ROUNDS, PAUSE_MS])
    chains = chains_of(recording, "waiter")
    check_most([chain for chain in chains if chain.ns > PAUSE_MS * MS // 5 * chain.count],
               has_hops(*hops), way, share=0.95 if SLOW == 1 else 0.7)
    for chain in chains:
        for hop in chain.hops:
            check(hop.kernel_stack == NO_WAKER_STACK, f"a stack in {shape(chain)}")
    left_out = dict(recording.rows("SELECT name, count FROM losses")).get("waker_stacks", 0)
    # A wait that is over before it begins has no waker, and here some wakes are not seen.
    check(left_out >= (ROUNDS if SEES_ALL else 0.9 * ROUNDS), f"only {left_out} were counted")
    check_chains(recording)

recording = record("-F", "0", "--depth", "0", command=[workload("wakes"), "pipe", ROUNDS])
check(recording.rows("SELECT count(*) FROM chains")[0][0] == 0, "chains in spite of --depth 0")
check(recording.meta()["chain_depth"] == 0, "the recording says that it has chains")
check(recording.rows("SELECT count(*) FROM sums WHERE chain <> 0")[0][0] == 0, "rows with chains")
