# SPDX-License-Identifier: GPL-2.0-or-later
# alone, because it compares clocks
"""Scheduler events and samples that perf recorded, imported from the text of perf script, give each
thread the run time, the wait time and the scheduling delay that perf sched timehist computes from
the same file: each line of timehist to the microsecond that it prints.

perf switches its events on and off one CPU after the other, and has to get onto each CPU to do so.
Before the last CPU was switched on and after the first was switched off, threads run where nobody
looks, and both tools can only guess. So the text is cut to the time between, and timehist is
asked for the same time. What it does otherwise there is known from its raw events:
- the wait before a thread's first run in the cut may have begun before it: left out on both sides;
- the last switch of a thread that was reaped is booked on a thread -1: the run is the thread's that
  the event itself names, and of such a thread runs alone are compared;
- a wake of a thread that is on its way to sleep is forgotten at its switch: timehist says wait, and
  not delay, for the time after it;
- of a thread that was preempted on its way to sleep it counts the delay from its wake on; it had
  been ready since its switch."""
import statistics
import struct
import subprocess
from lib import *

need_root()
need_tool("perf")
if not os.path.exists("/sys/kernel/tracing/events/sched"):
    if subprocess.run(["mount", "-t", "tracefs", "tracefs", "/sys/kernel/tracing"],
                      stderr=subprocess.DEVNULL).returncode:
        skip("tracefs cannot be mounted")

SAMPLE_NS = MS
US = 1000

clock = f"cpu-clock/period={SAMPLE_NS}/"
options = ("-B", "-N", "-g", "--kernel-callchains", "-m", "4096")


def record_both():
    """Events of all and, at the same time, samples of the workloads: x.data, y.data."""
    mixed = Workload("mixed_waits", "6000")
    mixed.line()
    mixed.go()
    # Before what else runs here: a timer that is due while its thread is off its CPU is late.
    hogs = background("nice", "-n", "-10", workload("hogs"), "5000")
    sleeper = background(workload("sleeper"), "2000", "3", "2")
    sampler = background("nice", "-n", "-15", "perf", "record", *options, "-e", clock, "-p",
                         f"{hogs.pid},{mixed.pid}", "-o", "y.data", "--", "sleep", "2.5")
    recorded = run("nice", "-n", "-15", "perf", "record", *options, "-e", "sched:sched_switch",
                   "-e", "sched:sched_waking", "-e", clock + "k", "-a", "-o", "x.data", "--",
                   "sleep", "3", status=None)
    if recorded.returncode or sampler.wait(HANGS_S):
        skip(f"perf cannot record: {recorded.stderr.strip()[-200:]}")
    for process in (mixed.process, hogs, sleeper):
        kill_group(process)


def script(path):
    """The text. Without +ip,+sym,+dso any -F takes the stacks away from tracepoints."""
    return run("perf", "script", "--ns", "-F", "+pid,+period,+ip,+sym,+dso", "-i", path).stdout


def mend(path):
    """Where somebody else asks the kernel for the build-ids of new mappings, the flag for them leaks
    into perf's own records of these, and perf 6.1 dies of what it then takes for a build-id."""
    MMAP2, HAS_BUILD_ID = 10, 1 << 14
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        at, size = struct.unpack_from("<QQ", data, 40)
        end = at + size
        while at < end:
            kind, misc, length = struct.unpack_from("<IHH", data, at)
            if kind == MMAP2:
                struct.pack_into("<H", data, at + 4, misc & ~HAS_BUILD_ID)
            at += length
        file.seek(0)
        file.write(data)


record_both()
mend("x.data")
mend("y.data")
whole, samples_text = script("x.data"), script("y.data")
HEAD = re.compile(r"^ *\S.*? +(-?\d+)/(-?\d+) +\[(\d+)\] +(\d+)\.(\d{9}): +\d+ +(\S+): ", re.M)
WAKING = re.compile(r" pid=(\d+) prio=")
SWITCH = re.compile(r" prev_pid=(\d+) .* prev_state=(\S+) ==> .* next_pid=(\d+) ")


class Event:
    """One event of perf script: where its text begins, and what its fields say."""

    def __init__(self, found):
        sample_tid, cpu, seconds, ns, name = found.groups()[1:]
        self.at = found.start()
        self.sample_tid, self.cpu, self.time = int(sample_tid), int(cpu), int(seconds) * S + int(ns)
        self.name = name.split(":")[1] if name.startswith("sched:") else "sample"
        line = whole[found.end():whole.index("\n", found.end())]
        if self.name == "sched_waking":
            self.woken = int(WAKING.search(line).group(1))
        elif self.name == "sched_switch":
            prev, self.state, following = SWITCH.search(line).groups()
            self.prev, self.next = int(prev), int(following)


events = [Event(found) for found in HEAD.finditer(whole)]
check(len(events) == len(re.findall(r"^[^\t\n]", whole, re.M)),
      "the text has other lines than this case knows")
switches = [event for event in events if event.name == "sched_switch"]
first, last = {}, {}
for event in switches:
    first.setdefault(event.cpu, event.time)
    last[event.cpu] = event.time
check(len(first) == len(os.sched_getaffinity(0)), f"CPUs without a switch: {sorted(first)}")
check(max(first.values()) < min(last.values()), "no time in which all CPUs were looked at")
# From one event to another, strictly between: each CPU has a switch before, and one behind.
inside = [event for event in events if max(first.values()) < event.time < min(last.values())]
start, end = inside[0].time, inside[-1].time
check(end - start > 1.5 * S, f"all CPUs were looked at for {(end - start) / S:.3f} s only")
behind = [event.at for event in events if event.time > end]
with open("cut.txt", "w") as file:
    file.write(whole[inside[0].at:behind[0]])

# What timehist prints: a line for each switch away from a thread, in ms, cut to microseconds. Of a
# thread whose process it does not know the name only.
LINE = re.compile(r"^ *(\d+\.\d{6}) \[(\d+)\] +.*?(?:\[(-?\d+)(?:/-?\d+)?\])? +([\d.]+) +([\d.]+) +([\d.]+)"
                  r" *$", re.M)


def timehist(since, until):
    times = ",".join("{}.{:09}".format(*divmod(at, S)) for at in (since, until))
    history = run("perf", "sched", "timehist", "--no-call-graph", "-i", "x.data", "--time", times)
    if " lost " in history.stdout + history.stderr:
        skip("perf lost events: this machine is too busy", is_optional=True)
    return list(LINE.finditer(history.stdout))


lines = {}
for found in timehist(start, end):
    lines.setdefault(int(found.group(2)), []).append(found)


class Figure:
    """A sum of figures that timehist cut to microseconds, beside our exact one."""

    def __init__(self):
        self.theirs, self.parts, self.ours = 0, 0, 0

    def add(self, text):
        self.theirs += int(text.replace(".", "")) * US
        self.parts += 1

    def agrees(self):
        return self.theirs <= self.ours <= self.theirs + self.parts * US

    def __str__(self):
        return f"{self.ours / MS:.6f} ms, not {self.theirs / MS:.3f} in {self.parts} parts"


class Thread:
    def __init__(self):
        self.figures = {name: Figure() for name in ("run", "wait", "delay")}
        self.has_left = self.is_reaped = False


threads = {}
for cpu in first:
    mine = [event for event in switches if event.cpu == cpu]
    seen = []
    for before, event in zip(mine, mine[1:]):
        event.came_unseen = before.next != event.prev
        if event.time >= start and before.time <= end and event.prev:
            seen.append(event)
    check(len(seen) == len(lines[cpu]), f"CPU {cpu}: {len(seen)} switches, {len(lines[cpu])} lines")
    for event, found in zip(seen, lines[cpu]):
        at, _, tid, *texts = found.groups()
        check(tid in (str(event.prev), "-1", None) and
              int(at.replace(".", "")) == min(event.time, end) // US, f"{found.group()}")
        event.texts = texts
        event.is_reaped = tid == "-1"
for event in switches:
    # That a thread came unseen is known when it leaves: in the cut there must be that switch.
    if not hasattr(event, "texts") or (event.time > end and event.came_unseen):
        continue
    thread = threads.setdefault(event.prev, Thread())
    thread.figures["run"].add(event.texts[2])
    if thread.has_left:
        thread.figures["wait"].add(event.texts[0])
        thread.figures["delay"].add(event.texts[1])
    thread.has_left = True
    thread.is_reaped |= event.is_reaped

# Machines may hide the events of some process. Its threads come and never leave: they are not
# compared. Whoever comes after them seems to have come, for both, with the CPU's switch before; for
# timehist even before it left another CPU.
gaps = 0
hidden = set()
expected = {}  # samples
current, before, woken, left = {}, {}, {}, {}
early, ready = set(), set()


def come(tid, time):
    """Of a thread that has not left yet timehist forgets the wake: what it calls wait is delay. One
    that was preempted on its way to sleep is woken too: it was ready all the time."""
    if tid in early:
        threads[tid].figures["delay"].ours -= max(time - left[tid], 0)
        early.remove(tid)
    if tid in ready and left[tid] < woken.get(tid, time) < time:
        threads[tid].figures["delay"].ours += time - woken[tid]
    ready.discard(tid)


for event in inside:
    if event.name == "sched_waking":
        woken[event.woken] = event.time
        early.discard(event.woken)
    elif event.name == "sample":
        # As with timehist's -1: it is the thread that the CPU was given to.
        tid = event.sample_tid if event.sample_tid >= 0 else current.get(event.cpu, 0)
        if tid:
            expected[tid] = expected.get(tid, 0) + 1
    elif event.name == "sched_switch":
        if current.get(event.cpu, event.prev) != event.prev:
            gaps += 1
            hidden.add(current[event.cpu])
            if event.prev:
                come(event.prev, before[event.cpu])
                threads[event.prev].figures["run"].ours += max(
                    left.get(event.prev, 0) - before[event.cpu], 0)
            woken.pop(event.prev, None)
        current.pop(event.cpu, None)
        if event.next and event.next in current.values():
            hidden.add(event.next)
        current[event.cpu], before[event.cpu] = event.next, event.time
        left[event.prev] = event.time
        if event.prev in woken and event.state[0] not in "RXZ":
            early.add(event.prev)
        if event.state[0] == "R":
            ready.add(event.prev)
        come(event.next, event.time)
        woken.pop(event.prev, None)
        woken.pop(event.next, None)
# A wait that ended, but not the delay behind it: timehist has no line for it yet.
for tid in (set(woken) & set(left)) - set(current.values()) - ready:
    if tid in threads and woken[tid] > left[tid]:
        threads[tid].figures["wait"].ours -= woken[tid] - left[tid]

imported = dwell("import", "cut.txt", "-o", "x.dwell")
recording = Recording("x.dwell")
meta = recording.meta()
check("skipped" not in imported.stderr, imported.stderr)
check("accounted 100.000 %" in imported.stderr, imported.stderr)
losses = dict(recording.rows("SELECT name, count FROM losses"))
if not gaps:
    check(not losses, f"{losses}")
# One switch that was not logged can open a gap on each of two CPUs.
check(gaps - gaps // 50 - 2 <= losses.get("missed_switches", 0) <= gaps + len(first),
      f"{losses}, {gaps} gaps")
check(recording.window_ns == end - start, f"{recording.window_ns} ns, not {end - start}")
check(meta["switches"] == sum(event.name == "sched_switch" for event in inside), f"{meta}")

EARLIER = 4  # words: no_stack
samples = {}
blocked = named = 0
stacks = {row[0] for row in recording.rows("SELECT id FROM stacks")}
for tid, state, stack, count, ns, is_unended in recording.rows(
        "SELECT t.tid, (SELECT word FROM words WHERE kind = 'state' AND number = s.state),"
        f" s.kernel_stack, s.count, s.ns, {IS_UNENDED}"
        " FROM sums s JOIN threads t ON t.id = s.thread"):
    thread = threads.get(tid)
    if state == "sample":
        samples[tid] = samples.get(tid, 0) + count
    elif not thread:
        check(state != "running" or tid not in left, f"thread {tid} is missing in timehist")
    elif state == "running":
        thread.figures["run"].ours += ns
    elif not is_unended and stack != EARLIER:
        thread.figures["wait"].ours += ns
        thread.figures["delay"].ours += ns if state == "woken" else 0
        if state == "blocked":
            blocked += ns
            named += ns if stack in stacks else 0

wrong = []
compared = 0
total = {name: Figure() for name in ("run", "wait", "delay")}
for tid, thread in threads.items():
    if tid in hidden:
        continue
    compared += not thread.is_reaped and thread.figures["wait"].theirs > 100 * MS
    for name, figure in thread.figures.items():
        if thread.is_reaped and name != "run":
            continue
        for field in ("theirs", "parts", "ours"):
            setattr(total[name], field, getattr(total[name], field) + getattr(figure, field))
        if not figure.agrees():
            wrong.append(f"{name} of {tid}: {figure}")
for name, figure in total.items():
    print(f"{name}: {figure.ours / MS:.3f} ms, timehist {figure.theirs / MS:.3f} ms "
          f"({figure.ours / max(figure.theirs, 1) - 1:+.3%})")
print(f"{len(set(threads) - hidden)} threads, {meta['switches']} switches, all CPUs for {(end - start) / S:.3f} s"
      f" of {(events[-1].time - events[0].time) / S:.3f}")
check(not wrong, "\n".join(wrong))
check(meta["switches"] > 1000, f"only {meta['switches']} switches: the load does not run")
check(len(hidden) < 0.2 * len(threads), f"{len(hidden)} of {len(threads)} threads are hidden")
check(compared >= 3, f"only {compared} threads with a wait to speak of")
check(expected and samples == expected, f"{samples}, not {expected}")
check(named > 0.9 * blocked, f"{named / MS:.3f} of {blocked / MS:.3f} ms of waits have a stack")

# Samples alone: each stands for a period of its thread's run time since the one before, but where
# perf's timer was late.
SAMPLE = re.compile(r"^ *\S.*? +\d+/(\d+) +(?:\[\d+\] +)?(\d+)\.(\d{9}): +(\d+) +cpu-clock", re.M)
with open("samples.txt", "w") as file:
    file.write(samples_text)
taken, stamps = {}, {}
for found in SAMPLE.finditer(samples_text):
    tid, seconds, ns, period = map(int, found.groups())
    taken[tid] = taken.get(tid, 0) + period
    if start < seconds * S + ns < end:
        stamps.setdefault(tid, []).append(seconds * S + ns)
dwell("import", "samples.txt", "-o", "y.dwell")
got = dict(Recording("y.dwell").rows(
    "SELECT t.tid, SUM(s.ns) FROM sums s JOIN threads t ON t.id = s.thread WHERE s.state = "
    "(SELECT number FROM words WHERE kind = 'state' AND word = 'running') GROUP BY t.tid"))
check(got == taken, f"{got}, not {taken}")


def run_times(tid, times):
    """How long the thread ran between each of these times and the next, by the switches."""
    spans, came, at = [0] * len(times), times[0], 0
    for event in switches:
        if event.next == tid:
            came = event.time
        elif event.prev == tid:
            while at < len(times) - 1 and times[at + 1] <= event.time:
                spans[at] += times[at + 1] - max(came, times[at])
                at += 1
                came = max(came, times[at])
            spans[at] += max(event.time - max(came, times[at]), 0)
    return spans[:-1]


spans = [span for tid, times in stamps.items() if len(times) > 1
         for span in run_times(tid, times)]
usual = statistics.median(spans)
print(f"samples: {len(spans)} ms, by switches {sum(spans) / MS:.3f} ms, usually {usual / MS:.4f} ms")
# A late timer makes the samples of a file too few for its run time. That is perf's loss and in no
# reader's power: what a sample stands for is told by the usual one.
check(len(spans) > 50, "hardly a sample")
check_close("the run time between two samples", usual, SAMPLE_NS, rel=0.01)
check(len(spans) * SAMPLE_NS < 1.01 * sum(spans), "more samples than run time")
