# SPDX-License-Identifier: GPL-2.0-or-later
# alone, because it compares clocks
"""Alice waits for Bob, who computes after Carol, who computes after a timer: the chain has the three
of them in that order, and each one's share is within 2 ms a wait of what they logged themselves."""
from wakers import *

recording = record(command=[workload("relay"), "20"])
log = recording.log
chains = chains_of(recording, "alice", inside="anon_pipe_read") or chains_of(recording, "alice")
in_order = has_hops(("task", "bob"), ("task", "carol"), TIMER)
check_most(chains, in_order, "alice <- bob <- carol <- timer", share=0.9)
for chain in chains:
    parts = sum(hop.ran_ns + hop.no_cpu_ns + hop.earlier_ns for hop in chain.hops) + chain.rest_ns
    check(parts == chain.ns, f"shares of {shape(chain)} are {parts}, the waits {chain.ns}")

# Of a thread: from its wake, so with the time until it had a CPU, which its own log cannot hold; and
# what it did before its last wait. What all of them logged is nearly all of the wait.
def share_of(position, name):
    return sum(hop.ran_ns + hop.no_cpu_ns + hop.earlier_ns for chain in chains
               for hop in chain.hops[position:position + 1] if hop.name == name)

rounds = log["rounds"]
slack = 2 * MS * rounds + (log["wait_ns"] - log["bob_ns"] - log["carol_ns"] - log["timer_ns"])
check_close("timer", share_of(2, "hrtimer_wakeup"), log["timer_ns"], abs_ns=slack)
check_close("carol", share_of(1, "carol"), log["carol_ns"], abs_ns=slack)
check_close("bob", share_of(0, "bob"), log["bob_ns"], abs_ns=slack)

# Bob computes 20 ms and Carol 10 ms each time by their own CPU clocks, whoever takes their CPU away meanwhile. What a
# hypervisor takes is in no such clock and looks like running, so that they may have run for all that they logged.
def ran(position, name):
    return sum(hop.ran_ns for chain in chains for hop in chain.hops[position:position + 1]
               if hop.name == name)

for position, name, computed in ((0, "bob", 20 * MS), (1, "carol", 10 * MS)):
    check_between(f"{name} ran", ran(position, name), (computed - 2 * MS) * rounds, log[f"{name}_ns"] + 2 * MS * rounds)
check_chains(recording)
