# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because the tracepoint of renames differs
"""A thread that changes its name in the window is one thread, under its last name, with all its
time."""
from lib import *

recording = record(command=[workload("renamer"), "300"])
log, = recording.log["threads"]
thread = recording.thread(log["tid"])
check(thread["comm"] == "butterfly", f"name: {thread}")
check_slept("two naps of 300 ms", thread["blocked_ns"], 600 * MS, rel=0.03)
check_life(thread, log["wall_ns"])
