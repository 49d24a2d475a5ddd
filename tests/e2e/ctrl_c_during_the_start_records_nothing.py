# SPDX-License-Identifier: GPL-2.0-or-later
"""Ctrl-C before the window is open: status 130 and a line that says so, the folder as it was, no
program left in the kernel, and a COMMAND that never ran."""
from lib import *

need_root()
need_tool("bpftool")


def interrupt(*args, how=signal.SIGINT):
    """Lets dwell record run in small steps until its programs are loaded, sends it the signal
    before they are attached, and lets it go on. (status, what it said)"""
    for _ in range(20):
        process = background(DWELL, "record", *args, stderr=subprocess.PIPE, text=True)
        wait_until(lambda: process.poll() is not None or catches_signals(process.pid), "signalfd")
        hold(process)
        while not programs_of(process.pid):
            process.send_signal(signal.SIGCONT)
            time.sleep(0.002)
            hold(process)
        programs = programs_of(process.pid)
        if is_attached(process):
            kill_group(process)
            continue
        process.send_signal(how)
        process.send_signal(signal.SIGCONT)
        status = process.wait(HANGS_S)
        wait_until(lambda: not programs & loaded_programs(), "unloading the programs")
        return status, process.stderr.read()
    raise AssertionError("dwell was attached each time before it could be stopped")


def hold(process):
    process.send_signal(signal.SIGSTOP)
    wait_until(lambda: process.poll() is not None or is_stopped(process.pid), "stopping dwell")
    check(process.poll() is None, f"dwell ended with status {process.poll()}")


def catches_signals(pid):
    for link in glob.glob(f"/proc/{pid}/fd/*"):
        try:
            if "signalfd" in os.readlink(link):
                return True
        except OSError:
            pass
    return False


def is_stopped(pid):
    states = set()
    for path in glob.glob(f"/proc/{pid}/task/*/stat"):
        try:
            with open(path) as file:
                states.add(file.read().rpartition(")")[2].split()[0])
        except OSError:
            pass
    return states == {"T"}


def check_nothing(result, status):
    check(result[0] == status, f"status {result[0]}, not {status}: {result[1]}")
    lines = result[1].strip().split("\n")
    check(len(lines) == 1 and lines[0].startswith("dwell: ") and
          "nothing was recorded" in lines[0], f"not one line about it: {lines}")


# Every way of walking stacks, and none.
for args in (("-a",), ("-a", "--user-stacks", "fp"), ("-a", "--user-stacks", "none")):
    check_nothing(interrupt(*args, "-o", "new.dwell"), 130)
check_nothing(interrupt("-a", "-o", "new.dwell", how=signal.SIGTERM), 143)
check(os.listdir(".") == [], f"left behind: {os.listdir('.')}")

# The recording before is still the last one.
dwell("record", "--", "true")
with open("last.dwell", "rb") as file:
    before = file.read()
check_nothing(interrupt("-a"), 130)
check(os.listdir(".") == ["last.dwell"], f"{os.listdir('.')}")
with open("last.dwell", "rb") as file:
    check(file.read() == before, "last.dwell is another one")

check_nothing(interrupt("--", "touch", "was-run"), 130)
check(os.listdir(".") == ["last.dwell"], f"{os.listdir('.')}")
