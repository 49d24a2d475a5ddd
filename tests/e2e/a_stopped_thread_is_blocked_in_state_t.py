# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it is long there, and other cases go through the same kernel code
"""A process that is stopped by a signal is blocked in state T until it is continued."""
from lib import *

burner = background(workload("two_burners"), 30000)
recorder = Recorder("-p", burner.pid)
os.kill(burner.pid, signal.SIGSTOP)
start = time.monotonic()
time.sleep(1)
os.kill(burner.pid, signal.SIGCONT)
stopped_ns = (time.monotonic() - start) * S
time.sleep(0.2)
recording = recorder.stop()

check_close("blocked", recording.thread(burner.pid)["blocked_ns"], stopped_ns,
            abs_ns=BUSY_NS)
check(recording.thread(burner.pid)["blocked_ns"] > 0.5 * stopped_ns, "hardly blocked")
stops = [w for w in recording.report["waits"] if w["state"] == "T"]
check_close("blocked in state T", sum(w["total_ns"] for w in stops), stopped_ns,
            abs_ns=BUSY_NS)
check({w["reason"] for w in stops} == {"stopped"}, f"{stops}")
check_close("--state T", sum(recording.folded("offcpu", "--state", "T").values()), stopped_ns,
            abs_ns=BUSY_NS)
check_books(recording)
