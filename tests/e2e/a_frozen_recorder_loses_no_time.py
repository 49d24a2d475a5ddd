# SPDX-License-Identifier: GPL-2.0-or-later
"""As when a machine is suspended, a freezer stops dwell and what it records, with no signal to tell
them: time goes on, the threads are blocked, and every thread has all its time."""
from cgroup import join, make_groups, version_2_root
from load import *

V1 = "/sys/fs/cgroup/freezer"


def find_freezer():
    """Where to make a group, the file that freezes it, and the words for it."""
    if os.path.exists(os.path.join(V1, "cgroup.procs")):
        return V1, "freezer.state", ("FROZEN", "THAWED")
    return version_2_root(), "cgroup.freeze", ("1", "0")


need_root()
root, name, (freeze, thaw) = find_freezer()
if not root:
    skip("there is no cgroup that can be frozen")
group, = make_groups(root, f"dwell-frozen-{os.getpid()}")


def tell(word):
    with open(os.path.join(group, name), "w") as file:
        file.write(word)


cleanup(lambda: tell(thaw))
sleeper = Workload("sleeper", 10**6, 20)
recorder = Recorder("-p", sleeper.pid, "--slice", "200ms")
for pid in (sleeper.pid, recorder.pid):
    join(group, pid)
time.sleep(0.5)
tell(freeze)
time.sleep(1.5)
tell(thaw)
time.sleep(0.5)
recording = recorder.stop()
check(recording.window_ns > 2.5 * S, f"the window is {recording.window_ns} ns")
check_books(recording)
check_books_by_slice(recording)
check_stored_figures(recording, recording.report["accounting"])
for thread in recording.of_process(sleeper.pid):
    check_thread(thread, life_ns=(recording.window_ns, 0, MS))
    check(thread["blocked_ns"] > 1.4 * S, f"frozen, and not blocked: {thread}")
