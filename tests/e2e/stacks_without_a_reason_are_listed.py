# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it is long
# alone, because it loads both CPUs
"""Under loads that wait in many parts of the kernel, next to no blocked time is without a reason.
The stacks that are get listed, to be added to src/model/reason_table.c."""
from lib import *

LOADS = (
    "aio aiol dentry epoll eventfd fault fifo flock fork futex hdd inotify io io-uring lease "
    "lockf membarrier mq msg msync nanosleep",
    "pipe poll ptrace pty rename sem sem-sysv sendfile sigfd sigsuspend sock sockpair splice "
    "sync-file timerfd udp unshare userfaultfd vfork wait zombie",
)
MOST = 0.02


def stressors(names):
    """Those that this stress-ng has."""
    known = set(re.findall(r"--([a-z-]+) N\b", run("stress-ng", "--help").stdout))
    return [word for name in names.split() if name in known for word in (f"--{name}", "1")]


def waits_under(names):
    # Nice, because dwell has to be loaded beside it (and no mutex, which runs in real time).
    load = background("stress-ng", *stressors(names), "--hdd-bytes", "4M",
                      "-t", "120", "--temp-path", TEMP, preexec_fn=lambda: os.nice(19))
    time.sleep(SLOW)
    waits = record("-a", "-d", "2s").report["waits"]
    kill_group(load)
    return waits


def check_reasons(what, waits):
    """Printed whatever the share: the table can always be better."""
    blocked_ns = sum(wait["total_ns"] for wait in waits)
    unknown = [wait for wait in waits if wait["reason"] == "other"]
    unknown_ns = sum(wait["total_ns"] for wait in unknown)
    for wait in sorted(unknown, key=lambda wait: -wait["total_ns"])[:30]:
        print(f"{wait['total_ns'] / MS:9.1f} ms {wait['state']} {wait['name']}: "
              f"{';'.join(wait['stack'])}")
    print(f"{what}: {unknown_ns / S:.3f} s of {blocked_ns / S:.1f} s without a reason", flush=True)
    check(blocked_ns > 0, f"{what}: nothing was blocked")
    check(unknown_ns <= MOST * blocked_ns, f"{what}: too much without a reason")


need_root()
need_tool("stress-ng")
all_waits = sum(map(waits_under, LOADS), [])
loaded = [wait for wait in all_waits if wait["name"].startswith("stress-ng")]
check(len({wait["name"] for wait in loaded}) > 10, "the loads did not run")
check(len({wait["reason"] for wait in loaded}) >= 8, f"{ {wait['reason'] for wait in loaded} }")
check_reasons("all threads", all_waits)
# By themselves, because thousands of idle threads elsewhere would hide them.
check_reasons("the loads", loaded)
check_reasons("waits that are not idle", [wait for wait in all_waits if not wait["is_idle"]])
