# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because what a thread waits for is read from the kernel's own structures
"""Threads wait for a file, a pipe, a socket, a lock, a child, ..., each for one thing, and say which one
it was. Nine tenths and more of each one's blocked time are under that thing, with its kind, path or
name, address, port, inode, process or id."""
from awaited import *

let_tables_come()
wrong = []
for name in ("things", "sockets", "locks"):
    recording = record(command=[workload(name), TEMP])
    wrong += wrong_things(recording, recording.log)
check(not wrong, f"{len(wrong)} threads:\n" + "\n".join(wrong))
