# SPDX-License-Identifier: GPL-2.0-or-later
"""`-p PID -- sleep 2` records PID for as long as the command runs, and not the command."""
from lib import *

sleeper = Workload("deep_sleeper")
sleeper.line()
recording = record("-p", sleeper.pid, command=["sleep", "2"])
check({t["pid"] for t in recording.threads} == {sleeper.pid}, f"{recording.threads}")
check_close("window", recording.window_ns, 2 * S, abs_ns=BUSY_NS)
check_books(recording)
record("-p", sleeper.pid, command=["sh", "-c", "exit 5"], status=5)
