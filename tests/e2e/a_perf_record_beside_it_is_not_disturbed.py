# SPDX-License-Identifier: GPL-2.0-or-later
# alone, because it compares clocks
"""`perf record` ends well and its data can be read, though dwell listens to the kernel's records of
mappings at the same time and programs are started meanwhile: whoever asks for build-ids marks the
records of all others."""
from lib import *

need_root()
need_tool("perf")
for first in ("perf", "dwell"):
    perf = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "49", "-a", "-o", f"{first}.data",
            "--", "sleep", "2"]
    if first == "perf":
        theirs = background(*perf, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
    recorder = Recorder("-a")
    if first == "dwell":
        theirs = background(*perf, stderr=subprocess.DEVNULL)
    for _ in range(20):
        run("/bin/true")
        time.sleep(0.05)
    check(theirs.wait(HANGS_S) == 0, f"perf record, {first} first: status {theirs.returncode}")
    check_books(recorder.stop())
    script = run("perf", "script", "-i", f"{first}.data")
    check(script.stdout.strip(), f"perf script has nothing to say, {first} first")
