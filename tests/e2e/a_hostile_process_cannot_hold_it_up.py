# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes whose files and memory never answer cost their own names, not the recording: it starts,
stops at once when told to, and is whole. Seen before: hung for ever, deaf to SIGTERM."""
# timeout: 120
from lib import *

need_root()


def attack(*args, stop=None):
    hostile = Workload("hostile", *args)
    pid = hostile.line()["pid"]
    if stop is None:
        result = record("-p", pid, "-d", "1s", timeout=30 * SLOW)
    else:
        recorder = Recorder("-p", str(pid))
        recorder.process.send_signal(stop)
        result = recorder.wait(20 * SLOW)
    threads = result.of_process(pid)
    check(threads, f"{args}: no thread of it was recorded")
    check_books(result)
    kill_group(hostile.process)
    return result


# A perf map that is the kernel's log. The log is emptied first, so that a reader would wait.
run("dmesg", "-C", status=None)
attack("map", "/proc/kmsg")
attack("map", "/proc/kmsg", stop=signal.SIGTERM)

# A program with a lease on it: opening it would take 45 s.
shutil.copy(workload("hostile"), "leased")
attack("lease", os.path.abspath("leased"))

# A stack with a page that is never there.
result = attack("fault", stop=signal.SIGINT)
check(any(thread["comm"] == "faulty" for thread in result.threads), "the sleeper is missing")

# Nobody is left of those who went to look.
left = run("pgrep", "-x", "dwell-errands|dwell-parser", "-P", str(os.getpid()), status=None).stdout
check(not left.strip(), f"helpers are left: {left}")
