# SPDX-License-Identifier: GPL-2.0-or-later
"""What the two cgroup cases share: a cgroup with a child, and a thread in each."""
from lib import *


def new_cgroup(root):
    """A new group below root with a child; both are removed at the end."""
    outer = os.path.join(root, f"dwell-test-{os.getpid()}")
    inner = os.path.join(outer, "inner")
    os.makedirs(inner)
    cleanup(lambda: [remove(path) for path in (inner, outer)])
    return outer, inner


def remove(path):
    """The kernel lets go of a group a moment after its last process ended."""
    for _ in range(50):
        try:
            return os.rmdir(path)
        except OSError:
            time.sleep(0.1)


def join(group, pid):
    with open(os.path.join(group, "cgroup.procs"), "w") as file:
        file.write(str(pid))


def record_below(root):
    """Processes in the group, below it, beside it, and one that joins half-way."""
    outer, inner = new_cgroup(root)
    inside, below, beside, joining = (Workload("deep_sleeper") for _ in range(4))
    for sleeper in (inside, below, beside, joining):
        sleeper.line()
    join(outer, inside.pid)
    join(inner, below.pid)
    born = background("sh", "-c", "while :; do sleep 0.05; done")
    join(inner, born.pid)
    recorder = Recorder("-G", outer, "-d", "2s")
    time.sleep(0.5)
    join(outer, joining.pid)
    recording = recorder.wait()

    pids = {t["pid"] for t in recording.threads}
    check({inside.pid, below.pid, born.pid} <= pids, f"missing: {pids}")
    check(beside.pid not in pids, "a process outside of the group was recorded")
    check(len(recording.named("sleep")) > 10 / SLOW, "children born in the group are missing")
    for sleeper in (inside, below):
        for thread in recording.of_process(sleeper.pid):
            check_thread(thread, life_ns=(recording.window_ns, 0, MS))
    for thread in recording.of_process(joining.pid):
        check(thread["life_ns"] < 0.9 * recording.window_ns, f"joined later: {thread}")
    check_books(recording)


def version_2_root():
    """Where version 2 is mounted, or None."""
    return next((root for root in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
                 if os.path.exists(os.path.join(root, "cgroup.procs"))), None)


def make_groups(root, *paths):
    """New groups below root, with all above them; removed at the end, the innermost first."""
    made = []
    for path in paths:
        group = root
        for part in path.split("/"):
            group = os.path.join(group, part)
            if not os.path.isdir(group):
                os.mkdir(group)
                made.append(group)
    cleanup(lambda: [remove(group) for group in reversed(made)])
    return [os.path.join(root, path) for path in paths]


def memory_group(limit_bytes):
    """A new group whose processes together get that much memory, of whichever version there is."""
    v1 = "/sys/fs/cgroup/memory"
    root = v1 if os.path.exists(os.path.join(v1, "memory.limit_in_bytes")) else version_2_root()
    if not root:
        skip("no cgroups are mounted")
    if root != v1:
        with open(os.path.join(root, "cgroup.subtree_control"), "w") as file:
            file.write("+memory")
    group, = make_groups(root, f"dwell-memory-{os.getpid()}")
    with open(os.path.join(group, "memory.limit_in_bytes" if root == v1 else "memory.max"), "w") as file:
        file.write(str(limit_bytes))
    return group


def inside(group):
    """For subprocess's preexec_fn: the process begins in the group."""
    return lambda: join(group, os.getpid())
