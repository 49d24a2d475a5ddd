# SPDX-License-Identifier: GPL-2.0-or-later
# alone, because its tables have to come in time
"""Two libraries are loaded and unloaded in turns, each where the other was, with other code and
other frames: what was known of one is never believed of the other."""
from stacks import *

# The same layout, so that both have their functions at the same addresses; frames differ.
SOURCE = """
#include <time.h>
__attribute__((noinline, aligned(64))) void NAME_nap(void)
{
	volatile char frame[BYTES];
	struct timespec nap = {.tv_nsec = 4000000};
	frame[0] = frame[BYTES - 1] = 1;
	nanosleep(&nap, 0);
	frame[1] = frame[0];
}
__attribute__((aligned(64))) void wait_here(int naps)
{
	volatile char frame[2 * BYTES];
	frame[0] = 1;
	for (int i = 0; i < naps; i++)
		NAME_nap();
	frame[1] = frame[0];
}
"""
need_tool("cc")
let_tables_come()
libraries = []
for name, size in (("one", 64), ("two", 112)):
    with open(f"{name}.c", "w") as file:
        file.write(SOURCE.replace("NAME", name).replace("BYTES", str(size)))
    # Frames that only their description tells.
    run("cc", "-shared", "-fPIC", "-O1", "-fomit-frame-pointer", "-fno-stack-protector", "-o", f"{name}.so",
        f"{name}.c")
    libraries.append(os.path.abspath(f"{name}.so"))
recording = record("--audit", "1", command=[workload("swapper"), "40", "60", *libraries])
check(recording.log["same"] >= 20, f"the libraries were never at one place: {recording.log}")
losses = {loss["loss"]: loss["count"] for loss in recording.report["accounting"]["losses"]}
check(not losses.get("wrong_stacks"), f"wrong: {losses}")
stacks = recording.folded("offcpu", "-p", str(recording.log["pid"]))
naps = {stack: ns for stack, ns in stacks.items() if "clock_nanosleep" in ";".join(stack)}
total = sum(naps.values())
whole = sum(ns for stack, ns in naps.items()
            if any(f"{name}_nap" in stack and "wait_here" in stack and "main" in stack for name in ("one", "two")))
check(whole > 0.8 * total, f"only {whole / total:.3f} of the naps are whole: {list(naps)[:5]}")
# For some ms after a library was loaded its mapping is not known, and the other's description is used.
stale = sum(ns for stack, ns in naps.items() if ("one_nap" in stack or "two_nap" in stack) and "main" not in stack)
check(stale < 0.1 * total, f"{stale / total:.3f} of the naps are not under their caller")
