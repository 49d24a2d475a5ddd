# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because it is about births and wakes
"""Only the one that asks is recorded. Each answer comes from a thread that was made for it and wakes
nobody else: from the second one on, what it did before is known nevertheless."""
from wakers import *

need_root()
recorder = Recorder("-n", "asker", "-F", "0")
run(workload("per_request"), "60")
recording = recorder.stop()
check({row[0] for row in recording.rows("SELECT comm FROM threads")} == {"asker"}, "others are recorded")
chains = [chain for chain in chains_of(recording, "asker") if chain.ns > 5 * MS * chain.count]
check_most(chains, has_hops(("task", "server"), TIMER), "asker <- server <- its timer", share=0.9)
check_chains(recording)
