# SPDX-License-Identifier: GPL-2.0-or-later
"""A thousand functions that one pattern fits are watched at once, each with its own figures, and given up again
without delay; where the kernel would take its time for that, it is refused."""
from calls import *

need_root()
ROUNDS = 20
callers = Workload("many_functions", ROUNDS)
recorder = Recorder("-p", callers.pid, *calls_of(["f_*"]), "--force")
callers.go()
log = callers.line()
recording = recorder.stop()
callers.end()
check(log["calls"] == 1000 * ROUNDS, f"{log}")
check_laws(recording)
counts = {one["name"]: one["count"] for one in recording.report["calls"]}
want = {f"many_functions:f_{number:04}": ROUNDS for number in range(1000)}
off = {name: counts.get(name) for name in want if counts.get(name) != ROUNDS}
check(counts == want, f"{len(counts)} functions; counted otherwise: {dict(list(off.items())[:9])}")

text = dwell("report", recording.path).stdout
check(re.search(r"^9\d\d more functions", text, re.M), text)
full = dwell("report", recording.path, "--full").stdout
check(all(name in full for name in want), "--full leaves some out")

# A pattern of which some are there and not called; and one too wide.
callers = Workload("many_functions", 1)
recorder = Recorder("-p", callers.pid, *calls_of(["f_000?", "f_0999", "main"]))
callers.go()
callers.line()
recording = recorder.stop()
callers.end()
counts = {one["name"].split(":")[-1]: one["count"] for one in recording.report["calls"]}
check(counts == {**{f"f_000{digit}": 1 for digit in range(10)}, "f_0999": 1, "main": 0}, f"{counts}")
check("not called: many_functions:main" in dwell("report", recording.path).stdout, "main was begun before all this")
