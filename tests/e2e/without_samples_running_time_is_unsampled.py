# SPDX-License-Identifier: GPL-2.0-or-later
"""-F 0 takes no samples: oncpu still has the whole running time, and says that it has no stacks."""
from lib import *

recording = record("-F", "0", command=[workload("two_burners"), "500"])
stacks = recording.folded("oncpu")
check(sum(stacks.values()) == sum(t["running_ns"] for t in recording.threads), "running time")
check(weight(stacks, "[unsampled]") == sum(stacks.values()), f"{stacks}")
