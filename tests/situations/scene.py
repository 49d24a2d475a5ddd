# SPDX-License-Identifier: GPL-2.0-or-later
"""What situations share: a folder that is gone afterwards, programs that are stopped at the end,
recording, and the first screen."""
import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DWELL = os.environ.get("DWELL", os.path.join(TOP, "dwell"))
WORKLOADS = os.path.join(TOP, "build/workloads")


class Scene:
    """One situation's folder and processes."""

    def __init__(self, stack):
        self.stack = stack
        self.folder = tempfile.mkdtemp(prefix="dwell-situation.", dir=os.environ.get("TMPDIR"))
        os.chmod(self.folder, 0o755)
        stack.callback(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def start(self, *command, **more):
        """A program that is killed, with its children, when the situation is over."""
        more.setdefault("stdout", subprocess.DEVNULL)
        more.setdefault("stderr", subprocess.DEVNULL)
        process = subprocess.Popen([str(word) for word in command], start_new_session=True,
                                   cwd=more.pop("cwd", self.folder), **more)
        self.stack.callback(self.stop, process)
        return process

    @staticmethod
    def stop(process):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGCONT)
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def run(self, *command, **more):
        more.setdefault("cwd", self.folder)
        return subprocess.run([str(word) for word in command], check=True, capture_output=True,
                              text=True, **more).stdout

    def record(self, *options, seconds=3):
        """The first screen of a recording."""
        options = [str(option) for option in options]
        length = [] if "--" in options else ["-d", str(seconds)]
        file = self.path("situation.dwell")
        subprocess.run([DWELL, "record", "-q", "-o", file, *length, *options], check=True,
                       cwd=self.folder, stdout=subprocess.DEVNULL)
        kept = os.environ.get("DWELL_KEEP")
        if kept:
            shutil.copy(file, kept)
        return subprocess.run([DWELL, "report", file], check=True, capture_output=True, text=True,
                              env={**os.environ, "COLUMNS": "80"}).stdout


def until(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.05)


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def verdict(screen):
    """The sentences after "In short", without line breaks."""
    found = re.search(r"^In short: (.*?)\n\n", screen, re.S | re.M)
    return " ".join(found.group(1).split()) if found else ""
