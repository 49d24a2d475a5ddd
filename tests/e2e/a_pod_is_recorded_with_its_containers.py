# SPDX-License-Identifier: GPL-2.0-or-later
"""-G takes a pod's uid as kubectl shows it, whichever way it is written into the cgroup's name, and
records all its containers; a name that fits several cgroups is refused with two of them."""
from cgroup import *

need_root()
root = version_2_root()
if not root:
    skip("no version 2 cgroup hierarchy", is_optional=True)
mark = f"{os.getpid():08x}"
uid = f"{mark}-89ab-4cde-8f01-23456789abcd"
first, second = (mark + digit * 56 for digit in "12")
slice_ = (f"dwell-kubepods.slice/kubepods-burstable.slice/"
          f"kubepods-burstable-pod{uid.replace('-', '_')}.slice")
groups = make_groups(root, f"{slice_}/cri-containerd-{first}.scope",
                     f"{slice_}/cri-containerd-{second}.scope")
sleepers = [Workload("deep_sleeper"), Workload("deep_sleeper")]
for sleeper, group in zip(sleepers, groups):
    sleeper.line()
    join(group, sleeper.pid)
for name in (uid, f"pod{uid}"[:14].replace("-", "_")):
    recording = record("-G", name, "-d", "0.5s")
    check({t["pid"] for t in recording.threads} == {s.pid for s in sleepers}, f"{name}: "
          f"{recording.threads}")
    check({t["container"] for t in recording.threads} == {first, second}, f"{name}: containers")
recording = record("-G", f"containerd://{second}", "-d", "0.5s")
check({t["pid"] for t in recording.threads} == {sleepers[1].pid}, f"{recording.threads}")

# The eight digits that all of them share are the pod's, which is around the others.
recording = record("-G", mark, "-d", "0.5s")
check({t["pid"] for t in recording.threads} == {s.pid for s in sleepers}, f"{recording.threads}")
apart, = make_groups(root, f"dwell-apart.slice/crio-{mark}{'3' * 56}.scope")
result = dwell("record", "-G", mark, "-d", "1", "-o", "none.dwell", status=2)
check_one_line_error(result, slice_, os.path.basename(apart), "2 cgroups")
check(not os.path.exists("none.dwell"), "a file was left behind")
result = dwell("record", "-G", "0" * 64, "-d", "1", "-o", "none.dwell", status=2)
check_one_line_error(result, "0" * 64)
