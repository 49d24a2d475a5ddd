# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: only, because the CPUs of this machine are others' too
# timeout: 150
# machine: last
"""A CPU is taken away and brought back while dwell records: no thread loses time, what ran on it
afterwards is shown, sampled or not, and the report says that samples are missing."""
from load import *

ONLINE = "/sys/devices/system/cpu/cpu1/online"


def set_online(word):
    with open(ONLINE, "w") as file:
        file.write(word)


need_root()
if not os.path.exists(ONLINE):
    skip("needs a second CPU that can be switched off", is_optional=True)
cleanup(lambda: set_online("1"))
sleeper = background(workload("sleeper"), 10**9, 1, 2)
burner = background("sh", "-c", "read line; while :; do :; done", stdin=subprocess.PIPE)
recorder = Recorder("-p", f"{sleeper.pid},{burner.pid}", "--slice", "500ms")
set_online("0")
time.sleep(1)
set_online("1")
os.sched_setaffinity(burner.pid, {1})
burner.stdin.write(b"\n")
burner.stdin.flush()
time.sleep(1.5)
recording = recorder.stop()
deaf = [loss["count"] for loss in recording.report["accounting"]["losses"]
        if loss["loss"] == "cpus"]
check(deaf == [1], f"CPUs without samples, says the report: {deaf}")
check_books(recording)
check_books_by_slice(recording)
check_stored_figures(recording, recording.report["accounting"])
burnt = recording.thread(burner.pid)
check(burnt["running_ns"] > 0, f"it did not run: {burnt}")
# Samplers end with their CPU: what ran there afterwards may have no samples, but has its time.
shown_ns = sum(ns for stack, ns in recording.folded("oncpu").items() if stack[0] == burnt["comm"])
check(shown_ns == burnt["running_ns"], f"{shown_ns} ns of {burnt['running_ns']} are shown as running")
