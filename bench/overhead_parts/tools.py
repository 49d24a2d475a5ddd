# SPDX-License-Identifier: GPL-2.0-or-later
"""The tools that are compared: how each is started, when it is attached, and what it holds."""
import contextlib
import glob
import json
import os
import re
import subprocess
import time

from .base import Trouble, find, need, running, said

STATS = "/proc/sys/kernel/bpf_stats_enabled"
START_TIMEOUT_S = 20
# Longer than any turn: tools that want a duration are stopped before.
ENDLESS_S = 1000

# dwell's modes. Samples blur switches, so they have a mode of their own.
MODES = {
    "dwell": ["-a", "-F", "0"],
    "depth-0": ["-a", "-F", "0", "--depth", "0"],
    "dwell-none": ["-a", "-F", "0", "--user-stacks", "none"],
    "dwell-fp": ["-a", "-F", "0", "--user-stacks", "fp"],
    "dwell-99": ["-a", "-F", "99"],
    "budget": ["-a", "-F", "0", "--budget", "2%"],
    "idle": ["-F", "0", "-p", "IDLE"],
    "idle-0": ["-F", "0", "--depth", "0", "-p", "IDLE"],
}
RIVALS = ("offcputime", "wakeuptime", "bpftrace", "perf-record", "perf-sched")
DEFAULT = ("dwell", "depth-0", *RIVALS)
ONE_LINER = "tracepoint:sched:sched_switch { @[kstack, ustack, comm] = count(); }"


def set_statistics(is_on):
    with open(STATS, "w", encoding="ascii") as file:
        file.write("1" if is_on else "0")


@contextlib.contextmanager
def statistics_kept():
    """The kernel's statistics are as they were when this is over."""
    with open(STATS, encoding="ascii") as file:
        former = file.read()
    try:
        yield
    finally:
        with open(STATS, "w", encoding="ascii") as file:
            file.write(former)


def bpftool_json(*arguments):
    shown = subprocess.run([find("bpftool"), *arguments, "--json"], check=True, capture_output=True)
    return json.loads(shown.stdout)


def refuse_company():
    """Programs of others at every switch would be measured with the load."""
    for link in bpftool_json("link", "show"):
        is_tracer = link.get("type") in ("tracing", "raw_tracepoint", "perf_event")
        owners = [owner for owner in link.get("pids", []) if owner["pid"] != os.getpid()]
        if is_tracer and owners:
            names = ", ".join(f"{owner['comm']} ({owner['pid']})" for owner in owners)
            raise Trouble(f"{names} traces this machine, too: figures would be worth nothing. "
                          "Stop it, or say --company")


def fields_of(pid, pattern):
    """What fdinfo says of all files of a process: lists of numbers."""
    found = []
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        with contextlib.suppress(OSError), open(path, encoding="ascii") as file:
            found += [tuple(map(int, match.groups())) for match in re.finditer(pattern, file.read(), re.M | re.S)]
    return found


def programs_of(pid):
    """{program: (runs, ns)} of a process."""
    ids = {number for number, in fields_of(pid, r"^prog_id:\s*(\d+)")}
    found = {}
    for program in bpftool_json("prog", "show"):
        if program["id"] in ids:
            name = program.get("name", str(program["id"]))
            runs, ns = found.get(name, (0, 0))
            found[name] = (runs + program.get("run_cnt", 0), ns + program.get("run_time_ns", 0))
    return found


def kernel_bytes(pid):
    """Of its maps, each once."""
    maps = dict((number, size) for size, number in fields_of(pid, r"^memlock:\s*(\d+)\n.*?^map_id:\s*(\d+)"))
    return sum(maps.values())


def own_bytes(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status", encoding="ascii") as file:
        found = re.search(r"^VmHWM:\s*(\d+) kB", file.read(), re.M)
        return int(found.group(1)) << 10 if found else 0
    return 0


def cpu_seconds(pid):
    """Of a process and of its children that have ended."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def switch_program(programs):
    """The program that sees the switches: the name says so, and it runs."""
    names = [name for name in programs if "switch" in name]
    return max(names, key=lambda name: programs[name][0], default=None)


class Tool:
    """One tool; `nothing` is one, too."""

    def __init__(self, name, dwell):
        self.name, self.dwell = name, dwell
        self.is_ours = name in MODES
        self.has_programs = self.is_ours or name in ("offcputime", "wakeuptime", "bpftrace")

    def missing(self):
        wanted = {"offcputime": "libbpf-tools", "wakeuptime": "libbpf-tools", "bpftrace": "bpftrace",
                  "perf-record": "linux-perf", "perf-sched": "linux-perf"}.get(self.name)
        program = self.name.split("-")[0]
        if wanted and not find(program):
            return f"{program} is missing (apt-get install {wanted})"
        if self.name == "bpftrace":
            tried = subprocess.run(["bpftrace", "-e", "tracepoint:sched:sched_switch { exit(); }"],
                                   capture_output=True, text=True, check=False)
            return f"it does not run here: {tried.stderr.strip()[-100:]}" if tried.returncode else None
        return None

    def command(self, folder, idle):
        if self.is_ours:
            mode = [str(idle) if word == "IDLE" else word for word in MODES[self.name]]
            return [self.dwell, "record", *mode, "-q", "-o", f"{folder}/overhead.dwell", "-d", str(ENDLESS_S)]
        if self.name == "bpftrace":
            return ["bpftrace", "-e", ONE_LINER]
        if self.name == "perf-record":
            return ["perf", "record", "-q", "-a", "-g", "-e", "sched:sched_switch", "-o", f"{folder}/perf.data"]
        if self.name == "perf-sched":
            return ["perf", "sched", "record", "-q", "-o", f"{folder}/perf.data"]
        return [find(self.name), str(ENDLESS_S)]

    @contextlib.contextmanager
    def attached(self, folder):
        """The tool at work on all threads; None for nothing."""
        if self.name == "nothing":
            yield None
            return
        with running(["sleep", str(ENDLESS_S)], "sleep") as idle, \
                running(self.command(folder, idle.pid), self.name) as process:
            self.wait_until_attached(process)
            yield process

    def wait_until_attached(self, process):
        if not self.has_programs:
            time.sleep(1.5)
            if process.poll() is not None:
                raise Trouble(f"{self.name} ended at once: {said(process)[-300:]}")
            return
        before, deadline = None, time.monotonic() + START_TIMEOUT_S
        set_statistics(True)
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise Trouble(f"{self.name} ended before it was attached: {said(process)[-300:]}")
            programs = programs_of(process.pid)
            switch = switch_program(programs) or max(programs, default=None)
            runs = programs[switch][0] if switch else 0
            if before and runs > before:
                time.sleep(0.3)
                return
            before = runs
            time.sleep(0.1)
        raise Trouble(f"{self.name} attached no program to sched_switch within {START_TIMEOUT_S} s")

    def stacks(self, folder):
        """How dwell had its stacks: {known, walked, audited} of the kernel and of users."""
        if not self.is_ours:
            return {}
        shown = subprocess.run([self.dwell, "report", "--json", f"{folder}/overhead.dwell"],
                               capture_output=True, check=False)
        with contextlib.suppress(ValueError):
            report = json.loads(shown.stdout)
            losses = {loss["loss"]: loss["count"] for loss in report["accounting"]["losses"]}
            return {**report["cost"].get("stacks", {}), "wrong": losses.get("wrong_stacks", 0)}
        return {}
