# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because entries of interrupts differ
# alone, because it loads both CPUs
"""While every CPU computes, and faults pages in, timers wake a sleeper: what was interrupted is never
in its chain, neither by name nor by its frames."""
from wakers import *

hogs = [background(sys.executable, "-c", """
import ctypes, mmap
ctypes.CDLL(None).prctl(15, b'hog', 0, 0, 0)
while True:
    memory = mmap.mmap(-1, 1 << 20)
    for at in range(0, 1 << 20, 4096):
        memory[at] = 1
    memory.close()
""") for _ in os.sched_getaffinity(0)]
time.sleep(0.5)
recording = record("-F", "0", command=[workload("wakes"), "sleep", 500 if SLOW == 1 else 100])
chains = chains_of(recording, "waiter", inside="do_nanosleep")
check_most(chains, has_hops(TIMER), "sleeping by a timer", share=0.99)
for chain in chains:
    for hop in chain.hops:
        check(hop.name != "hog", f"a hog is blamed: {shape(chain)}")
        if hop.kind in METAL:
            kernel = frames_of(recording, hop.kernel_stack)
            check(hop.user_stack == 0, f"metal with a user stack: {shape(chain)}")
            check(kernel[0] == "try_to_wake_up" and kernel[-1].startswith("asm_"),
                  f"not cut at the interrupt: {kernel}")
check_chains(recording)
