# SPDX-License-Identifier: GPL-2.0-or-later
"""Same process, same run: for each thread the off-CPU time is that of libbpf-tools' offcputime, to
1 %. Threads are born and die inside both windows, and no wait is longer than 50 ms."""
import re
from lib import *

need_root()
need_tool("offcputime")
mixed = Workload("mixed_waits", 2000)
mixed.line()
with open("offcputime.txt", "w+") as output:
    rival = background("offcputime", "-p", mixed.pid, "5", stdout=output)
    wait_until(lambda: is_attached(rival), "attaching offcputime")
    recorder = Recorder("-p", mixed.pid, "-d", "4s")
    mixed.go()
    log = mixed.line()
    recording = recorder.wait()
    check(rival.wait(20) == 0, "offcputime failed")
    output.seek(0)
    text = output.read()

theirs = {}
for tid, us in re.findall(r"\((\d+)\)\n\s+(\d+)\n", text):
    theirs[int(tid)] = theirs.get(int(tid), 0) + int(us) * 1000
check(len(log["threads"]) == 5, "five threads were at work")
for thread in log["threads"]:
    ours = recording.thread(thread["tid"])
    off_cpu_ns = ours["runnable_ns"] + ours["blocked_ns"]
    check(thread["tid"] in theirs, f"offcputime did not see {thread}")
    # It does not count how long a new thread waits for its first CPU.
    check_close(f"off-CPU time of {thread['name']}", off_cpu_ns, theirs[thread["tid"]], rel=0.01,
                abs_ns=2 * MS)
    check_close(f"off-CPU time of {thread['name']}, by its own clocks", off_cpu_ns,
                thread["wall_ns"] - thread["cpu_ns"], rel=0.02)
check_books(recording)
