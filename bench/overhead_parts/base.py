# SPDX-License-Identifier: GPL-2.0-or-later
"""What the parts of bench/overhead share: trouble, tools by name, and processes that end or are attached."""
import contextlib
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

STOP_TIMEOUT_S = 60
ATTACH_S = 60


class Trouble(Exception):
    """A reason to stop that the user can do something about."""


def find(name):
    """The path of a program, also of those that only root has in its PATH; None."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def need(name, package):
    path = find(name)
    if not path:
        raise Trouble(f"{name} is missing; install it: sudo apt-get install {package}")
    return path


def said(process):
    process.log.seek(0)
    return process.log.read().decode(errors="replace").strip() or "it said nothing"


def stop(process, name, how=signal.SIGINT):
    """Stopped as a user would: by Ctrl-C."""
    if process.poll() is None:
        process.send_signal(how)
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        print(f"overhead: {name} did not stop; killed", file=sys.stderr)


@contextlib.contextmanager
def running(command, name, how=signal.SIGINT, **options):
    """A process beside us; what it says is kept in a file."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=subprocess.STDOUT, **options)
        process.log = log
        try:
            yield process
        finally:
            stop(process, name, how)


def has_links(process):
    """Has it attached programs?"""
    for link in glob.glob(f"/proc/{process.pid}/fd/*"):
        with contextlib.suppress(OSError):
            if "bpf" in os.readlink(link) and "link" in os.readlink(link):
                return True
    return False


@contextlib.contextmanager
def attached(command, name, is_ready):
    """A process that watches others, once it does."""
    with running(command, name) as process:
        deadline = time.monotonic() + ATTACH_S
        while not is_ready(process):
            if process.poll() is not None or time.monotonic() > deadline:
                raise Trouble(f"{name} did not begin: {said(process)}")
            time.sleep(0.1)
        time.sleep(1)
        yield process
