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


class Others:
    """CPU time that all but some processes of ours have from its making on, in ns."""

    def __init__(self, *ours):
        self.ours = {str(process.pid) for process in ours}
        self.before = self.now()

    def now(self):
        """From the books of processes, with what their ended children had: /proc/stat counts ticks, of which an
        emulated machine misses some."""
        ticks = 0
        for path in glob.glob("/proc/[0-9]*/stat"):
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    ticks += 0 if path.split("/")[2] in self.ours else \
                        sum(map(int, file.read().rpartition(")")[2].split()[11:15]))
            except OSError:  # it has ended
                pass
        return ticks * 1000 * MS // os.sysconf("SC_CLK_TCK")

    def taken(self):
        return self.now() - self.before


def shares(recording, pid, others, names):
    """
    Who had the CPU, by name or kind, as shares of what the process waited for one. Others than those names may be in
    the way, on a machine that does more than this: they are left out, and may not have more than they ran. What is
    untold is a share of all: it may have been anybody's. Also: did they leave it so alone that shares say something?
    The more often a CPU is switched, the less of a long time in its queue is remembered.
    """
    taken = others.taken()
    check_books(recording)
    found = recording.rows("SELECT behind, name, sum(total_ns) FROM cpu_queues WHERE pid = ?"
                           " GROUP BY 1, 2", pid)
    total = sum(ns for _, _, ns in found)
    check(total > 50 * MS, f"ready for {total} ns only")
    told = {name if kind == "thread" else kind: ns for kind, name, ns in found
            if kind != "thread" or name in names}
    untold = told.pop("untold", 0)
    left = sum(told.values())
    had = total - left - untold
    print(f"{told}, untold {untold} ns, others {had} ns, who ran {taken} ns", flush=True)
    # What the kernel says that they ran is in ticks, and what no parent has asked for is not in it.
    check(had < 1.1 * taken + 100 * MS, f"others had {had} ns and ran {taken} ns")
    check(left > 0, f"{told}")
    return {name: ns / left for name, ns in told.items()} | {"untold": untold / total}, had < 0.05 * total


def first_screen(recording):
    return " ".join(dwell("report", recording.path).stdout.split())


red = start("hog-red", 0)
blue = start("hog-blue", 0)
victim = start("victim", 0)
others = Others(red, blue, victim)
recording = record("-p", victim.pid, "-d", "3s", path="queued.dwell")
told, is_calm = shares(recording, victim.pid, others, {"hog-red", "hog-blue"})
for name in ("hog-red", "hog-blue"):
    check_between(name, told.get(name, 0), 0.3, 0.6)
check(told["hog-red"] + told["hog-blue"] > 0.85, told)
check(told["untold"] < 0.15 or not is_calm, told)
line = next(line for line in recording.report["lines"] if line["reason"] == "no CPU")
behind = {part.get("name"): part["ns"] for part in line["behind"]}
check(max(behind.values()) == line["behind"][0]["ns"] and {"hog-red", "hog-blue"} <= set(behind), line)
check(re.search(rf"ready without a CPU: [^.;]*(\.\d[^.;]*)?; \d+ % behind {re.escape(line['behind'][0]['name'])}",
                first_screen(recording)), first_screen(recording))
check(sum(part["ns"] for part in line["behind"]) == line["total_ns"], line)

# A thread that waits in one queue and then in another was behind both.
os.sched_setaffinity(blue.pid, {CPUS[1]})
others = Others(red, blue, victim)
recorder = Recorder("-p", victim.pid, path="moved.dwell")
recorder.wait_attached()
for turn in range(150):
    os.sched_setaffinity(victim.pid, {CPUS[turn % 2]})
    time.sleep(0.01)
recording = recorder.stop()
told, is_calm = shares(recording, victim.pid, others, {"hog-red", "hog-blue"})
check(told["hog-red"] > 0 and told["hog-blue"] > 0, told)
if is_calm:
    check(told["hog-red"] > 0.15 and told["hog-blue"] > 0.15, told)
    check(told["hog-red"] + told["hog-blue"] > (0.7 if SLOW == 1 else 0.4), told)
    # Moved again before it had its CPU, it is no longer known what it was behind first.
    check(told["untold"] < (0.1 if SLOW == 1 else 0.4), told)
for process in (red, blue, victim):
    kill_group(process)

# Nobody is in the way of these two, and each CPU sleeps while the other one works.
players = background(workload("pingpong"), "60000", "apart")
others = Others(players)
recording = record("-p", players.pid, "-d", "1s", path="idle.dwell")
told, is_calm = shares(recording, players.pid, others, {"pingpong"})
check(told.get("idle cpu", 0) > 0.5, told)
check(not is_calm or "waking an idle CPU" in first_screen(recording).lower().replace("cpu", "CPU"), first_screen(recording))
