# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because it is about the iterators over threads
"""Threads that fall asleep before the window and wake after it, if ever, are there with the whole
window and the kernel stack they sleep on."""
from lib import *

WAITS = {"sleep": ("hrtimer_nanosleep", "sleep"), "pipe": ("pipe_read", "pipe"),
         "futex": ("futex_wait", "futex"), "poll": ("do_sys_poll", "poll")}

sleeper = Workload("deep_sleeper")
tids = sleeper.line()
recording = record("-p", sleeper.pid, "-d", "1s")

check_between("window", recording.window_ns, 0.95 * S, S + BUSY_NS)
check_books(recording)
stacks = recording.folded("offcpu", "--by", "thread")
for name, (function, reason) in WAITS.items():
    thread = recording.thread(tids[name])
    check_thread(thread, life_ns=(recording.window_ns, 0, 1000),
                 blocked_ns=(recording.window_ns, 0, 1000))
    check_close(f"below {function}", weight(stacks, function,
                                            root=f"deep-{name}-{sleeper.pid}/{tids[name]}"),
                recording.window_ns, abs_ns=1000)
    wait, = [w for w in recording.report["waits"] if w["name"] == f"deep-{name}"]
    check(wait["reason"] == reason, f"{name}: reason {wait['reason']}")
    check(wait["state"] == "S", f"{name}: state {wait['state']}")
check(len(recording.of_process(sleeper.pid)) == 5, "the process has five threads")
