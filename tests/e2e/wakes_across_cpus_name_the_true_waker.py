# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because it is about wakes
"""Two threads on different CPUs wake each other: the partner is the waker, with the function that it
wrote in, and not the interrupt by which its CPU tells the other one (sched_wakeup would say so)."""
from wakers import *

need_cpus(2)
let_tables_come()
recording = record("-F", "0", command=[workload("pingpong"), 1000, "apart"])
for own, partner in (("ping", "pong"), ("pong", "ping")):
    chains = chains_of(recording, own)
    check(sum(chain.count for chain in chains) > 20, f"{own} hardly waited: {chains}")
    check_most(chains, lambda chain: chain.hops and chain.hops[0].kind == "task" and
               chain.hops[0].name == partner, f"{own} <- {partner}", share=0.95)
    best = max(chains, key=lambda chain: chain.count)
    kernel = frames_of(recording, best.hops[0].kernel_stack)
    user = frames_of(recording, best.hops[0].user_stack)
    check(kernel and kernel[0] == "try_to_wake_up", f"the waker's kernel stack is {kernel}")
    check(any("pipe_write" in frame for frame in kernel), f"no pipe_write in {kernel}")
    check(not any(is_tracer_frame(frame) for frame in kernel), f"tracer in {kernel}")
    check("hit_ball" in user or "player_main" in user, f"the waker's user stack is {user}")
check_chains(recording)
