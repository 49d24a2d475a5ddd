# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 700
"""Six minutes in slices of 10 ms: dwell's memory does not grow with the number of slices, the file
grows in proportion, and the books are exact to the end."""
import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/e2e")
from load import *

SLICES = 36000


def resident_kib(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(next(line for line in file if line.startswith("VmRSS:")).split()[1])


ping = Workload("pingpong", 1_000_000)
recorder = Recorder("-p", ping.pid, "--slice", "10ms", "-d", f"{SLICES // 100}s")
samples = []
while recorder.process.poll() is None:
    try:
        samples.append((resident_kib(recorder.pid), os.path.getsize(recorder.path)))
    except (OSError, StopIteration):
        pass
    time.sleep(5)
recording = recorder.wait()

warm = samples[len(samples) // 6][0]
late = max(kib for kib, _ in samples[len(samples) // 2:])
check(late <= warm * 1.1 + 2048, f"memory grew from {warm} KiB to {late} KiB: {samples}")
half, full = samples[len(samples) // 2][1], samples[-1][1]
check(full < 2.5 * half, f"the file grew from {half} to {full} bytes in the second half")
check(full < SLICES * 4096, f"{full} bytes for {SLICES} slices of two threads")

(slices,), = recording.rows("SELECT count(*) FROM slices")
check(abs(slices - SLICES) <= 2, f"{slices} slices")
check_books(recording)
check_books_by_slice(recording)
check(recording.report["accounting"]["lost_events"] == 0, f"{recording.report['accounting']}")
