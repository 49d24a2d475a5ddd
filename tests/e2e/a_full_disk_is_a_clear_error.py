# SPDX-License-Identifier: GPL-2.0-or-later
"""On a disk that fills up, recording ends with one clear line, and what was written can be read. A
report that cannot be written says so too."""
from lib import *

need_root()
os.mkdir("disk")
run("mount", "-t", "tmpfs", "-o", "size=2m", "dwell-test", "disk")
cleanup(lambda: subprocess.run(["umount", "-l", os.path.join(TEMP, "disk")]))
# One process in short slices: all threads of a busy machine could fill the disk before the first
# commit, and one that starves still has rows in every slice.
player = background(workload("pingpong"), 10**9)
TARGET = ("-p", str(player.pid), "-d", "120", "--slice", "1ms")

result = dwell("record", *TARGET, "-o", "disk/full.dwell", status=None)
check(result.returncode == 2, f"exit status {result.returncode}: {result.stderr}")
check_one_line_error(result, "disk/full.dwell")
check("full" in result.stderr.replace("full.dwell", "") or "No space" in result.stderr,
      f"the disk is full, but it says: {result.stderr}")

recording = Recording("disk/full.dwell")
check(recording.window_ns > 20 * MS and recording.threads, "what was written is not readable")
shutil.copy(recording.path, "copy.dwell")
with sqlite3.connect("copy.dwell") as database:
    check(database.execute("PRAGMA integrity_check").fetchone() == ("ok",), "integrity")

with open("/dev/full", "w") as full:
    for args in (("report", recording.path), ("flame", "-f", recording.path), ("report", "--json",
                                                                              recording.path)):
        check_one_line_error(dwell(*args, stdout=full, status=2), "cannot write")

os.unlink(recording.path)
# In one go the report and the page still come, but the status is that of the recording.
shown = dwell(*TARGET, "-o", "disk/shown.dwell", "-q", status=2)
check("disk/shown.dwell: disk full" in shown.stderr, f"it says: {shown.stderr}")
check("threads lived" in shown.stdout, f"no report: {shown.stdout}")
