# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because each moves and queues threads in its own way
# alone, because it loads both CPUs
"""A thread that is ready for a CPU is told to be behind those that have it, though they are not
recorded: two programs that compute in turn have half each, also when the thread is moved between
them; a thread whose CPU is idle is behind nobody, but waits for it to wake up."""
from lib import *

need_root()
need_cpus(2)
CPUS = sorted(os.sched_getaffinity(0))[:2]
LOOP = ("-c", "while :; do :; done")


def start(name, cpu, *script):
    """A shell that goes by that name, on that CPU."""
    if not os.path.lexists(name):
        os.symlink("/bin/sh", name)
    process = background(os.path.abspath(name), *(script or LOOP))
    os.sched_setaffinity(process.pid, {CPUS[cpu]})
    return process


def shares(recording, pid):
    """Who had the CPU, by name or kind, as shares of all that the process waited for one."""
    check_books(recording)
    found = recording.rows("SELECT behind, name, sum(total_ns) FROM cpu_queues WHERE pid = ?"
                           " GROUP BY 1, 2", pid)
    total = sum(ns for _, _, ns in found)
    check(total > 50 * MS, f"ready for {total} ns only")
    told = {name if kind == "thread" else kind: ns / total for kind, name, ns in found}
    print(told, flush=True)
    return told


def first_screen(recording):
    return " ".join(dwell("report", recording.path).stdout.split())


red = start("hog-red", 0)
blue = start("hog-blue", 0)
victim = start("victim", 0)
recording = record("-p", victim.pid, "-d", "3s", path="queued.dwell")
told = shares(recording, victim.pid)
for name in ("hog-red", "hog-blue"):
    check_between(name, told.get(name, 0), 0.3, 0.6)
check(told["hog-red"] + told["hog-blue"] > 0.85, told)
check(re.search(r"ready without a CPU: [^.;]*(\.\d[^.;]*)?; \d+ % behind hog-(red|blue)", first_screen(recording)),
      first_screen(recording))
line = next(line for line in recording.report["lines"] if line["reason"] == "no CPU")
check({part.get("name") for part in line["behind"][:2]} == {"hog-red", "hog-blue"}, line)
check(sum(part["ns"] for part in line["behind"]) == line["total_ns"], line)

# A thread that waits in one queue and then in another was behind both.
os.sched_setaffinity(blue.pid, {CPUS[1]})
recorder = Recorder("-p", victim.pid, path="moved.dwell")
recorder.wait_attached()
for turn in range(150):
    os.sched_setaffinity(victim.pid, {CPUS[turn % 2]})
    time.sleep(0.01)
recording = recorder.stop()
told = shares(recording, victim.pid)
check(told.get("hog-red", 0) > 0.15 and told.get("hog-blue", 0) > 0.15, told)
check(told.get("hog-red", 0) + told.get("hog-blue", 0) > (0.7 if SLOW == 1 else 0.4), told)
# Moved again before it had its CPU, it is no longer known what it was behind first.
check(told.get("untold", 0) < (0.1 if SLOW == 1 else 0.4), told)
for process in (red, blue, victim):
    kill_group(process)

# Nobody is in the way of these two, and each CPU sleeps while the other one works.
players = background(workload("pingpong"), "60000", "apart")
recording = record("-p", players.pid, "-d", "1s", path="idle.dwell")
told = shares(recording, players.pid)
check(told.get("idle cpu", 0) > 0.5, told)
check("waking an idle CPU" in first_screen(recording).lower().replace("cpu", "CPU"), first_screen(recording))
