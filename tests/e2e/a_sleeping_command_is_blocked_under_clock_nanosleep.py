# SPDX-License-Identifier: GPL-2.0-or-later
"""`dwell record -- sleep 3`: sleep is blocked 3.00 s (1 %) below clock_nanosleep."""
from lib import *

recording = record(command=["sleep", "3"])
stacks = recording.folded("offcpu", "--state", "blocked")
check_slept("blocked below clock_nanosleep", weight(stacks, "clock_nanosleep", root="sleep"), 3 * S,
            rel=0.01)

sleeper, = recording.named("sleep")
check_slept("blocked in all", sleeper["blocked_ns"], 3 * S, rel=0.01)
check_slept("the wait in the report",
            sum(w["total_ns"] for w in recording.report["waits"]
                if w["name"] == "sleep" and w["reason"] == "sleep"), 3 * S, rel=0.01)
check_books(recording)
