# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because it is about wakes
"""Only one thread is recorded, but the chains of its waits name who woke it and who woke those, with
their stacks; they are no threads of the recording."""
from wakers import *

need_root()
recorder = Recorder("-n", "alice", "-F", "0")
# The first waits of each only tell who is to be followed.
run(workload("relay"), "40", "20", "5", "5")
recording = recorder.stop()
names = {row[0] for row in recording.rows("SELECT comm FROM threads")}
check(names == {"alice"}, f"recorded: {names}")
chains = chains_of(recording, "alice")
check_most([chain for chain in chains if chain.ns > 10 * MS * chain.count],
           has_hops(("task", "bob"), ("task", "carol"), TIMER), "alice <- bob <- carol", share=0.9)
best = max((chain for chain in chains if len(chain.hops) == 3), key=lambda chain: chain.count)
for hop, function in zip(best.hops, ("bob", "carol")):
    user = frames_of(recording, hop.user_stack)
    check(function in user, f"no function {function} in {user}")
check("do_nanosleep" in frames_of(recording, best.hops[2].waited_stack),
      f"carol waited in {frames_of(recording, best.hops[2].waited_stack)}")
slept = [frames_of(recording, row[0]) for row in recording.rows(
    "SELECT DISTINCT waited_user_stack FROM hops WHERE position = 2 AND waited_user_stack NOT BETWEEN 0 AND 15")]
check(any("carol" in frames for frames in slept), f"where carol slept in her program: {slept}")
check_chains(recording)
