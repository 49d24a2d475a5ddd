# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it is long there, and other cases go through the same kernel code
"""A thread that dies in a wait, by exit_group or by SIGKILL, ends there: its wait counts until then
and nothing after it."""
from lib import *

for how in ("group", "kill"):
    program = f"{workload('exit_while_blocked')} {how} 500"
    recording = record(command=["sh", "-c", f"{program} && sleep 0.5"])
    doomed = recording.thread(recording.log["tid"])
    wall_ns = recording.log["wall_ns"]
    check_close(f"{how}: life", doomed["life_ns"], wall_ns, abs_ns=BUSY_NS)
    check_close(f"{how}: blocked", doomed["blocked_ns"], wall_ns, abs_ns=BUSY_NS)
    check(doomed["blocked_ns"] > 0.5 * wall_ns, f"{how}: hardly blocked: {doomed}")
    check(doomed["comm"] == "doomed", f"name: {doomed}")
    stacks = recording.folded("offcpu", "--by", "thread", "--state", "blocked")
    root = f"doomed-{doomed['pid']}/{doomed['tid']}"
    check_close(f"{how}: blocked in the pipe", weight(stacks, "pipe_read", root=root), wall_ns,
                abs_ns=BUSY_NS)
    check_books(recording)
