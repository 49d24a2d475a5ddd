# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk that is read-only, one that has no room for another file, and a limit on the size of files:
each is one line that says what it is, and leaves nothing behind."""
from lib import *

need_root()
with open("a.folded", "w") as file:
    for number in range(3000):
        file.write(f"main;function_{number * 7919:x};leaf_{number} {number + 1}\n")
dwell("import", "--as", "blocked", "a.folded", "-o", "a.dwell")


def mount(name, options):
    os.mkdir(name)
    run("mount", "-t", "tmpfs", "-o", options, "dwell-test", name)
    cleanup(lambda: subprocess.run(["umount", "-l", os.path.join(TEMP, name)]))


def commands(folder):
    return (("import", "--as", "blocked", "a.folded", "-o", f"{folder}/x.dwell"),
            ("record", "-d", "100ms", "-a", "-o", f"{folder}/x.dwell"),
            ("html", "a.dwell", "-o", f"{folder}/x.html"),
            ("flame", "a.dwell", "-o", f"{folder}/x.svg"),
            ("diff", "a.dwell", "a.dwell", "-o", f"{folder}/x.svg"))


mount("readonly", "size=1m")
dwell("import", "--as", "blocked", "a.folded", "-o", "readonly/last.dwell")
run("mount", "-o", "remount,ro", "readonly")
for args in commands("readonly"):
    result = dwell(*args, status=2)
    check_one_line_error(result, f"cannot write readonly/{args[-1].split('/')[1]}: Read-only file")
result = dwell("record", "-a", "-d", "100ms", cwd="readonly", status=2)
check_one_line_error(result, "cannot rename last.dwell to last.dwell.old: Read-only file system")
check(os.listdir("readonly") == ["last.dwell"], f"{os.listdir('readonly')}")

# One inode is the folder's own; a recording needs two, for its journal.
for left in (0, 1):
    mount(f"inodes{left}", f"size=1m,nr_inodes={left + 1}")
    for args in commands(f"inodes{left}")[:2 if left else 5]:
        check_one_line_error(dwell(*args, status=2), "no room for one more file", "df -i")
    check(os.listdir(f"inodes{left}") == [], f"{os.listdir(f'inodes{left}')}")

os.mkdir("limited")
# In blocks of 512 bytes, and less than a page or a recording of these stacks takes.
for args in commands("limited"):
    result = run("sh", "-c", 'ulimit -f 100; exec "$0" "$@"', DWELL, *args, status=2)
    check_one_line_error(result, "File too large", "ulimit -f")
with open("limited.txt", "w") as out:
    result = run("sh", "-c", 'ulimit -f 1; exec "$0" "$@"', DWELL, "flame", "-f", "a.dwell",
                 stdout=out, status=2)
check_one_line_error(result, "cannot write the output: File too large")
check(os.listdir("limited") == [], f"{os.listdir('limited')}")
# COMMAND has the signal as everybody has it.
result = dwell("record", "-o", "b.dwell", "--", "sh", "-c", "ulimit -f 1; exec head -c 9999 /dev/zero "
               "> limited/zeros", status=128 + signal.SIGXFSZ)
