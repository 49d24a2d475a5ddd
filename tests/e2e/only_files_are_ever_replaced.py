# SPDX-License-Identifier: GPL-2.0-or-later
"""-o writes devices, pipes and open files in place, makes a file in place of a file or of a link to
one, and refuses what another user has put there to be written to. A recording, which only a file can
hold, says so."""
import socket
import stat
from lib import *

need_root()
NOBODY = 65534
with open("a.folded", "w") as file:
    file.write("main;work 10\nmain;sleep 30\n")
dwell("import", "--as", "blocked", "a.folded", "-o", "a.dwell")
COMMANDS = (("html", "html"), ("flame", "svg"), ("flame", "folded"), ("diff", "svg"))


def words_of(command, output):
    files = ("a.dwell", "a.dwell") if command == "diff" else ("a.dwell",)
    return (command, *files, "-o", output)


def write_to(command, output, **options):
    return dwell(*words_of(command, output), **options)


def kind(path):
    return stat.S_IFMT(os.lstat(path).st_mode)


def in_own_dev(command, **options):
    """Runs a command of the shell with a /dev that is nobody else's."""
    script = ("mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && "
              "ln -s /proc/self/fd /dev/fd && ln -s fd/1 /dev/stdout && ")
    return run("unshare", "-m", "sh", "-c", script + command, DWELL, **options)


# Machines have broken without their /dev/null.
for command, ending in COMMANDS:
    if command == "html":
        in_own_dev(f"$0 {' '.join(words_of(command, '/dev/null'))} && test -c /dev/null")
    # Under a name that tells the format.
    in_own_dev(f"ln /dev/null /dev/n.{ending} && ln -s n.{ending} /dev/l.{ending} && "
               f"$0 {' '.join(words_of(command, f'/dev/n.{ending}'))} && test -c /dev/n.{ending} &&"
               f"$0 {' '.join(words_of(command, f'/dev/l.{ending}'))} && test -L /dev/l.{ending}")

def check_page_after_first_line(text, name):
    check(text.startswith("first\n<!doctype html>") and text.endswith("</html>\n"),
          f"{name}: {text[:60]!r} ... {text[-60:]!r}")


# What is open already, however it is called, goes on where it was.
for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/../dev/stdout"):
    got = in_own_dev(f"echo first; $0 html a.dwell -o {name}; test -L /dev/stdout").stdout
    check_page_after_first_line(got, f"{name}, a pipe")
    with open("out", "w") as out:
        in_own_dev(f"echo first; $0 html a.dwell -o {name}; test -L /dev/stdout", stdout=out)
    with open("out") as out:
        check_page_after_first_line(out.read(), f"{name}, a file")
ours, theirs = socket.socketpair()
ours.settimeout(20)
background("unshare", "-m", "sh", "-c", "mount -t tmpfs none /dev; ln -s /proc/self/fd/1 /dev/out;"
           "exec $0 html a.dwell -o /dev/out", DWELL, stdout=theirs)
check(ours.recv(100).startswith(b"<!"), "a socket got something else")
theirs.close()

# A pipe of one's own.
for command, ending in COMMANDS:
    os.mkfifo(f"pipe.{ending}")
    with open("out", "wb") as out:
        reader = background("cat", f"pipe.{ending}", stdout=out)
    write_to(command, f"pipe.{ending}")
    reader.wait(20)
    check(os.path.getsize("out"), f"nothing came through pipe.{ending}")
    check(kind(f"pipe.{ending}") == stat.S_IFIFO, "the pipe was replaced")
    os.unlink(f"pipe.{ending}")

# A link to a file, or to nothing, makes room; where it led to stays as it is.
with open("target", "w") as file:
    file.write("precious")
for target in ("target", "nothing"):
    os.symlink(target, "link.html")
    write_to("html", "link.html")
    check(kind("link.html") == stat.S_IFREG and not os.path.exists("nothing"), target)
    os.unlink("link.html")
with open("target") as file:
    check(file.read() == "precious", "a link was followed")

# Names that another user has put where root writes.
os.chmod(".", 0o755)
os.mkdir("shared")
os.chmod("shared", 0o1777)
run("sh", "-c", "cd shared; mkfifo pipe.html; ln -s /dev/null null.html; ln -s /dev/stdout out.html;"
    f"ln -s {os.path.abspath('target')} file.html", user=NOBODY, group=NOBODY, extra_groups=[])
for name in ("pipe", "null", "out"):
    before = kind(f"shared/{name}.html")
    result = write_to("html", f"shared/{name}.html", status=2, timeout=20)
    check_one_line_error(result, f"shared/{name}.html", "through a name of another user")
    check(kind(f"shared/{name}.html") == before, f"shared/{name}.html was replaced")
write_to("html", "shared/file.html")
check(kind("shared/file.html") == stat.S_IFREG and os.path.getsize("target") == 8, "link, target")
check(not [name for name in os.listdir("shared") if name.count(".") > 1], f"{os.listdir('shared')}")

# A database needs a file.
os.mkfifo("pipe.dwell")
check_one_line_error(dwell("import", "a.folded", "-o", "pipe.dwell", status=2), "it is a pipe")
check_one_line_error(dwell("record", "-o", "pipe.dwell", "--", "true", status=125), "it is a pipe")
with open("out", "w") as out:
    result = in_own_dev("$0 import a.folded -o /dev/stdout; echo $? >&2; test -L /dev/stdout",
                        stdout=out)
check("open already, which cannot hold a database" in result.stderr, result.stderr)
check(result.stderr.endswith("\n2\n"), result.stderr)
for name in (".", "/", "shared/"):
    check_one_line_error(write_to("html", name, status=2), "it is a folder; name a file")
