# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because each has its own way to walk a sleeper's stack
"""With a budget that is far too small only few stacks are kept: books are exact all the same, what was kept
stands for the rest in the right proportion, and long waits keep their stacks."""
from lib import *

FUNCTIONS = ("wait_often", "wait_seldom", "wait_long")
recording = record("--budget", "0.1%", "-F", "0", command=[workload("three_waits"), str(4000 * SLOW)])
check_books(recording)
meta = recording.meta()
check(meta["thinned"] > 10 * meta["chosen"] > 0, f"{meta['thinned']} left out, {meta['chosen']} kept by chance")

# Where walking a stack takes as long as on an emulated machine, waits of a burst are longer than all others: what
# stands for those is next to nothing.
alike = () if SLOW == 1 else ("--min-wait", "10us", "--max-wait", "100us")
blocked = recording.folded("offcpu", "--state", "blocked", "-n", "asker", *alike)
found = {name: sum(ns for stack, ns in blocked.items() if name in stack) for name in FUNCTIONS}

# Answers to short questions are alike, so that time goes by count. Four standard deviations, by the bursts
# of the one CPU that they are on.
short = found["wait_often"] + found["wait_seldom"]
deviation = (0.7 * 0.3 * meta["cpus"] / meta["bursts"]) ** 0.5
check_close("share of wait_often()", found["wait_often"] / short, 0.7, abs_ns=max(0.05, 4 * deviation))

# Long waits are few: those whose user stack was left out still have what the kernel was doing.
long = recording.rows("SELECT kernel_stack, awaited FROM sums JOIN threads ON threads.id = sums.thread WHERE comm = 'asker' "
                      "AND state = 3 AND band BETWEEN 4 AND 5")
check(len(long) > 5, f"{len(long)} rows of long waits")
check(not [stack for stack, _ in long if 0 <= stack < 16], f"long waits without their kernel stacks: {long}")
# And what they were for, which takes more than the kind; without stacks nothing is told.
untold = [awaited for _, awaited in long if 0 <= awaited < 64]
check(len(untold) <= 0.1 * len(long), f"long waits without their things: {long}")
thinned = recording.rows("SELECT count(*), sum(awaited <> 0) FROM sums WHERE state = 3 AND kernel_stack = 7")
check(thinned[0][0] and not thinned[0][1], f"rows without stacks, and with things: {thinned}")

report = recording.report["cost"]["budget"]
check(report["thinned"] == meta["thinned"] and report["share"] == 0.001, f"report: {report}")
said = dwell("report", recording.path).stdout
check("overflow" not in said, f"no table was full: {said}")
check("stacks left out" in said and "above it: " in said, said)
