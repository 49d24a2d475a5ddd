# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
"""Two hundred thousand waits, each on a user stack of its own, with much memory and with little: no
time is lost, waits without their stack are counted, and memory is within bounds."""
import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/e2e")
from scale import *

NUMBER = 200_000
for memory_mib, least in ((256, 0.99), (8, 0.0)):
    recording = many_stacks(NUMBER, memory_mib)
    with_stack, waits, distinct = stacks_of_waits(recording)
    check_share("waits", waits, NUMBER, 0.95)
    check_share("waits with a stack", with_stack, waits, least)
    check_share("distinct stacks", distinct, with_stack, 0.99)
    losses = {loss["loss"]: loss["count"] for loss in recording.report["accounting"]["losses"]}
    print("losses:", losses, flush=True)
    lost = losses.get("overflow", 0) + losses.get("stacks", 0)
    check(waits - with_stack <= lost + 100, f"{waits - with_stack} without a stack, told: {lost}")
    start = time.monotonic()
    stacks = recording.folded("offcpu", "--state", "blocked")
    print(f"{len(stacks)} folded lines in {time.monotonic() - start:.1f} s", flush=True)
    check(len(stacks) >= distinct * 0.99, f"{len(stacks)} lines of {distinct} stacks")
    check(lost or sum(stacks.values()) == sum(t["blocked_ns"] for t in recording.threads),
          "the view does not sum to the report")
