# SPDX-License-Identifier: GPL-2.0-or-later
"""tools/soak in small: some seconds of its load pass; memory that grows, books that do not balance,
and things left behind are each a fault."""
import subprocess
from soaking import *

need_root()
soak = Soak(4, is_alone=False)
faults = soak.run()
check(not faults, f"{faults}")
check(soak.reads and soak.user, f"{len(soak.reads)} reads, {len(soak.user)} samples")

# It can fail: two MiB an hour, a file and a program that stay.
check_close("slope", growth_per_h([(s, 5 * MIB + s * 2 * MIB / 3600) for s in range(100)]), 2 * MIB,
            rel=0.01)
check(growth_per_h([(s, (10 if s < 50 else 20) * MIB) for s in range(100)]) > 10 * MIB, "a step")
check(not growth_per_h([(s, (50 if s == 99 else 20) * MIB) for s in range(100)]), "a peak")
soak.seconds = 3600
soak.user = [(s, 2 * MIB / 3600 * s) for s in range(0, 3600, 30)]
soak.kernel = [(s, 50 * MIB) for s in range(0, 3600, 30)]
soak.judge_growth()
check(len(soak.faults) == 1 and "user space grows by 2.00 MiB/h" in soak.faults[0], f"{soak.faults}")
open("temporary/left", "w").close()
second = Recorder("-p", background("sleep", "60").pid, path="second.dwell")
soak.held = {"prog": programs_of(second.pid)}
soak.judge_orphans()
check(len(soak.faults) == 3, f"{soak.faults}")
check(run(f"{TOP}/tools/soak", "--help").stdout, "no help")
