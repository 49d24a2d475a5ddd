# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because it is the law, on any kernel
# alone, because it loads both CPUs
"""Under stress-ng, perf bench and a parallel build every thread's running + runnable + blocked is
its life in the window, in all and slice by slice, and the recording stores the figure."""
from load import *

start_mixed_load()
sleeper = Workload("deep_sleeper")
tids = sleeper.line()
recording = record("-a", "-d", "3s", "--slice", "500ms")

check(len(recording.threads) > 50, f"only {len(recording.threads)} threads under this load")
life = check_books(recording)
check_books_by_slice(recording)

accounting = recording.report["accounting"]
check_close("expected_ns", accounting["expected_ns"], life, rel=0.0001)
check_close("accounted_ns", accounting["accounted_ns"], accounting["expected_ns"], rel=0.001)
check_stored_figures(recording, accounting)

# The law would also hold for lives that are measured wrongly; these are known.
for name in ("sleep", "pipe", "futex", "poll"):
    check_thread(recording.thread(tids[name]), life_ns=(recording.window_ns, 0, MS),
                 blocked_ns=(recording.window_ns, 0, MS))
