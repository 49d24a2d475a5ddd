# SPDX-License-Identifier: GPL-2.0-or-later
"""An event that does not exist, or that cannot be watched, is one line that says what to give; nothing
is recorded, and the recordings of before stay."""
from lib import *

need_root()
program = workload("callers")
LIBC = next(iter(glob.glob("/lib/*/libc.so.6")), "")
folder = tempfile.mkdtemp()
atexit.register(shutil.rmtree, folder)
fifo = os.path.join(folder, "fifo")
os.mkfifo(fifo)
for name in ("last.dwell", "last.dwell.old", "mine.dwell"):
    with open(name, "w") as file:
        file.write(name)
for event, *words in (
        ("page-fualts", "did you mean page-faults?"),
        ("wombats", "events are page-faults", "uprobe:PATH:FUNCTION"),
        ("uprobe:libc:malloc", "whole path"),
        ("uprobe:/bin/true", "whole path"),
        ("uprobe:/no/such/file:main", "/no/such/file"),
        (f"uprobe:{program}:no_such_function", "no function no_such_function", program),
        # dwell's commands have one each.
        (f"uprobe:{os.path.realpath(DWELL)}:parse_option", "several functions parse_option"),
        (f"uprobe:{LIBC}:strlen", "IFUNC"),
        ("uprobe:/etc/passwd:main", "/etc/passwd", "no program or library"),
        ("uprobe:/etc:main", "no file /etc"),
        (f"uprobe:{fifo}:main", f"no file {fifo}"),
        ("uprobe:/proc/version:main", "/proc/version", "file system")):
    for output in ((), ("-o", "mine.dwell")):
        check_one_line_error(dwell("record", "-e", event, "-d", "1s", *output, status=2), *words)
check_one_line_error(dwell("record", "-e", "page-faults", "-e", "page-faults", "-d", "1s", status=2),
                     "another event")
many = [word for i in range(17) for word in ("-e", f"uprobe:{program}:f{i}")]
check_one_line_error(dwell("record", *many, "-d", "1s", status=2), "too many")
check_one_line_error(dwell("record", "-e", f"uprobe:{program}:hit", "--user-stacks", "fp", "-d", "1s",
                           status=2), "exclude each other")
for name in ("last.dwell", "last.dwell.old", "mine.dwell"):
    with open(name) as file:
        check(file.read() == name, f"{name} was touched")
check(len(os.listdir(".")) == 3, f"nothing is recorded, but there is {os.listdir('.')}")
