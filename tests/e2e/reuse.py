# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers of processes that are given again: run by a case in a pid namespace of its own, in which the
last number can be set. Prints what happened as JSON."""
import sys
from lib import *

NUMBER = 5000


def start_as(number, *argv):
    """The kernel gives the number after the last one, unless somebody else was quicker."""
    for _ in range(100):
        with open("/proc/sys/kernel/ns_last_pid", "w") as file:
            file.write(str(number - 1))
        process = background(*argv, stdin=subprocess.PIPE)
        if process.pid == number:
            return process
        kill_group(process)
    raise AssertionError(f"no process got the number {number}")


def replace(process, *argv):
    kill_group(process)
    return start_as(process.pid, *argv)


def while_starting():
    """The target ends after dwell has looked for it and before it is attached."""
    first = start_as(NUMBER, workload("deep_sleeper"))
    recorder = background(DWELL, "record", "-p", NUMBER, "-d", 1, "-o", "a.dwell",
                          stderr=subprocess.PIPE, text=True)
    wait_until(lambda: recorder.poll() is not None or nice_of(recorder.pid) < os.nice(0), "its start")
    recorder.send_signal(signal.SIGSTOP)
    check(not is_attached(recorder), "attached already")
    replace(first, "sleep", "60")
    recorder.send_signal(signal.SIGCONT)
    return {"status": recorder.wait(30), "stderr": recorder.stderr.read(), "files": os.listdir(".")}


def while_recording():
    """One of two targets ends, and a process that will have threads gets its number."""
    stays = Workload("deep_sleeper")
    first = start_as(NUMBER, workload("deep_sleeper"))
    one = Recorder("-p", f"{NUMBER},{stays.pid}", path="one.dwell")
    all_of_them = Recorder("-a", path="all.dwell")
    replace(first, workload("deep_sleeper"))
    time.sleep(1)
    return {name: [(thread["comm"], thread["life_ns"] / recording.window_ns)
                   for thread in recording.of_process(NUMBER)]
            for name, recording in (("one", one.stop()), ("all", all_of_them.stop()))
            if check_books(recording)}


if __name__ == "__main__":
    print(json.dumps(while_starting() if sys.argv[1] == "starting" else while_recording()))
