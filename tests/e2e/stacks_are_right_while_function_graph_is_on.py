# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: only, because this machine's kernel has no function tracer
"""function_graph puts its own address on the stack in place of others: such stacks are left to the
kernel's unwinder, and before and after it is on they are known without a walk."""
from stacks import *

TRACE = os.path.join(TEMP, "tracing")
FUNCTIONS = ("ksys_read", "vfs_read", "ksys_write", "vfs_write", "do_futex", "__x64_sys_poll", "do_epoll_wait")


def tell(name, text):
    with open(f"{TRACE}/{name}", "w") as file:
        file.write(text)


def switch(tracer):
    tell("current_tracer", tracer)


os.mkdir(TRACE)
run("mount", "-t", "tracefs", "none", TRACE)
cleanup(lambda: run("umount", TRACE))
with open(f"{TRACE}/available_tracers") as file:
    check("function_graph" in file.read(), "this kernel has no function_graph")
with open(f"{TRACE}/available_filter_functions") as file:
    there = set(file.read().split())
tell("set_ftrace_filter", "\n".join(name for name in FUNCTIONS if name in there))
cleanup(lambda: switch("nop"))

load = stress(HANGS_S, "pipe", "futex", "poll", "eventfd")
recorder = Recorder("-a", "--audit", "1")
for tracer in ("nop", "function_graph", "nop", "function_graph", "nop"):
    switch(tracer)
    wait_for_switches(2_000)
recording = recorder.stop()
check_stacks(recording, known_share=0.05)
kill_group(load)
