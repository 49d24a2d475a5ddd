# SPDX-License-Identifier: GPL-2.0-or-later
"""Scheduler events that perf recorded, imported from the text of perf script, give each thread the
run time, the scheduling delay and the wait time that perf sched timehist computes from the same
file.

timehist counts a run when it ends, together with the wait and the delay before it; a wait begins
with a switch that was logged. So waits that began before the log are left out on our side, and
threads that are awake at its end are compared by their run time alone, as are those that end: the
last switch of a thread is perf's thread -1."""
import subprocess
from lib import *

need_root()
need_tool("perf")
if not os.path.exists("/sys/kernel/tracing/events/sched"):
    if subprocess.run(["mount", "-t", "tracefs", "tracefs", "/sys/kernel/tracing"],
                      stderr=subprocess.DEVNULL).returncode:
        skip("tracefs cannot be mounted")

mixed = Workload("mixed_waits", "6000")
mixed.line()
mixed.go()
background(workload("hogs"), "5000")
background(workload("sleeper"), "2000", "3", "2")
# Kernel stacks only: perf 6.1 dies of build-ids longer than 20 bytes in what others happen to run.
recorded = run("perf", "record", "-B", "-N", "-e", "sched:sched_switch", "-e",
               "sched:sched_waking", "-a", "-g", "--kernel-callchains", "-m", "4096", "-o", "x.data", "--",
               "sleep", "3", status=None)
if recorded.returncode or not os.path.exists("x.data"):
    skip(f"perf cannot record: {recorded.stderr.strip()[-200:]}")
with open("x.txt", "w") as out:
    run("perf", "script", "--ns", "-F", "+pid", "-i", "x.data", stdout=out)

# A thread that is woken while it is still on its way to sleep never sleeps: it is runnable from its
# switch on. timehist forgets such a wake at the switch and takes that time for sleep.
EVENT = re.compile(r"\s(\d+)\.(\d{9}): +sched:sched_(?:waking: .* pid=(\d+) |switch: .* "
                   r"prev_pid=(\d+) .* prev_state=(\S+) ==> .* next_pid=(\d+) )")
switches = 0
woken, left, early = set(), {}, {}
with open("x.txt", errors="replace") as file:
    for found in filter(None, map(EVENT.search, file)):
        seconds, ns, waking, prev, state, following = found.groups()
        now = int(seconds) * S + int(ns)
        if waking:
            woken.add(waking)
            left.pop(waking, None)
            continue
        switches += 1
        if prev in woken and state[0] not in "RXZ":
            left[prev] = now
        woken.discard(prev)
        woken.discard(following)
        if following in left:
            tid = int(following)
            early[tid] = early.get(tid, 0) + now - left.pop(following)
check(switches > 1000, f"only {switches} switches: the load does not run")

imported = dwell("import", "x.txt", "-o", "x.dwell")
recording = Recording("x.dwell")
check("skipped" not in imported.stderr, imported.stderr)
check("accounted 100.000 %" in imported.stderr, imported.stderr)
check(recording.meta()["switches"] == switches, "switches were lost on the way")

# timehist's lines, in ms: "time [cpu] comm[tid/pid] wait delay run". It cuts each figure to whole
# microseconds, which costs half of one on average; the run times of its summary are not cut.
LINE = re.compile(r"^\s*[\d.]+ \[\d+\]\s+(.*?)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s*$")
SUMMARY = re.compile(r"^\s*(.*\])\s+-?\d+\s+\d+\s+([\d.]+)\s+[\d.]+\s+[\d.]+\s+[\d.]+\s")
TASK = re.compile(r"\[(-?\d+)(?:/-?\d+)?\]$")
theirs = {}
history = run("perf", "sched", "timehist", "--no-call-graph", "-S", "-i", "x.data").stdout
if " lost " in history:
    skip("perf lost events: this machine is too busy", is_optional=True)
for line in history.split("\n"):
    found = LINE.match(line) or SUMMARY.match(line)
    task = found and TASK.search(found.group(1))
    if not task or int(task.group(1)) <= 0:
        continue
    sums = theirs.setdefault(int(task.group(1)), {"wait": 0.0, "delay": 0.0, "ran": 0.0})
    if found.re is SUMMARY:
        sums["ran"] += float(found.group(2)) * MS
        continue
    for name, value in (("wait", found.group(2)), ("delay", found.group(3))):
        sums[name] += float(value) * MS + (500 if float(value) else 0)

EARLIER = 4  # words: no_stack
ours = {}
for tid, state, letter, stack, count, ns in recording.rows(
        "SELECT t.tid, (SELECT word FROM words WHERE kind = 'state' AND number = s.state),"
        " s.letter, s.kernel_stack, s.count, s.ns FROM sums s JOIN threads t ON t.id = s.thread"):
    thread = ours.setdefault(tid, {"running": 0, "woken": 0, "wait": 0, "first delay": 0,
                                   "slept first": False, "is awake": False})
    if count == 0:
        thread["is awake"] |= state != "blocked"
        continue
    if stack == EARLIER:
        thread["slept first"] |= state == "blocked"
        thread["first delay"] += ns if state == "woken" else 0
        continue
    if state in ("running", "woken"):
        thread[state] += ns
    if state != "running":
        thread["wait"] += ns

for tid, in recording.rows("SELECT tid FROM threads WHERE end_ns < ?", recording.window_ns):
    ours[tid]["is awake"] = True

# Runs that had begun before the log are in ours alone, one for each CPU.
slack_ns = 0.005 * recording.window_ns
compared = 0
wrong = []
total = {"ran": [0, 0], "wait": [0, 0], "delay": [0, 0]}
for tid, sums in theirs.items():
    check(tid in ours, f"thread {tid} is missing")
    mine = ours[tid]
    pairs = {"ran": (mine["running"], sums["ran"])}
    if not mine["is awake"]:
        pairs["wait"] = (mine["wait"], sums["wait"])
        # Of a thread that was awake already, timehist does not know since when.
        first_ns = mine["first delay"] if mine["slept first"] else 0
        pairs["delay"] = (mine["woken"] + first_ns, sums["delay"] + early.get(tid, 0))
        compared += sums["wait"] > 100 * MS
    for name, (got, want) in pairs.items():
        total[name][0] += got
        total[name][1] += want
        if not close(got, want, rel=0.01, abs_ns=slack_ns):
            wrong.append(f"{name} of {tid}: {got / MS:.3f} ms, not {want / MS:.3f}")
for name, (got, want) in total.items():
    print(f"{name}: {got / MS:.3f} ms, timehist {want / MS:.3f} ms ({got / want - 1:+.3%})")
    if not close(got, want, rel=0.01, abs_ns=slack_ns):
        wrong.append(f"{name} of all threads")
check(not wrong, "\n".join(wrong))
print(f"{len(theirs)} threads, {switches} switches")
check(compared >= 3, f"only {compared} threads with a wait to speak of")
