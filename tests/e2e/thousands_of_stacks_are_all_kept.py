# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it is long
# alone, because its tables have to come in time
"""Twenty thousand waits, each on a user stack of its own, in tables that hold a fraction of them at
a time: no time is lost, and every wait has its stack."""
from scale import *

NUMBER = 20_000 // SLOW
recording = many_stacks(NUMBER, 8)
with_stack, waits, distinct = stacks_of_waits(recording)
# A nap whose timer was faster than the switch is no wait.
check_share("waits", waits, NUMBER, 0.95)
check_share("waits with a stack", with_stack, waits, 0.99)
print("shared:", shared_stacks(recording), flush=True)
check_share("distinct stacks", distinct, with_stack, 0.99)
overflow = [loss for loss in recording.report["accounting"]["losses"]
            if loss["loss"] in ("overflow", "stacks")]
lost = sum(loss["count"] for loss in overflow)
check(waits - with_stack <= lost + 5, f"{waits - with_stack} waits without a stack, told: {lost}")
