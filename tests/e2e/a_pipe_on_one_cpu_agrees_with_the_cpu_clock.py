# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it compares clocks
# alone, because it compares clocks
"""Two threads that hand a byte to and fro on one CPU, tens of thousands of times: their running
time is what the kernel's CPU clock says."""
from lib import *

recording = record(command=[workload("pingpong"), "1500", "pinned"])
check_books(recording)
for log in recording.log["threads"]:
    player = recording.thread(log["tid"])
    check_life(player, log["wall_ns"])
    # The clock does not count what the tracer does between two threads; slow machines show it.
    if has_cpu_clock(log["cpu_ns"], log["wall_ns"]):
        check_thread(player, running_ns=(log["cpu_ns"], 0.05 if SLOW == 1 else 0.15, 10 * MS))
    check_against_own_clocks(player, log)
