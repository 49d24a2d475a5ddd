# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: no, because it is about perf's files
"""Scheduler events that perf recorded, imported from the text of perf script, give each thread the
run time, the scheduling delay and the wait time that perf sched timehist computes from the same
file.

timehist counts a run when it ends, together with the wait and the delay before it; a wait begins
with a switch that was logged. So what began before the log, what had not ended at its end, and the
off-CPU time of threads that run at its end, are left out on our side."""
import subprocess
from lib import *

need_root()
need_tool("perf")
if not os.path.exists("/sys/kernel/tracing/events/sched"):
    if subprocess.run(["mount", "-t", "tracefs", "tracefs", "/sys/kernel/tracing"],
                      stderr=subprocess.DEVNULL).returncode:
        skip("tracefs cannot be mounted")

background(workload("pingpong"), "100000")
background(workload("hogs"), "4000")
recorded = run("perf", "record", "-B", "-N", "-e", "sched:sched_switch", "-e",
               "sched:sched_waking", "-a", "-g", "-o", "x.data", "--", "sleep", "3", status=None)
if recorded.returncode or not os.path.exists("x.data"):
    skip(f"perf cannot record: {recorded.stderr.strip()[-200:]}")
with open("x.txt", "w") as out:
    run("perf", "script", "--ns", "-F", "+pid", "-i", "x.data", stdout=out)
with open("x.txt", "rb") as file:
    switches = sum(b"sched:sched_switch:" in line for line in file)
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
for line in run("perf", "sched", "timehist", "--no-call-graph", "-S", "-i",
                "x.data").stdout.split("\n"):
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
    thread = ours.setdefault(tid, {"running": 0, "woken": 0, "wait": 0, "runs at the end": False})
    if count == 0:
        thread["runs at the end"] |= state == "running"
    elif state == "running":
        thread["running"] += ns
    elif stack != EARLIER:
        thread["wait"] += ns
        if state == "woken":
            thread["woken"] += ns

# Runs that had begun before the log are in ours alone, one for each CPU.
slack_ns = 0.005 * recording.window_ns
compared = 0
total = {"ran": [0, 0], "wait": [0, 0], "delay": [0, 0]}
for tid, sums in theirs.items():
    check(tid in ours, f"thread {tid} is missing")
    mine = ours[tid]
    pairs = {"ran": (mine["running"], sums["ran"])}
    if not mine["runs at the end"]:
        pairs["wait"] = (mine["wait"], sums["wait"])
        pairs["delay"] = (mine["woken"], sums["delay"])
        compared += sums["wait"] > 100 * MS
    for name, (got, want) in pairs.items():
        total[name][0] += got
        total[name][1] += want
        check_close(f"{name} of {tid}", got, want, rel=0.01, abs_ns=slack_ns)
for name, (got, want) in total.items():
    print(f"{name}: {got / MS:.3f} ms, timehist {want / MS:.3f} ms ({got / want - 1:+.3%})")
    check_close(f"{name} of all threads", got, want, rel=0.01, abs_ns=slack_ns)
print(f"{len(theirs)} threads, {switches} switches")
check(compared >= 3, f"only {compared} threads with a wait to speak of")
