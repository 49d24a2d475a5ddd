# SPDX-License-Identifier: GPL-2.0-or-later
"""A thread that changes its name in the window is one thread, under its last name, with all its
time."""
from lib import *

recording = record(command=[workload("renamer"), "300"])
log, = recording.log["threads"]
thread = recording.thread(log["tid"])
check(thread["comm"] == "butterfly", f"name: {thread}")
check_thread(thread, blocked_ns=(600 * MS, 0.03, 5 * MS))
check_life(thread, log["wall_ns"])
