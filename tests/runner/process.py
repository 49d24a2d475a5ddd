# SPDX-License-Identifier: GPL-2.0-or-later
"""Running one program of the tests to its end, so that nothing of it stays behind."""
import os
import signal
import subprocess
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def environment():
    env = dict(os.environ, PYTHONPATH=os.path.join(TOP, "tests/e2e"), PYTHONDONTWRITEBYTECODE="1",
               LC_ALL="C.UTF-8", NO_COLOR="1")
    env["PATH"] = env.get("PATH", "") + ":/usr/sbin:/sbin:/usr/bin:/bin"
    return env


def run_process(argv, timeout_s, env=None):
    """(status or None for a timeout, stdout and stderr together)."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=subprocess.STDOUT, cwd=TOP, env=env or environment(),
                                   start_new_session=True)
        try:
            status = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            end_group(process)
        out.seek(0)
        return status, out.read().decode(errors="replace")


def end_group(process):
    """SIGTERM first: cases clean up on it."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
