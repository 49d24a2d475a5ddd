# SPDX-License-Identifier: GPL-2.0-or-later
"""In a memory cgroup that is too small for the tables asked for dwell says so in a sentence and leaves
nothing; not asked for a size it makes smaller ones and records; and killed there for want of memory it leaves a recording that can
be read, and no program."""
from cgroup import join
from load import *
from memory import memory_group

MIB = 1 << 20
FILL = "import time\nhog = bytearray(400 << 20)\nprint('full', flush=True)\ntime.sleep(60)"


def record_within(group, *args, status):
    return dwell("record", "-a", "-d", 1, "-o", "a.dwell", *args, status=status,
                 preexec_fn=lambda: join(group, os.getpid()))


small = memory_group("dwell-small", 96 * MIB)
check_one_line_error(record_within(small, "--memory", "256M", status=2), "memory", "--memory")
check(os.listdir(".") == [], f"left behind: {os.listdir('.')}")
record_within(small, status=0)
check_books(Recording("a.dwell"))


def go_first():
    """The kernel takes this one where memory is short."""
    join(shared, os.getpid())
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


# Somebody in the same group takes all there is.
shared = memory_group("dwell-shared", 420 * MIB)
background(workload("pingpong"), 10**9)
recorder = Recorder("-a", "--slice", "200ms", preexec_fn=go_first)
programs = programs_of(recorder.pid)
wait_until(lambda: dwell("report", recorder.path, status=None).returncode == 0, "the first slice")
background(sys.executable, "-c", FILL, preexec_fn=lambda: join(shared, os.getpid()))
check(recorder.process.wait(60) == -signal.SIGKILL, f"status {recorder.process.returncode}")
wait_until(lambda: not programs & loaded_programs(), "unloading the programs", timeout=5)
recording = Recording(recorder.path)
check(not recording.report["recording"]["is_finished"], "a recording that was cut short says so")
check_books(recording, slack_ns=20 * MS)
