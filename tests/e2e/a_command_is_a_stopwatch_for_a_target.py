# SPDX-License-Identifier: GPL-2.0-or-later
"""`-p PID -- sleep 2` records PID for as long as the command runs, and not the command."""
from lib import *

sleeper = Workload("deep_sleeper")
sleeper.line()
start = time.monotonic()
recording = record("-p", sleeper.pid, command=["sleep", "2"])
elapsed_ns = (time.monotonic() - start) * S
check({t["pid"] for t in recording.threads} == {sleeper.pid}, f"{recording.threads}")
check_between("window", recording.window_ns, 1.99 * S, elapsed_ns)
check_books(recording)
record("-p", sleeper.pid, command=["sh", "-c", "exit 5"], status=5)
