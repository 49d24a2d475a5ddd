# SPDX-License-Identifier: GPL-2.0-or-later
"""Before and after it sets the window's end dwell loses its CPU for a while (here by a debugger; a
machine below does it, too): no thread has more time than the window."""
from lib import *

need_root()
need_tool("gdb")
ping = Workload("pingpong", 10**9)
recorder = Recorder("-p", ping.pid)
gdb = background("gdb", "-q", "-batch", "-p", recorder.pid, "-ex", "handle SIGINT nostop pass",
                 "-ex", "break kernel_close_window", "-ex", "echo ready\\n", "-ex", "continue",
                 "-ex", "shell sleep 1", "-ex", "finish", "-ex", "shell sleep 1", "-ex", "delete",
                 "-ex", "detach",
                 stdout=subprocess.PIPE, text=True)
lines = iter(gdb.stdout.readline, "")
check(any("ready" in line for line in lines), "no debugger")
time.sleep(0.5)
recording = recorder.stop()
check(any("Breakpoint 1" in line for line in lines), "it was not held up")
check(len(recording.threads) == 3, f"{recording.threads}")
for thread in recording.threads:
    accounted = thread["running_ns"] + thread["runnable_ns"] + thread["blocked_ns"]
    check(accounted == thread["life_ns"] == recording.window_ns,
          f"{accounted} ns of {thread['life_ns']} in a window of {recording.window_ns}: {thread}")
