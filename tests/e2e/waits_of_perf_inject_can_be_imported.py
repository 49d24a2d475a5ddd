# SPDX-License-Identifier: GPL-2.0-or-later
"""Text of perf script after perf inject -s, with sched_stat events that carry the sleeper's own stack
and a period in ns, becomes blocked and runnable time of the sleepers: the whole of each wait, also of
the first, which began before the first event; the iowait inside of a blocked time is not counted twice.

Kernels without schedstats (this may run on one) log no such events, so the file is written by hand
after the documented format; its own comment says how perf would have made it."""
from lib import *

path = os.path.join(TOP, "tests/data/stacks/perf-inject.txt")
said = dwell("import", path, "-o", "a.dwell").stderr
check("imported 5 stacks or waits of 2 threads" in said and "skipped" not in said, said)
made = Recording("a.dwell")
check(not made.rows("SELECT * FROM losses"), "losses of a file that is whole")
for comm, pid, tid, blocked_ns, woken_ns in (("nginx", 812, 812, 25 * MS, 0),
                                             ("mysqld", 900, 905, 7.5 * MS, 0.25 * MS)):
    thread = made.thread(tid)
    check((thread["comm"], thread["pid"]) == (comm, pid), f"{thread}")
    check(made.rows("SELECT blocked_ns, woken_ns, running_ns FROM threads WHERE tid = ?", tid) ==
          [(blocked_ns, woken_ns, 0)], f"{thread}")

stacks = made.folded("offcpu")
nginx = [(stack, ns) for stack, ns in stacks.items() if stack[0] == "nginx"]
check(len(nginx) == 1 and nginx[0][1] == 25 * MS, f"{stacks}")
check(nginx[0][0][1:4] == ("_start", "ngx_process_events_and_timers", "epoll_wait") and
      "do_epoll_wait" in nginx[0][0], f"{nginx}")
mysqld = {stack[-1]: ns for stack, ns in stacks.items() if stack[0] == "mysqld"}
check(sum(mysqld.values()) == 7.75 * MS and mysqld.get("[runq]") == 0.25 * MS, f"{stacks}")

report = dwell("report", "a.dwell").stdout
for words in ("nginx", "mysqld", "poll", "disk", "accounted 100 %"):
    check(words in report, f"no {words!r} in\n{report}")
