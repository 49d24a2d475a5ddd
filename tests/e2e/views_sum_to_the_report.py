# SPDX-License-Identifier: GPL-2.0-or-later
"""offcpu sums to runnable + blocked of all threads, runq to runnable, oncpu to running, hotcold to
life, and wakeup, offwake and chain to blocked: to the nanosecond, and rounding to other units is
carried."""
from lib import *

background(workload("hogs"), 20000)
background(workload("forker"), 1000, 20)
recording = record("-a", command=[workload("pingpong"), "1500"])
life = check_books(recording)
total = {state: sum(t[state] for t in recording.threads)
         for state in ("running_ns", "runnable_ns", "blocked_ns")}
wanted = {"oncpu": total["running_ns"], "runq": total["runnable_ns"],
          "offcpu": total["runnable_ns"] + total["blocked_ns"], "hotcold": life,
          "wakeup": total["blocked_ns"], "offwake": total["blocked_ns"],
          "chain": total["blocked_ns"]}
for view, want in wanted.items():
    for by in ("comm", "process", "thread"):
        got = sum(recording.folded(view, "--by", by).values())
        check(got == want, f"{view} by {by}: {got} ns, not {want}: {got - want:+}")
    for unit, ns in (("us", 1000), ("ms", MS)):
        got = sum(folded(recording.path, view, unit=unit).values())
        check(abs(got - want / ns) <= 1, f"{view} in {unit}: {got}, not {want / ns}")
for view, *options in (("offcpu", "--state", "blocked"), ("chain", "--weight", "cause")):
    blocked = sum(recording.folded(view, *options).values())
    check(blocked == total["blocked_ns"], f"{view}: {blocked}, not {total['blocked_ns']}")

hide = sum(int(line.rpartition(" ")[2]) for line in dwell(
    "flame", recording.path, "-f", "--unit", "ns", "--idle", "hide").stdout.splitlines())
only = sum(int(line.rpartition(" ")[2]) for line in dwell(
    "flame", recording.path, "-f", "--unit", "ns", "--idle", "only").stdout.splitlines())
check(only > 0 and hide > 0 and hide + only == wanted["offcpu"], "idle and not idle are the whole")
