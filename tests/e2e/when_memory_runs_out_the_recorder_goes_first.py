# SPDX-License-Identifier: GPL-2.0-or-later
"""A neighbour in the same cgroup takes all the memory that there is: the recorder is killed, not the
neighbour, and what was recorded until then can be read. A recorded command keeps its own chances."""
from cgroup import *

need_root()
LIMIT = 500 << 20
GROUP = memory_group(LIMIT)
STEP = 2 << 20
NEIGHBOUR = f"""
import sys
held = []
for line in sys.stdin:
    held.append(bytearray(b"x") * {STEP})
    print("alive", flush=True)
"""


def used():
    for name in ("memory.current", "memory.usage_in_bytes"):
        if os.path.exists(os.path.join(GROUP, name)):
            with open(os.path.join(GROUP, name)) as file:
                return int(file.read())


def has_killed():
    """Was somebody of the group killed? Its memory is gone before it has ended."""
    for name in ("memory.events", "memory.oom_control"):
        if os.path.exists(os.path.join(GROUP, name)):
            with open(os.path.join(GROUP, name)) as file:
                return dict(line.split() for line in file)["oom_kill"] != "0"


# The command has the value that dwell was started with, dwell itself the highest.
with open("/proc/self/oom_score_adj", "w") as file:
    file.write("300")
script = "cat /proc/self/oom_score_adj /proc/$PPID/oom_score_adj"
values = record(command=["sh", "-c", script]).stdout.split()
check(values == ["300", "1000"], f"oom_score_adj of the command and of dwell: {values}")

# The kernel weighs 1000 as all the memory there is: a neighbour of 300 that takes most of it comes before a small recorder.
with open("/proc/self/oom_score_adj", "w") as file:
    file.write("0")
neighbour = background(sys.executable, "-c", NEIGHBOUR, stdin=subprocess.PIPE,
                       stdout=subprocess.PIPE, text=True, preexec_fn=inside(GROUP))
recorder = background(DWELL, "record", "-a", "-q", "-o", "x.dwell", preexec_fn=inside(GROUP))
wait_until(lambda: not dwell("report", "x.dwell", status=None).returncode, "a commit")
for step in range(220):
    # What a killed recorder had in the kernel is given back later, when nobody can be in its
    # programs any more: who wants all of it at once does not get it.
    if has_killed():
        wait_until(lambda: used() < LIMIT - 5 * STEP, "the recorder's memory")
    neighbour.stdin.write("\n")
    neighbour.stdin.flush()
    check(neighbour.stdout.readline() == "alive\n", f"the neighbour was killed in step {step}")
check(recorder.wait(20) == -signal.SIGKILL, f"the recorder ended with {recorder.returncode}")
dwell("report", "x.dwell")
