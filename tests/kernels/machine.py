# SPDX-License-Identifier: GPL-2.0-or-later
"""One emulated machine with one kernel, which runs a list of cases in one boot. It is started when
it is told to; results come in the order of the cases. The console goes to a file, results come over
a second serial port, so neither disturbs the other."""
import atexit
import contextlib
import ctypes
import json
import os
import re
import select
import shutil
import signal
import subprocess
import time

from guest import MARK
from image import write_image
from packages import Unavailable, kernel_image

# For machines that never come up; beside other work a boot takes what it takes.
BOOT_TIMEOUT_S = 300
PR_SET_PDEATHSIG = 1
END_TIMEOUT_S = 120
# The guest ends a case at its timeout; after this much more silence the machine has hung.
GRACE_S = 45
# At this level warnings are shown, and little else; a CPU that hangs shows what the others do. On a
# busy host the kernel's test of its timer fails ("IO-APIC + timer doesn't work").
COMMAND_LINE = "console=ttyS0 loglevel=5 panic=-1 mitigations=off clocksource=hpet " \
    "softlockup_all_cpu_backtrace=1 no_timer_check"
# One thread of the emulator runs all CPUs of a machine in turns. With a thread for each CPU
# (qemu 7.2) a CPU could go on executing code that another one had just patched, as attaching a
# tracepoint does: machines hung or died every few runs.
ACCELERATOR = "tcg,thread=single"
# A machine that hangs or dies is started anew with the case in which it was, this many times; what
# fails then is that case.
MOST_RESTARTS = 1
# What the kernel says when something went wrong in it, in BPF or elsewhere.
COMPLAINT = re.compile(r"Kernel panic|BUG:|kernel BUG at|WARNING: CPU:|Oops:|general protection|"
                       r"detected stall|blocked for more than|UBSAN|KASAN|possible recursive")


def prepare():
    """In the new process. An emulated machine that has to wait for a CPU sees time go by in which
    nothing was done, so it goes before its neighbours: by itself, and where sessions share CPUs
    (autogroups) as a session, too. Without the right to do so it has to wait."""
    die_with_parent()
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    with contextlib.suppress(OSError), open("/proc/self/autogroup", "w") as file:
        file.write("-10")


def die_with_parent():
    """However the runner ends, no machine stays behind."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Machine:
    def __init__(self, series, top, cases):
        self.series, self.top, self.cases = series, top, cases
        self.folder = os.path.join(top, "build/kernels", series)
        self.process = None
        self.lines = b""
        self.restarts = 0
        # Why no further result can come, once that is so.
        self.trouble = self.unavailable = None

    def start(self):
        """Returns when the guest is ready. All that talks to the guest raises Trouble if it does
        not do what it should, or Unavailable if there is none."""
        try:
            self.boot()
        except Unavailable as reason:
            self.unavailable = reason
            raise
        try:
            self.next_event("ready", BOOT_TIMEOUT_S)
        except Hung as hung:
            self.fail(hung.reason)

    def boot(self):
        if not shutil.which("qemu-system-x86_64"):
            raise Unavailable("qemu-system-x86_64 is not installed")
        os.makedirs(self.folder, exist_ok=True)
        kernel = kernel_image(self.series, os.path.dirname(self.folder))
        initrd = os.path.join(self.folder, "initrd.cpio")
        write_image(initrd, self.top, self.cases)
        self.process = subprocess.Popen(
            ["qemu-system-x86_64", "-accel", ACCELERATOR, "-cpu", "max", "-smp", "2", "-m",
             "2G", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-kernel",
             kernel, "-initrd", initrd, "-append", COMMAND_LINE, "-serial",
             f"file:{self.console_path}", "-serial", "stdio"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True, preexec_fn=prepare)
        atexit.register(self.stop)

    @property
    def console_path(self):
        return os.path.join(self.folder, "console.txt")

    def result(self, case, timeout_s):
        """What the guest tells about a case."""
        try:
            event = self.next_event("case", timeout_s + GRACE_S)
        except Hung as hung:
            if self.restarts == MOST_RESTARTS:
                self.fail(hung.reason)
            self.restart(case, hung.reason)
            return self.result(case, timeout_s)
        if event["case"] != case:
            self.fail(f"the guest ran {event['case']}, not {case}")
        return event

    def restart(self, case, reason):
        """With the cases from this one on."""
        self.restarts += 1
        print(f"{self.series}/{case}: {reason}; starting the machine anew\n" + self.last_words(),
              flush=True)
        self.stop()
        self.lines = b""
        self.cases = self.cases[self.cases.index(case):]
        self.start()

    def finish(self):
        """Until the machine has switched itself off; then the kernel's complaints."""
        self.next_event("end", END_TIMEOUT_S)
        try:
            self.process.wait(END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.fail("the machine does not switch off")
        return self.complaints()

    def complaints(self):
        return [line for line in self.console().split("\n") if COMPLAINT.search(line)]

    def console(self):
        try:
            with open(self.console_path, errors="replace") as file:
                return file.read().replace("\r", "")
        except FileNotFoundError:
            return ""

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
        if self.process:
            self.process.wait()

    def fail(self, text):
        self.trouble = self.trouble or text
        self.stop()
        raise Trouble(self.trouble, self.last_words())

    def last_words(self):
        return "\n".join(self.console().split("\n")[-40:])

    def next_event(self, kind, timeout_s):
        if self.unavailable:
            raise self.unavailable
        if self.trouble:
            raise Trouble(f"as said: {self.trouble}")
        end = time.monotonic() + timeout_s
        while True:
            event = self.parse_line(self.read_line(end, timeout_s))
            if event and event["event"] == kind:
                return event
            if event:
                self.fail(f"the guest said {event}, not {kind}")

    @staticmethod
    def parse_line(line):
        """None for all that is not one of the guest's own lines."""
        if not line.startswith(MARK):
            return None
        try:
            event = json.loads(line[len(MARK):])
        except ValueError:
            return None
        return event if isinstance(event, dict) and "event" in event else None

    def read_line(self, end, timeout_s):
        while b"\n" not in self.lines:
            left_s = max(0, end - time.monotonic())
            ready, _, _ = select.select([self.process.stdout], [], [], left_s)
            if not ready:
                raise Hung(f"no word from the guest for {timeout_s} s")
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                raise Hung(f"the machine stopped: {self.lines.decode(errors='replace')}")
            self.lines += data
        line, _, self.lines = self.lines.partition(b"\n")
        return line.decode(errors="replace").strip("\r")


class Trouble(Exception):
    """The machine did not do what it should: why, and the end of its console."""

    def __init__(self, reason, output=""):
        super().__init__(reason)
        self.reason, self.output = reason, output


class Hung(Trouble):
    """No further word will come from the machine."""
