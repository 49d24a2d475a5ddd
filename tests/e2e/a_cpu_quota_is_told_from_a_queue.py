# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because each has its own way to hold threads back
"""A program that computes in a cgroup with a fifth of a CPU is ready most of the time while CPUs are
idle. The report says that the quota held it back, for as long as the kernel says; without one it does
not. How busy the CPUs were is said of one process, too."""
from cgroup import *

need_root()
PERIOD_US = 100_000
roots = [(version_2_root(), "cpu.max", f"{PERIOD_US // 5} {PERIOD_US}"),
         ("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", str(PERIOD_US // 5))]


def limited_group():
    """A group with a quota, by whichever version has the controller."""
    for root, file, text in roots:
        if not root or not os.path.isdir(root):
            continue
        outer, _ = new_cgroup(root)
        if os.path.exists(os.path.join(outer, file)):
            with open(os.path.join(outer, file), "w") as quota:
                quota.write(text)
            return outer
    skip("no cgroup with a CPU quota", is_optional=True)


def held_back(group):
    with open(os.path.join(group, "cpu.stat")) as file:
        found = dict(line.split() for line in file)
    return int(found["throttled_usec"]) * 1000 if "throttled_usec" in found else int(found["throttled_time"])


group = limited_group()
hog = background("sh", "-c", "while :; do :; done")
join(group, hog.pid)
time.sleep(0.3)
before = held_back(group)
recording = record("-p", hog.pid, "-d", "2s")
most = held_back(group) - before
[[told]] = recording.rows("SELECT value FROM meta WHERE key = 'held_back_ns'")
print(f"held back {told} of at most {most} ns", flush=True)
check(0.5 * recording.window_ns < int(told) <= most, f"held back {told}, the kernel says {most}")
text = " ".join(dwell("report", recording.path).stdout.split())
check(len(re.findall(r"[Hh]eld back by the CPU quota of its cgroup", text)) == 2, text)
[[by_quota, ready]] = recording.rows("SELECT sum(total_ns * (behind = 'cpu quota')), sum(total_ns) FROM cpu_queues")
check(by_quota > 0.8 * ready, f"by the quota {by_quota} of {ready} ns")
check(re.search(r"CPUs? \(\S+ ?\S* ?% busy\), process", text), text)

free = background("sh", "-c", "while :; do :; done")
recording = record("-p", free.pid, "-d", "0.5s", path="free.dwell")
check("quota" not in dwell("report", recording.path).stdout, "a quota where there is none")
