# SPDX-License-Identifier: GPL-2.0-or-later
"""An event that does not exist, or that cannot be watched, is one line that says what to give; nothing
is recorded, and the recordings of before stay."""
from lib import *
from traces import need_tracefs

need_root()
program = workload("callers")
LIBC = next(iter(glob.glob("/lib/*/libc.so.6")), "")
folder = tempfile.mkdtemp()
atexit.register(shutil.rmtree, folder)
fifo = os.path.join(folder, "fifo")
os.mkfifo(fifo)
# A program with the name of a library.
namesake = os.path.join(folder, "c")
with open(namesake, "w") as file:
    os.fchmod(file.fileno(), 0o755)
os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
# The head of a 32-bit program is enough to know it by.
old = os.path.join(folder, "old")
with open(old, "wb") as file:
    file.write(b"\x7fELF\x01\x01\x01" + bytes(9) + b"\x02\x00\x03\x00" + bytes(100))
for name in ("last.dwell", "last.dwell.old", "mine.dwell"):
    with open(name, "w") as file:
        file.write(name)
for event, *words in (
        ("page-fualts", "did you mean page-faults?"),
        ("wombats", "unknown event", "dwell list", "uprobe:FILE:FUNCTION"),
        ("page-faults:z", "no tracepoint page-faults:z"),
        ("task-clock", "did you mean cpu-clock?"),
        ("uprobe:nosuchlibrary:malloc", "no library or program nosuchlibrary", "whole path"),
        ("uprobe:/bin/true", "uprobe:FILE:FUNCTION"),
        ("uprobe:/no/such/file:main", "/no/such/file"),
        (f"uprobe:{program}:no_such_function", "no function no_such_function", program),
        (f"uprobe:{LIBC}:mallok", "near it are malloc"),
        (f"uprobe:{LIBC}:*", "more than 1024 functions"),
        (f"uprobe:{LIBC}:strlen", "IFUNC"),
        (f"usdt:{program}:a:b", "no USDT marks"),
        ("uprobe:/etc/passwd:main", "/etc/passwd", "no program or library"),
        ("uprobe:/etc:main", "no file /etc"),
        (f"uprobe:{fifo}:main", f"no file {fifo}"),
        (f"uprobe:{program}:hit+1000000", "hit has only"),
        ("uprobe:libc:no_such_function", LIBC, "looked into for libc"),
        ("uretprobe:libc:no_such_function", LIBC, "looked into for libc"),
        ("usdt:libc:a:b", LIBC, "looked into for libc"),
        (f"uprobe:{old}:main", f"{old} is a 32-bit program", "only 64-bit"),
        (f"uretprobe:{old}:main", "32-bit"),
        (f"usdt:{old}:a:b", "32-bit"),
        ("uretprobe:/etc/passwd:main", "no program or library"),
        ("uprobe:c:no_such_function", LIBC, f"looked into for c, not {namesake}"),
        ("uprobe:/proc/version:main", "/proc/version", "file system"),
        ("syscall:open:retrun", "syscall:NAME:return"),
        ("cpu/evnt=1/", "evnt")):
    for output in ((), ("-o", "mine.dwell")):
        check_one_line_error(dwell("record", "-e", event, "-d", "1s", *output, status=2), *words)
check_one_line_error(dwell("record", "-e", "page-faults", "-e", "page-faults", "-d", "1s", status=2),
                     "another event")
for options, *words in (
        (("-c", "5"), "no -e before it"), (("--sum", "ret"), "no -e before it"),
        (("-e", "faults", "--as", "x"), "several events"), (("-e", "faults", "-c", "0"), "every how many"),
        (("-e", "faults", "-c", "-5"), "every how many"), (("-e", "cs", "--sum", "x"), "no number"),
        (("-e", "cs", "--if", "x==1"), "no number"),
        (("-e", f"uprobe:{program}:hit", "--sum", "ret"), "uretprobe:"),
        (("-e", f"uprobe:{program}:hit", "--sum", "arg7"), "arg1 to arg6"),
        (("-e", f"uprobe:{program}:hit", "--if", "arg1"), "FIELD OP NUMBER"),
        (("-e", f"uprobe:{program}:hit", "--as", "a;b"), "without ;")):
    check_one_line_error(dwell("record", *options, "-d", "1s", status=2), *words)
try:
    need_tracefs()
    for options, *words in (
            (("-e", "sched:sched_swich"), "near are sched:sched_switch"),
            (("-e", "wombats:all"), "no tracepoint wombats:all", "dwell list"),
            (("-e", "syscall:write", "--sum", "ret"), "syscall:write:return"),
            (("-e", "syscall:opennat"), "near are", "sys_enter_openat"),
            (("-e", "sched:sched_switch", "--sum", "prev_comm"), "char[16], not a number", "prev_pid"),
            (("-e", "sched:sched_switch", "--if", "nothing > 1"), "no field nothing", "prev_pid")):
        check_one_line_error(dwell("record", *options, "-d", "1s", status=2), *words)
except SystemExit:
    print("tracefs cannot be mounted: its errors are left out")
many = [word for i in range(17) for word in ("-e", f"uprobe:{program}:f{i}")]
check_one_line_error(dwell("record", *many, "-d", "1s", status=2), "too many")
check_one_line_error(dwell("record", "-e", f"uprobe:{program}:hit", "--user-stacks", "fp", "-d", "1s",
                           status=2), "exclude each other")
for name in ("last.dwell", "last.dwell.old", "mine.dwell"):
    with open(name) as file:
        check(file.read() == name, f"{name} was touched")
check(len(os.listdir(".")) == 3, f"nothing is recorded, but there is {os.listdir('.')}")
