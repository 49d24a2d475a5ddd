# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it is long there, and other cases go through the same kernel code
"""A token goes around a ring of threads. Each waits for the one before it, and that one for the one
before: all the others are in the chain, in order, and none twice; of a ring that is longer than
--depth, as many as it says, and the rest is marked. A ring of two is a pipe to and fro."""
from wakers import *


def check_ring(threads, depth, expected):
    recording = record("-F", "0", "--depth", depth,
                       command=[workload("ring"), threads, 100])
    check_chains(recording)
    for own in range(threads):
        wanted = [f"r{(own - 1 - i) % threads}" for i in range(expected)]

        def is_right(chain):
            names = [hop.name for hop in chain.hops]
            return names and names == wanted[:len(names)] and all(
                hop.kind == "task" for hop in chain.hops)
        # The first round begins with the ring asleep, and its first token comes from outside. One
        # that is held up between passing the token on and waiting for it has a shorter chain.
        chains = chains_of(recording, f"r{own}")
        check_most(chains, is_right, f"r{own} of {threads}")
        whole = [chain for chain in chains if is_right(chain) and len(chain.hops) == expected]
        check(whole, f"r{own} of {threads}: none is whole")
        check_most(chains, lambda chain: is_right(chain) and len(chain.hops) >= expected - 1,
                   f"r{own} of {threads}, whole", share=0.5)
        want = "depth limit" if depth < threads - 1 else "awake"
        check_most(whole, lambda chain: chain.end == want, want, share=0.8)
        for chain in whole:
            check(chain.hops[0].waited_stack == 0, "a waited stack before the first hop")
            check(all(hop.waited_stack for hop in chain.hops[1:]), "no waited stack")


check_ring(5, 8, 4)
check_ring(20, 8, 8)
if SLOW == 1:
    check_ring(2, 8, 1)
    check_ring(12, 16, 11)
