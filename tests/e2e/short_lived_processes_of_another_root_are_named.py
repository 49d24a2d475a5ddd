# SPDX-License-Identifier: GPL-2.0-or-later
"""In a root of its own, as a container's, processes that live for a few milliseconds have their
program, and their functions have names, although the files are nowhere outside."""
from scale import *

NUMBER = 200 // SLOW
need_root()
for tool in ("chroot", "ldd"):
    need_tool(tool)
jail = os.path.abspath("jail")
os.mkdir(jail)
for name in ("spawner", "sleeper"):
    shutil.copy(workload(name), f"{jail}/jailed-{name}")
    for library in re.findall(r"(/\S+)", run("ldd", workload(name)).stdout):
        os.makedirs(os.path.dirname(jail + library), exist_ok=True)
        shutil.copy(library, jail + library)
recording = record(command=["chroot", jail, "/jailed-spawner", NUMBER, 2, "/jailed-sleeper", 1, 5])
check_no_lost_time(recording)
threads = recording.named("sleeper-0")
check(len(threads) == NUMBER, f"{len(threads)} of {NUMBER}")
check_share("with program", sum(t["exe"].endswith("/jailed-sleeper") for t in threads), NUMBER, 0.99)
check_objects(recording)
stacks = {stack: ns for stack, ns in recording.folded("offcpu", "--state", "blocked").items()
          if stack[0] == "sleeper-0" and "hrtimer_nanosleep" in stack}
named = weight(stacks, "take_nap")
check_share("ns under their function", named, sum(stacks.values()), 0.99)
