# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls of what does not exist, or cannot be watched, are one line that says what to give; nothing is
recorded, and the recordings of before stay."""
from lib import *

need_root()
program = workload("callers")
LIBC = next(iter(glob.glob("/lib/*/libc.so.6")), "")
HAS_KPROBES = os.path.exists("/sys/bus/event_source/devices/kprobe/type")
names = ("last.dwell", "last.dwell.old", "mine.dwell")
for name in names:
    with open(name, "w") as file:
        file.write(name)

# What is wrong by itself, as a word of dwell calls and behind --calls.
for function, *words in (
        ("syscall:fsnc", "no system call fsnc", "near it are", "fsync"),
        ("syscall:", "syscall:NAME"),
        ("hit", "of which program or library", "FUNCTION"),
        ("libc:", "FILE:FUNCTION"),
        (":hit", "FILE:FUNCTION"),
        ("", "which calls"),
        ("k:", "k:FUNCTION"),
        (f"usdt:{program}:a", "BEGIN,END", "dwell list"),
        (f"usdt:{program}:a:b,", "BEGIN,END"),
        (f"usdt:{program}:a:b,c", "no USDT marks"),
        (f"uretprobe:{program}:hit", "that is a moment"),
        ("sched:sched_switch", "no library or program sched"),
        (f"{program}:hit+4", "without an offset"),
        ("nosuchlibrary:malloc", "no library or program nosuchlibrary", "whole path"),
        ("/no/such/file:main", "no file /no/such/file"),
        ("/etc/passwd:main", "/etc/passwd", "no program or library"),
        (f"{program}:no_such_function", "no function no_such_function", program),
        (f"{program}:hitt", "near it are hit"),
        (f"{LIBC}:mallok", "near it are malloc"),
        (f"{LIBC}:*", "more than 1024 functions"),
        (f"{LIBC}:strlen", "IFUNC")):
    for start in (("calls", function), ("record", "--calls", function)):
        check_one_line_error(dwell(*start, "-d", "1s", "-o", "mine.dwell", status=2), *words)

for kernel in ("vfs_read", "vfs_reed"):
    result = run(DWELL, "calls", f"k:{kernel}", "-d", "1s", status=None)
    if not HAS_KPROBES:
        check(result.returncode == 3, f"{result}")
        check_one_line_error(result, "without kprobes", "syscall:NAME")
    elif kernel == "vfs_reed":
        check(result.returncode == 2, f"{result}")
        check_one_line_error(result, "no function vfs_reed", "vfs_read")

# What stands behind a function.
for options, *words in (
        (("--slower", "soon"), "--slower soon", "10ms", "p99"),
        (("--slower", "p100"), "--slower p100", "percentile"),
        (("--slower", "p0"), "--slower p0", "percentile"),
        (("--slower", "0"), "--slower 0"),
        (("--slower", "-5ms"), "--slower -5ms"),
        (("--if", "arg1"), "OP and NUMBER"),
        (("--if", "arg7>1"), "arg1 to arg6"),
        (("--if", "size>1"), "arg1 to arg6"),
        (("--if", "arg1>1", "--if", "arg2>1"), "have the test arg1>1 already"),
        (("--overhead", "much"), "--overhead much"),
        (("--events-only",), "--events-only"),
        (("--calls", f"{program}:hit"), "twice")):
    check_one_line_error(dwell("calls", f"{program}:hit", *options, "-d", "1s", status=2), *words)

# What there is no function for, and what is only of dwell calls.
for arguments, *words in (
        (("calls",), "of which functions", "behind --"),
        (("calls", "-p", str(os.getpid())), "of which functions"),
        (("calls", "libc:malloc", "--"), "no COMMAND behind --"),
        (("calls", "libc:malloc", "--by", "awaited"), "dwell flame --by awaited"),
        (("calls", "libc:malloc", "--by", "wombat"), "wombat"),
        (("calls", "libc:malloc", "--top", "0"), "--top 0"),
        (("calls", "libc:malloc", "--slwer", "1ms"), "did you mean --slower?"),
        (("record", "-a", "--slower", "1ms"), "there is no --calls"),
        (("calls", "--if", "arg1>1", "syscall:fsync"), "there is no FUNCTION before it"),
        (("record", "-a", "--force"), "there is no --calls"),
        (("record", "-a", "--calls", "libc:malloc", "-e", "cs", "--if", "x==1"), "no number")):
    check_one_line_error(dwell(*arguments, status=2), *words)

# With a COMMAND small numbers are its own; a function without a file is one of it.
check_one_line_error(dwell("calls", "no_such_function", "--", program, status=125),
                     "no function no_such_function", program)
check_one_line_error(dwell("calls", "hit", "--slower", "soon", "--", program, status=125), "--slower soon")

for name in names:
    with open(name) as file:
        check(file.read() == name, f"{name} was touched")
check(len(os.listdir(".")) == 3, f"nothing is recorded, but there is {os.listdir('.')}")
