# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs in the emulated machine, as the child of its init: finishes setting it up, runs the cases
listed in the file `cases` as tests/run does, and tells the host over the second serial port, in
lines of JSON behind a mark, what came of them. Then it switches the machine off."""
import ctypes
import json
import os
import subprocess
import sys
import time
import traceback

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests/runner"))
from cases import run_case

MARK = "dwell-guest "
PORT = "/dev/ttyS1"
OUTPUT_CHARS = 4000
REBOOT_POWER_OFF = 0x4321fedc
MOUNTS = (("devpts", "/dev/pts", ""), ("tmpfs", "/dev/shm", ""),
          ("cgroup2", "/sys/fs/cgroup/unified", ""), ("cgroup", "/sys/fs/cgroup/cpu", "cpu"))


def tell(port, **what):
    port.write(f"\n{MARK}{json.dumps(what)}\n".encode())
    port.flush()


def set_up():
    for kind, path, options in MOUNTS:
        os.makedirs(path, exist_ok=True)
        subprocess.run(["mount", "-n", "-t", kind, *(["-o", options] if options else []), kind,
                        path], check=True)
    subprocess.run(["stty", "-F", PORT, "raw", "-echo"], check=True)


def run_cases(port):
    with open(os.path.join(TOP, "cases")) as file:
        cases = file.read().split()
    tell(port, event="ready")
    for case in cases:
        start = time.monotonic()
        outcome = run_case(os.path.join(TOP, "tests/e2e", case + ".py"))
        tell(port, event="case", case=case, passed=outcome.passed, failed=outcome.failed,
             skipped=outcome.skipped, reason=outcome.reason, seconds=time.monotonic() - start,
             output=outcome.output[-OUTPUT_CHARS:])
    tell(port, event="end")


def main():
    # Bounds on time are loosened, and no switch may have escaped: this machine hides none.
    os.environ.update(DWELL_SLOW="4", DWELL_SEES_ALL="1")
    set_up()
    with open(PORT, "wb") as port:
        try:
            run_cases(port)
        except Exception:
            tell(port, event="broken", output=traceback.format_exc())
    sys.stdout.flush()
    ctypes.CDLL(None).reboot(REBOOT_POWER_OFF)


if __name__ == "__main__":
    main()
