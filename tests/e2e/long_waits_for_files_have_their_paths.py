# SPDX-License-Identifier: GPL-2.0-or-later
"""Threads read files, touch mapped ones and sync others on a disk that is made slow, from one place in the
program each: more files than a place has things for. Every wait of 10 ms and more has its file's path
all the same, and nearly all of each thread's blocked time is under its own files."""
from awaited import *
from cgroup import remove, version_2_root

LONG_NS = 10 * MS
# Of short waits, a place in the program has this many things at most.
MOST_SHORT = 16
FILES, PER_SECOND = 3 * MOST_SHORT, 40
# A sync waits several times, others once.
LEAST_NS = {"reader": 1.5 * LONG_NS, "faulter": 1.5 * LONG_NS, "syncer": 5 * LONG_NS}


def slow_group(folder):
    """A cgroup in which the folder's disk does few reads and writes in a second."""
    device = os.stat(folder).st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    group = f"/sys/fs/cgroup/blkio/dwell-test-{os.getpid()}"
    files = {"blkio.throttle.read_iops_device": f"{number} {PER_SECOND}",
             "blkio.throttle.write_iops_device": f"{number} {PER_SECOND}"}
    if not os.path.exists("/sys/fs/cgroup/blkio"):
        root = version_2_root()
        group = f"{root}/dwell-test-{os.getpid()}"
        files = {"io.max": f"{number} riops={PER_SECOND} wiops={PER_SECOND}"}
        if not root or "io" not in open(f"{root}/cgroup.subtree_control").read().split():
            skip("no cgroup that limits a disk", is_optional=True)
    os.mkdir(group)
    cleanup(lambda: remove(group))
    try:
        for name, limit in files.items():
            with open(f"{group}/{name}", "w") as file:
                file.write(limit)
    except OSError as error:
        skip(f"the disk of {folder} cannot be made slow: {error}", is_optional=True)
    return group


need_root()
os.mkdir("files")
group = slow_group("files")
recording = record(command=["sh", "-c", f'echo $$ >{group}/cgroup.procs; exec "$0" "$@"', workload("slow_files"),
                            os.path.join(TEMP, "files"), FILES])
wrong = []
for user in recording.log["users"]:
    things = things_of(recording, user["tid"], user["thread"])
    paths = {thing.name: thing for thing in things if thing.kind == user["kind"] and thing.id not in range(64)}
    slow = [path for path, ns in user["files"].items() if ns >= LEAST_NS[user["thread"]]]
    print(f"{user['thread']}: {len(slow)} of {FILES} files were slow, {len(paths)} have their path", flush=True)
    check(user["thread"] == "syncer" or len(slow) > MOST_SHORT, f"the disk is not slow: {user}")
    missing = [path for path in slow if path not in paths]
    own_ns = sum(thing.ns for path, thing in paths.items() if path in user["files"])
    total_ns = sum(thing.ns for thing in things)
    if missing or own_ns < 0.9 * total_ns:
        wrong.append(f"{user['thread']}: {own_ns} of {total_ns} ns at its files, {len(missing)} of {len(slow)} are missing: "
                     f"{missing[:3]}; recorded: " + "; ".join(map(text_of, things[:3])))
    long_rows = recording.rows("SELECT s.awaited FROM sums s JOIN threads t ON t.id = s.thread WHERE s.state = 3"
                               " AND s.max_ns >= ? AND t.tid = ? AND t.comm = ?", LONG_NS, user["tid"], user["thread"])
    folded = [awaited for awaited, in long_rows if awaited in range(64)]
    if folded:
        wrong.append(f"{user['thread']}: {len(folded)} of {len(long_rows)} rows with long waits have no thing of their own")
check(not wrong, "\n".join(wrong))
