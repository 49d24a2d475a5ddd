# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: only, because the CPUs of this machine are others' too
# timeout: 150
# machine: last
"""A CPU is taken away and brought back while dwell records: no thread loses time, and what runs on
it afterwards is sampled again."""
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
check_books(recording)
check_books_by_slice(recording)
check_stored_figures(recording, recording.report["accounting"])
burnt = recording.thread(burner.pid)
check(burnt["running_ns"] > 0, f"it did not run: {burnt}")
(samples,), = recording.rows("SELECT coalesce(sum(count), 0) FROM sums_by_slice JOIN threads ON "
                             "threads.id = thread WHERE state = 'sample' AND tid = ?", burner.pid)
check(samples > 0, f"a thread that ran for {burnt['running_ns']} ns on CPU 1 has no sample")
