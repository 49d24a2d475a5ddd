# SPDX-License-Identifier: GPL-2.0-or-later
# alone, because it loads the machine
"""A process that makes many more rows than its first tables are meant for gets larger ones while it
is recorded: no row is missing, and all time is there."""
from scale import *

need_root()
MIB = 1 << 20
THREADS = 4000
sleeper = background("sleep", "1000")
small = record("-p", sleeper.pid, "-d", 1).report["cost"]["table_bytes"]
pulse = Workload("pulse", THREADS, 300)
pulse.line()
recording = record("-p", pulse.pid, "-d", 8)
check_books(recording)
check_no_lost_time(recording)
meta = recording.meta()
# What the threads remember takes 9 MiB more.
check(small + 16 * MIB < meta["table_bytes"] <= 256 * MIB,
      f"{meta['table_bytes']} bytes of tables, {small} for one thread")
