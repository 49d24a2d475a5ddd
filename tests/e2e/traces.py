# SPDX-License-Identifier: GPL-2.0-or-later
"""Scheduler events as perf records them, while dwell records too."""
import struct
import subprocess

from lib import *


def need_tracefs():
    if not os.path.exists("/sys/kernel/tracing/events/sched"):
        if subprocess.run(["mount", "-t", "tracefs", "tracefs", "/sys/kernel/tracing"],
                          stderr=subprocess.DEVNULL).returncode:
            skip("tracefs cannot be mounted")


def mend(path):
    """Dwell asks the kernel for the build-ids of new mappings; their flag leaks into perf's own
    records of these mappings, and perf 6.1 dies of what it then takes for a build-id. It also
    stumbles over the symbols of BPF programs, which are turned into something it ignores."""
    MMAP2, HAS_BUILD_ID = 10, 1 << 14
    THROTTLE, KSYMBOL = 5, 17
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        at, size = struct.unpack_from("<QQ", data, 40)
        end = at + size
        while at < end:
            kind, misc, length = struct.unpack_from("<IHH", data, at)
            if kind == MMAP2:
                struct.pack_into("<H", data, at + 4, misc & ~HAS_BUILD_ID)
            elif kind == KSYMBOL:
                struct.pack_into("<I", data, at, THROTTLE)
            at += length
        file.seek(0)
        file.write(data)


def trace(*command, path="trace.txt"):
    """Switches and wakes of the whole machine while the command runs, as text. Kernel stacks only:
    perf reads no build-ids then, which can be longer than it likes."""
    recorded = run("nice", "-n", "-15", "perf", "record", "-B", "-N", "-g", "--kernel-callchains",
                   "-m", "8192", "-e", "sched:sched_switch", "-e", "sched:sched_waking", "-a",
                   "-o", "trace.data", "--", *command, status=None, timeout=200)
    if recorded.returncode or not os.path.exists("trace.data"):
        skip(f"perf cannot record: {recorded.stderr.strip()[-200:]}")
    mend("trace.data")
    with open(path, "w") as out:
        # Without +ip,+sym,+dso any -F takes the stacks away from tracepoints.
        run("perf", "script", "--ns", "-F", "+pid,+ip,+sym,+dso", "-i", "trace.data", stdout=out,
            timeout=200)
    lost = run("perf", "script", "--show-lost-events", "-F", "comm", "-i", "trace.data",
               timeout=200).stdout.count("PERF_RECORD_LOST")
    if lost:
        skip("perf lost events: this machine is too busy", is_optional=True)
    return path
