# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it depends on how soon tables come
# alone, because its tables have to come in time
"""In a root of its own, as a container's, processes that live for a few milliseconds have their
program, and their functions have names, although the files are nowhere outside."""
from jail import *
from scale import *

NUMBER = 200 // SLOW
need_root()
jail = make_jail("spawner", "sleeper")
recording = record(command=in_jail(jail, "/jailed-spawner", NUMBER, 2, "/jailed-sleeper", 1, 5))
check_no_lost_time(recording)
threads = recording.named("sleeper-0")
check(len(threads) == NUMBER, f"{len(threads)} of {NUMBER}")
programs = sum(t["exe"].endswith("/jailed-sleeper") for t in threads)
check_share("with program", programs, NUMBER, 0.99)
check_objects(recording)
stacks = {stack: ns for stack, ns in recording.folded("offcpu", "--state", "blocked").items()
          if stack[0] == "sleeper-0" and "hrtimer_nanosleep" in stack}
# How many are over before their unwind tables are there depends on the machine; these say so.
named = weight(stacks, "take_nap")
early = sum(ns for stack, ns in stacks.items() if stack[1] in ("[tables not loaded yet]", "[unknown mapping]"))
check_share("ns under their function", named, sum(stacks.values()), 0.1)
check_share("ns under their function, or too early for it", named + early, sum(stacks.values()), 0.99)
