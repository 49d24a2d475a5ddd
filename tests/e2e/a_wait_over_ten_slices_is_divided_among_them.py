# SPDX-License-Identifier: GPL-2.0-or-later
"""A wait that spans ten slices has a tenth of its time in each of them, and is counted once."""
from lib import *

recording = record("--slice", "100ms", command=[workload("sleeper"), "1", "1200"])
log, = recording.log["threads"]
(thread,), = recording.rows("SELECT id FROM threads WHERE tid = ?", log["tid"])
slices = recording.rows("SELECT slice, sum(ns) FROM sums_by_slice WHERE thread = ? AND "
                        "state = 'blocked' GROUP BY slice ORDER BY slice", thread)

full = [ns for _, ns in slices if ns == 100 * MS]
check(len(full) >= 10, f"whole slices: {len(full)} in {slices}")
check_slept("all slices together", sum(ns for _, ns in slices), 1200 * MS, rel=0.02)
naps = [w for w in recording.report["waits"] if w["name"] == "sleeper-0" and w["reason"] == "sleep"]
check(sum(w["count"] for w in naps) == 1, f"one nap was taken, not {naps}")
check_slept("the longest wait", max(w["max_ns"] for w in naps), 1200 * MS, rel=0.02)

# Unasked for, slices are short only in recordings that a page shows slice by slice.
for duration, slice_ns in (("12s", 100 * MS), ("13s", S), (None, S)):
    recording = record(*(("-d", duration) if duration else ()), command=["true"])
    check(recording.meta()["slice_ns"] == slice_ns, f"-d {duration}: {recording.meta()}")
check(record("-d", "9s", "--slice", "3s", command=["true"]).meta()["slice_ns"] == 3 * S, "--slice 3s")
