# SPDX-License-Identifier: GPL-2.0-or-later
"""A process with 60,000 executable mappings, 16,383 of which the kernel side can search, that goes
on mapping: its stacks are whole, as are those of a neighbour, and the recorder keeps up."""
from lib import *

need_root()
MAPPINGS = 60_000
mapper = Workload("mapper", MAPPINGS, "file")
mapper.line()
mapper.go()
made = mapper.line()["made"]
check(made == MAPPINGS, f"only {made} mappings: see vm.max_map_count")
neighbour = background("sh", "-c", "while :; do sleep 0.02; done")
recording = record("-p", f"{mapper.pid},{neighbour.pid}", "-d", "3s")
cost = recording.report["cost"]
# It was 2.2 of one CPU with half as many mappings, and it fell behind for five times the window.
check(cost["share_of_one_cpu"] < 1, f"the recorder was busy: {cost}")
accounting = recording.report["accounting"]
check(accounting["complete_user_stacks"]["by_time"] > 0.9, accounting)
losses = {loss["loss"]: loss["count"] for loss in accounting["losses"]}
check(not losses.get("unwind_tables"), f"no room for the mappings of others: {losses}")
