# SPDX-License-Identifier: GPL-2.0-or-later
"""A cgroup's path as in /proc/PID/cgroup, its last part, a link to its folder, and its path in a
cgroup namespace all mean the same."""
from cgroup import *

need_root()
root = version_2_root()
if not root:
    skip("no version 2 cgroup hierarchy", is_optional=True)
name = f"dwell-test-{os.getpid()}.service"
group, = make_groups(root, f"dwell-test.slice/{name}")
sleeper = Workload("deep_sleeper")
sleeper.line()
join(group, sleeper.pid)
with open(f"/proc/{sleeper.pid}/cgroup") as file:
    kernels, = [line[3:].strip() for line in file if line.startswith("0::")]
os.symlink(group, "link")
for way in (kernels, name, os.path.abspath("link")):
    recording = record("-G", way, "-d", "0.3s")
    check({t["pid"] for t in recording.threads} == {sleeper.pid}, f"{way}: {recording.threads}")

# In a cgroup namespace that begins at the slice, paths are relative to it.
need_tool("unshare")
mounted = os.path.abspath("mounted")
os.mkdir(mounted)
run("unshare", "--cgroup", "--mount", "sh", "-c",
    f"echo $$ > {root}/dwell-test.slice/cgroup.procs; exec unshare --cgroup sh -c '"
    f"mount -t cgroup2 none {mounted} && {DWELL} record -G /{name} -d 0.3s -o inner.dwell'")
recording = Recording("inner.dwell")
check({t["pid"] for t in recording.threads} == {sleeper.pid}, f"inside: {recording.threads}")

if os.path.isdir("/sys/fs/cgroup/systemd"):
    result = dwell("record", "-G", "/sys/fs/cgroup/systemd", "-o", "none.dwell", status=2)
    check_one_line_error(result, "without a controller")
