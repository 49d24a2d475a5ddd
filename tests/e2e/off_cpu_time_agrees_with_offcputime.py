# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: heavy, because it compares clocks
# alone, because it compares clocks
"""Same process, same run: for each thread the off-CPU time is that of libbpf-tools' offcputime, to
1 %. Threads are born and die inside both windows, and no wait is longer than 50 ms. Ours begins when
a thread is made; offcputime first hears of it when it leaves the CPU, so the wait for its first run
is ours alone, and in an emulated machine it can be 80 ms."""
import re
from lib import *

# Some virtual machines run threads that no BPF program sees. A wait that ends when such a thread
# leaves the CPU is lost to offcputime, and one or two of them are 1 %: it may try again, and has to
# agree with us once for each thread. It must never know of more than we do.
ATTEMPTS = 8


def off_cpu_times(path):
    """{tid: ns} from offcputime's output: blocks that end in "comm (tid)" and a line of us."""
    with open(path) as file:
        text = file.read()
    times = {}
    for tid, us in re.findall(r"\((\d+)\)\n\s+(\d+)\n", text):
        times[int(tid)] = times.get(int(tid), 0) + int(us) * 1000
    return times


def run_both(number):
    """(the workload's log, the recording, offcputime's figures)"""
    mixed = Workload("mixed_waits", 1500)
    mixed.line()
    with open("offcputime.txt", "w") as output:
        rival = background("offcputime", "-p", mixed.pid, 3 * SLOW, stdout=output)
    wait_until(lambda: is_attached(rival), "attaching offcputime")
    recorder = Recorder("-p", mixed.pid, path=f"{number}.dwell")
    mixed.go()
    log = mixed.line()
    recording = recorder.stop()
    rival.send_signal(signal.SIGINT)
    check(rival.wait(HANGS_S) == 0, "offcputime failed")
    return log, recording, off_cpu_times("offcputime.txt")


def stolen_ticks():
    """What the machine below has kept for itself, of all CPUs, in 1/100 s."""
    with open("/proc/stat") as file:
        return int(file.readline().split()[8])


need_root()
need_tool("offcputime")
agreed = set()
for attempt in range(ATTEMPTS):
    before = stolen_ticks()
    log, recording, theirs = run_both(attempt)
    ticks = stolen_ticks() - before
    # A thread's own CPU clock stands still meanwhile; for us and for offcputime it ran.
    stolen_ns = (ticks + 2) * 10 * MS if ticks else 0
    check(len(log["threads"]) == 5, "five threads were at work")
    check_books(recording)
    for thread in log["threads"]:
        ours = recording.thread(thread["tid"])
        off_cpu_ns = ours["runnable_ns"] + ours["blocked_ns"]
        own_ns = thread["wall_ns"] - thread["cpu_ns"]
        check_between(f"off-CPU time of {thread['name']}, by its own clocks", off_cpu_ns,
                      0.99 * own_ns - stolen_ns, 1.01 * own_ns + BUSY_NS)
        their_ns = theirs.get(thread["tid"], 0)
        outside_ns = ours["life_ns"] - thread["wall_ns"]
        check_between(f"what is outside {thread['name']}'s own log", outside_ns, -MS, BUSY_NS)
        check(their_ns <= 1.01 * off_cpu_ns, f"{thread['name']}: {off_cpu_ns}, theirs {their_ns}")
        if their_ns >= 0.99 * off_cpu_ns - outside_ns:
            agreed.add(thread["name"])
        else:
            print(f"attempt {attempt}: {thread['name']} {off_cpu_ns}, theirs {their_ns}, "
                  f"outside {outside_ns}")
    if len(agreed) == 5:
        break
check(len(agreed) == 5, f"agreed about {agreed} only")
