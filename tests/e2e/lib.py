# SPDX-License-Identifier: GPL-2.0-or-later
"""What the end-to-end cases share: running dwell, workloads and load beside them, reading what was
recorded, and cleaning up. A case runs in a temporary folder of its own, which is gone afterwards,
as is every process it started. A case ends by falling off its end (pass), by skip() or by an
exception (failure)."""
import atexit
import glob
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DWELL = os.path.abspath(os.environ.get("DWELL", os.path.join(TOP, "dwell")))
MS = 1_000_000
S = 1_000_000_000
# How many times slower than usual an emulated machine may be. It stretches lives of workloads and
# limits on speed, never a check of the books.
SLOW = int(os.environ.get("DWELL_SLOW", "1"))
# Some virtual machines run threads that no BPF program sees. Where that is not so, none may be
# missed.
SEES_ALL = os.environ.get("DWELL_SEES_ALL") == "1"
# Before 6.2 looking up a thread's storage fails while another's is being made on that CPU.
MOST_MISSED = 5 if os.uname().release.startswith("6.1.") else 0

# What takes longer hangs. No bound on speed: the machine may have better things to do.
HANGS_S = 200 * SLOW

# Under sudo recordings would be given to the invoking user; cases that want that say so themselves.
for _name in ("SUDO_UID", "SUDO_GID", "SUDO_USER"):
    os.environ.pop(_name, None)

TEMP = tempfile.mkdtemp(prefix="dwell-test.")
_processes = []
_cleanups = []


def _clean_up():
    for process in reversed(_processes):
        kill_group(process)
    for cleanup in reversed(_cleanups):
        cleanup()
    os.chdir("/")
    shutil.rmtree(TEMP, ignore_errors=True)


os.chdir(TEMP)
atexit.register(_clean_up)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
# A shell starts its background jobs with SIGINT ignored, and what runs there inherits that: an early
# Ctrl-C of a case would go nowhere.
signal.signal(signal.SIGINT, signal.default_int_handler)


# How a case ends early.

def skip(reason, is_optional=False):
    """The case cannot run here. An optional one may be skipped even where tests are required."""
    print(("optional: " if is_optional else "") + reason, flush=True)
    sys.exit(77)


def need_root():
    if os.getuid():
        skip("needs root")


def need_tool(name):
    if not shutil.which(name):
        skip(f"{name} is not installed")


def need_cpus(number):
    if len(os.sched_getaffinity(0)) < number:
        skip(f"needs {number} CPUs", is_optional=True)


def cleanup(function):
    """Calls function at the end, however the case ends; the last one given first."""
    _cleanups.append(function)


# What must hold.

def check(condition, text):
    if not condition:
        raise AssertionError(text)


def close(got, want, rel=0.0, abs_ns=0):
    return abs(got - want) <= max(rel * abs(want), abs_ns)


def check_close(what, got, want, rel=0.0, abs_ns=0):
    check(close(got, want, rel, abs_ns),
          f"{what}: {got} is not within {rel:.1%} or {abs_ns} of {want}")


def check_one_line_error(result, *words):
    """One line, from dwell, with these words in it."""
    lines = result.stderr.strip().split("\n")
    check(len(lines) == 1 and lines[0].startswith("dwell: "), f"not one error line: {lines}")
    for word in words:
        check(word in lines[0], f"no {word!r} in: {lines[0]}")


# Processes.

def kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def run(*argv, status=0, timeout=HANGS_S, **options):
    """Runs a command to its end; its status must be the given one (None: any)."""
    result = subprocess.run([str(word) for word in argv], text=True, errors="replace",
                            timeout=timeout, stdin=options.pop("stdin", subprocess.DEVNULL),
                            stdout=options.pop("stdout", subprocess.PIPE),
                            stderr=options.pop("stderr", subprocess.PIPE), **options)
    if status is not None and result.returncode != status:
        raise AssertionError(f"{' '.join(map(str, argv))}: exit status {result.returncode}, not "
                             f"{status}\n{(result.stdout or '')[-2000:]}{result.stderr or ''}")
    return result


def check_scripts(path, **options):
    """Node's own runner passes this file or folder of tests, and there were ten at least. Of what failed
    only that is shown: there are dozens of others, and the end of the output is all that one sees."""
    result = run("node", "--test", os.path.join(TOP, path), status=None, **options)
    if result.returncode == 0 and re.search(r"^# pass [1-9]\d", result.stdout, re.M):
        return
    parts = re.split(r"^(?=# Subtest: )", result.stdout, flags=re.M)
    failed = [part for part in parts if re.search(r"^not ok ", part, re.M)]
    raise AssertionError("\n".join(failed or [result.stdout]) + result.stderr)


def dwell(*args, **options):
    return run(DWELL, *args, **options)


def background(*argv, **options):
    """Starts a command that is killed with all its children at the end of the case."""
    process = subprocess.Popen([str(word) for word in argv], start_new_session=True,
                               stdin=options.pop("stdin", subprocess.DEVNULL),
                               stdout=options.pop("stdout", subprocess.DEVNULL),
                               stderr=options.pop("stderr", subprocess.DEVNULL), **options)
    _processes.append(process)
    return process


def wait_until(condition, what, timeout=60):
    """The timeout is for what never comes: a busy machine may be late by any factor."""
    end = time.monotonic() + timeout * SLOW
    while not condition():
        check(time.monotonic() < end, f"{what}: not within {timeout} s")
        time.sleep(0.02)


def workload(name):
    """The path of a built workload."""
    path = os.path.join(TOP, "build/workloads", name)
    if not os.path.exists(path):
        skip(f"build/workloads/{name} is not built: make workloads")
    return path


class Workload:
    """A workload in the background that talks in JSON lines and is told to go on by a line."""

    def __init__(self, name, *args):
        self.process = background(workload(name), *args, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid

    def line(self):
        """The next thing it says."""
        text = self.process.stdout.readline()
        check(text, f"workload {self.pid} ended without a word")
        return json.loads(text)

    def go(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self):
        self.process.stdin.close()
        return self.process.wait(HANGS_S)

    def kill(self):
        kill_group(self.process)


# Recordings.

# Of a row `s` of sums: an interval that had not ended. Else a count of 0 is a part of a wait that
# another row counts.
IS_UNENDED = ("(s.count = 0 AND (s.chain = 0 OR s.chain IN (SELECT id FROM chains WHERE chain_end = "
              "(SELECT number FROM words WHERE kind = 'chain_end' AND word = 'not woken'))))")


class Recording:
    def __init__(self, path, result=None):
        self.path = os.path.abspath(path)
        self.stdout = result.stdout if result else ""
        self.stderr = result.stderr if result else ""
        self._report = None

    @property
    def log(self):
        """What the recorded workload said about itself: the last line of its output."""
        return json.loads(self.stdout.strip().rsplit("\n", 1)[-1])

    @property
    def report(self):
        if self._report is None:
            self._report = report_json(self.path)
        return self._report

    @property
    def threads(self):
        return self.report["threads"]

    @property
    def window_ns(self):
        return self.report["window_ns"]

    def thread(self, tid):
        found = [thread for thread in self.threads if thread["tid"] == tid]
        check(len(found) == 1, f"{len(found)} threads with tid {tid}: "
              f"{[(t['comm'], t['pid'], t['tid']) for t in self.threads][:30]}")
        return found[0]

    def named(self, comm):
        return [thread for thread in self.threads if thread["comm"] == comm]

    def of_process(self, pid):
        return [thread for thread in self.threads if thread["pid"] == pid]

    def folded(self, view, *args):
        return folded(self.path, view, *args)

    def rows(self, query, *values):
        """The rows of a query by hand."""
        with open_database(self.path) as database:
            return database.execute(query, values).fetchall()

    def meta(self):
        """The one row about the recording as a whole, by column."""
        return read_meta(self.path)


def record(*args, command=None, status=0, timeout=HANGS_S, path=None, **options):
    """Records to the end; the status is the command's."""
    need_root()
    path = path or os.path.join(TEMP, f"{len(glob.glob(TEMP + '/*.dwell'))}.dwell")
    argv = ["record", "-o", path, *args]
    if command:
        argv += ["--", *command]
    return Recording(path, dwell(*argv, status=status, timeout=timeout, **options))


def let_tables_come():
    """Workloads that this case starts from now on pause before they begin, so that their unwind
    tables are there: what a process does in its first moments has no whole stacks."""
    os.environ["WORKLOAD_PAUSE_MS"] = str(600 * SLOW)


class Recorder:
    """dwell record in the background."""

    def __init__(self, *args, path=None, command=None, **options):
        need_root()
        self.path = path or os.path.join(TEMP, "background.dwell")
        self.errors = open(os.path.join(TEMP, "recorder.stderr"), "w+")
        argv = [DWELL, "record", "-o", self.path, *args]
        if command:
            argv += ["--", *command]
        self.process = background(*argv, stderr=self.errors, **options)
        self.pid = self.process.pid
        self.wait_attached()

    def wait_attached(self):
        try:
            wait_until(lambda: is_attached(self.process), "attaching dwell")
        except AssertionError:
            self.errors.seek(0)
            print(self.errors.read(), flush=True)
            raise
        # The window begins a moment after the programs are there; until then dwell is in a hurry.
        wait_until(lambda: nice_of(self.pid) == os.nice(0), "the window's start")
        time.sleep(0.3)

    def wait(self, timeout=HANGS_S, status=0):
        """Until it ends by itself."""
        got = self.process.wait(timeout)
        self.errors.seek(0)
        text = self.errors.read()
        check(status is None or got == status, f"dwell record: status {got}, not {status}\n{text}")
        recording = Recording(self.path)
        recording.stderr = text
        return recording

    def stop(self, status=0):
        """As Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        return self.wait(status=status)


def nice_of(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rsplit(")", 1)[1].split()[16])
    except OSError:
        return os.nice(0)


def is_attached(process):
    """Does the process hold BPF links? That is: has it begun to trace?"""
    check(process.poll() is None, f"the tracer ended with status {process.poll()} before it began")
    for link in glob.glob(f"/proc/{process.pid}/fd/*"):
        try:
            if "bpf_link" in os.readlink(link) or "bpf-link" in os.readlink(link):
                return True
        except OSError:
            pass
    return False


def bpf_ids_of(pid, kind="prog"):
    """The ids of what of BPF a process holds, by itself or by a link: prog, map or link."""
    found = set()
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        try:
            with open(path) as file:
                found |= {int(line.split()[1]) for line in file if line.startswith(f"{kind}_id:")}
        except OSError:
            pass
    return found


def programs_of(pid):
    return bpf_ids_of(pid, "prog")


def bpf_ids(kind="prog"):
    """The ids of all that the kernel holds of a kind: prog, map or link."""
    need_tool("bpftool")
    return {thing["id"] for thing in json.loads(run("bpftool", "-j", kind, "show").stdout or "[]")}


def loaded_programs():
    return bpf_ids("prog")


def report_json(path, *args, **options):
    return json.loads(dwell("report", path, "--json", *args, **options).stdout)


def folded(path, view, *args, unit="ns"):
    """{(frame, ...): weight}, root first, idle waits included."""
    text = dwell("flame", path, "--view", view, "-f", "--unit", unit, "--idle", "show",
                 *args).stdout
    stacks = {}
    for line in text.splitlines():
        stack, _, weight = line.rpartition(" ")
        stacks[tuple(stack.split(";"))] = stacks.get(tuple(stack.split(";")), 0) + int(weight)
    return stacks


def is_tracer_frame(frame):
    """Of a BPF program or of what calls it, not of the system call that loads one."""
    return bool(re.match(r"bpf_prog_[0-9a-f]{16}|bpf_trace_run|__bpf_trace|__traceiter"
                         r"|bpf_get_stack|bpf_overflow_handler|__perf_event_overflow|perf_trace_",
                         frame))


def weight(stacks, *words, root=None):
    """The weight of the stacks whose frames contain all these words, below a root."""
    return sum(ns for stack, ns in stacks.items()
               if (root is None or stack[0] == root) and
               all(any(word in frame for frame in stack[1:]) for word in words))


def open_database(path):
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True)


def read_meta(path):
    with open_database(path) as database:
        rows = database.execute("SELECT * FROM meta")
        columns = [column[0] for column in rows.description]
        if columns[:2] in (["name", "value"], ["key", "value"]):
            return dict(rows.fetchall())
        return dict(zip(columns, rows.fetchone()))


# The first law.

def tolerance_ns(life_ns):
    return max(MS, life_ns // 1000)


# Losses that take rows away.
_LOST_ROWS = {"overflow", "unsliced", "thinned"}


def check_queues(recording):
    """Who had the CPU is told of all the time in which a thread was ready for one."""
    losses = {loss["loss"] for loss in recording.report["accounting"]["losses"]}
    if not recording.report["recording"]["is_finished"] or losses & _LOST_ROWS:
        return
    off = recording.rows(
        "SELECT t.comm, t.tid, r.ns, coalesce(q.ns, 0) FROM threads t"
        " JOIN (SELECT thread, sum(ns) AS ns FROM sums WHERE state IN"
        " (SELECT number FROM words WHERE kind = 'state' AND word IN ('woken', 'preempted'))"
        " GROUP BY thread) r ON r.thread = t.id"
        " LEFT JOIN (SELECT thread, sum(ns) AS ns FROM queues GROUP BY thread) q"
        " ON q.thread = t.id WHERE r.ns <> coalesce(q.ns, 0)")
    check(not off, f"ready for a CPU, and told who had it: {off}, losses {losses}")


def check_books(recording, slack_ns=0):
    """Every thread's states add up to its life, and so do all threads together. A recording that
    was cut short may want some slack: rows and open intervals are not read in one instant."""
    check(recording.threads, "nothing was recorded")
    total = life = 0
    for thread in recording.threads:
        accounted = thread["running_ns"] + thread["runnable_ns"] + thread["blocked_ns"]
        check_close(f"{thread['comm']} {thread['pid']}/{thread['tid']}, losses "
                    f"{recording.report['accounting']['losses']}", accounted,
                    thread["life_ns"], abs_ns=tolerance_ns(thread["life_ns"]) + slack_ns)
        check(thread["life_ns"] <= recording.window_ns, f"longer than the window: {thread}")
        total += accounted
        life += thread["life_ns"]
    check_close("all threads", total, life, rel=0.001, abs_ns=slack_ns)
    running = sum(thread["running_ns"] for thread in recording.threads)
    check(running <= os.cpu_count() * recording.window_ns + 10 * MS + slack_ns,
          f"{running} ns running on {os.cpu_count()} CPUs in {recording.window_ns} ns")
    missed = sum(loss["count"] for loss in recording.report["accounting"]["losses"]
                 if loss["loss"] == "missed_switches")
    check(not SEES_ALL or missed <= MOST_MISSED, f"missed switches: {missed}, losses "
          f"{recording.report['accounting']['losses']}")
    check_queues(recording)
    return life


def check_thread(thread, **wanted):
    """check_thread(t, running_ns=(want, rel, abs_ns), ...)"""
    for name, (want, rel, abs_ns) in wanted.items():
        check_close(f"{name} of {thread}", thread[name], want, rel, abs_ns)


# What a busy machine may keep a thread waiting for a CPU at some point that it cannot log. An
# emulated machine has to wait for a real CPU besides: there books and shares say more.
BUSY_NS = 250 * MS if SLOW == 1 else 2 * S


def check_between(what, got, low, high):
    check(low <= got <= high, f"{what}: {got} is not from {low} to {high}")


def check_life(thread, wall_ns):
    """A thread lives a bit longer than it can log: before its first step and after its last, where
    a busy machine may keep it waiting for a CPU for any time."""
    check_between(f"life of {thread}", thread["life_ns"], wall_ns - MS,
                  wall_ns + thread["runnable_ns"] + BUSY_NS)


# The CPU clock stops when a thread is taken off the queue, before the next one is chosen and the
# switch is seen, and in interrupts. An emulated CPU that has to wait for a real one, while time goes
# on, does so there, too: for any part of a life.
STANDSTILL = 0 if SLOW == 1 else 1


def _stolen_ns():
    """What the hypervisor has taken away from all CPUs since they started, as far as it says so."""
    with open("/proc/stat") as file:
        return int(file.readline().split()[8]) * 1000 * MS // os.sysconf("SC_CLK_TCK")


_STOLEN_BEFORE_NS = _stolen_ns()


def unclocked_ns(wall_ns):
    """What of so much running time the CPU clock may not have counted."""
    return STANDSTILL * wall_ns + _stolen_ns() - _STOLEN_BEFORE_NS


def has_cpu_clock(cpu_ns, wall_ns):
    """Can these be compared with? An emulated TSC may leap by seconds, and the scheduler's clock with
    it: a thread then has run for longer than it was there."""
    return SLOW == 1 or cpu_ns <= wall_ns + 10 * MS


def check_ran(thread, cpu_ns, wall_ns, rel, abs_ns):
    """It ran as long as its CPU clock says, in that much time."""
    if not has_cpu_clock(cpu_ns, wall_ns):
        print(f"the CPU clock says {cpu_ns} ns in {wall_ns}: nothing to compare with", flush=True)
        return
    slack_ns = max(rel * cpu_ns, abs_ns)
    check_between(f"running time of {thread}", thread["running_ns"], cpu_ns - slack_ns,
                  cpu_ns + slack_ns + unclocked_ns(wall_ns))


def check_slept(what, got, want, rel):
    """A timer rings when it should, but on an emulated CPU it may be late."""
    check_between(what, got, want - rel * want, want + (rel * want if SLOW == 1 else BUSY_NS))


def check_against_own_clocks(thread, log):
    """Outside of its phase "wait" a thread is not blocked, and it ran no more than the CPU clock
    says. That clock also counts a part of waking up, which for threads that are woken across CPUs
    is as much as they run: hence the low bound."""
    waiting_ns = log["phases"]["wait"]["wall_ns"]
    check(thread["blocked_ns"] <= waiting_ns + 10 * MS, f"{thread} blocked, {waiting_ns} in waits")
    if not has_cpu_clock(log["cpu_ns"], thread["life_ns"]):
        return
    # Time that a hypervisor takes away is running to us, and none of it to the CPU clock.
    most_ns = 1.4 * log["cpu_ns"] + 10 * MS + unclocked_ns(thread["life_ns"])
    check(0.3 * log["cpu_ns"] <= thread["running_ns"] <= most_ns,
          f"{thread} ran, {log['cpu_ns']} by the CPU clock")
