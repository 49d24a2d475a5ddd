# SPDX-License-Identifier: GPL-2.0-or-later
"""Beside a recording of root's, in a folder that everybody can write to, another user plants
journals that tell SQLite to delete a file of root's, or to write into one that the user reads:
the file survives, the recording is good, nothing leaks, and what was planted stays where it is."""
import stat
from lib import *

need_root()
NOBODY = 65534

# Puts a journal beside the recording whenever there is none; "clear" also removes what is there.
PLANT = """
import os, signal, struct, sys
path, victim, clear = sys.argv[1], sys.argv[2].encode(), sys.argv[3] == "clear"
magic = bytes.fromhex("d9d505f920a163d7")
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
ends, planted = [], False
signal.signal(signal.SIGTERM, lambda *_: ends.append(True))
print("ready", flush=True)
while not ends:
    try:
        pages = os.stat(path).st_size // 4096
        if pages and clear:
            os.unlink(path + "-journal")
        if pages:
            fd = os.open(path + "-journal", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            header = magic + struct.pack(">IIIII", 0, 0, pages, 512, 4096)
            name = struct.pack(">I", 0x40000000 // 4096 + 1) + victim
            end = struct.pack(">II", len(victim), sum(victim)) + magic
            os.write(fd, header.ljust(512, b"\\0") + name + end)
            os.close(fd)
            planted or print("planted", flush=True)
            planted = True
    except OSError:
        pass
"""


def as_nobody(command):
    run("sh", "-c", command, user=NOBODY, group=NOBODY, extra_groups=[])


def make_folder(name, mode):
    os.mkdir(name)
    os.chmod(name, mode)
    return os.path.abspath(name)


def read_planted(path):
    with open(path + "-journal", "rb") as file:
        return file.read()


os.chmod(".", 0o755)
os.mkdir("root", 0o700)
victim = os.path.abspath("root/victim")
background(workload("pingpong"), 10**9)

for name, mode, way in (("sticky", 0o1777, "wait"), ("open", 0o777, "clear")):
    path = make_folder(name, mode) + "/a.dwell"
    with open(victim, "w") as file:
        file.write("precious\n")
    planter = background(sys.executable, "-c", PLANT, path, victim, way, stdout=subprocess.PIPE,
                         text=True)
    check(planter.stdout.readline() == "ready\n", "the attacker did not start")
    record("-a", "-d", "1s", "--slice", "20ms", path=path)
    check(planter.stdout.readline() == "planted\n", "nothing was planted")
    planter.terminate()
    check(planter.wait(20) == 0, "the attacker failed")
    check(os.path.exists(victim), f"{name}: a file of root's was deleted")
    # What lies there now is the stranger's: the reader says so and leaves it alone.
    info = os.stat(path + "-journal")
    check(info.st_uid == NOBODY, f"{name}: the journal belongs to {info.st_uid}")
    planted = read_planted(path)
    check_one_line_error(dwell("report", path, status=2), "a.dwell-journal belongs to user 65534")
    check(read_planted(path) == planted and os.path.exists(victim), f"{name}: reading did harm")
    os.unlink(path + "-journal")
    recording = Recording(path)
    check_books(recording)
    check(recording.report["recording"]["is_finished"], f"{name}: not finished")
    with open_database(path) as database:
        check(database.execute("PRAGMA integrity_check").fetchone() == ("ok",), "integrity")
    check(os.listdir(name) == ["a.dwell"], f"{name}: {os.listdir(name)}")

# A journal that was there before, and that everybody can read, gets nothing of a recording.
path = make_folder("leaky", 0o1777) + "/a.dwell"
as_nobody(f"umask 0; : > {path}-journal")
result = dwell("record", "-o", path, "--", "true", status=125)
check_one_line_error(result, "a.dwell-journal is in the way and not ours")
check(os.stat(path + "-journal").st_size == 0, "it was written to")
check(os.listdir("leaky") == ["a.dwell-journal"], f"left behind: {os.listdir('leaky')}")
# Nor do links and pipes of that name.
for make in (lambda name: os.symlink(victim, name), os.mkfifo):
    os.unlink(path + "-journal")
    make(path + "-journal")
    check_one_line_error(dwell("record", "-o", path, "--", "true", status=125), "in the way")
    check(os.path.lexists(path + "-journal"), "somebody else's file was removed")
check(os.path.exists(victim), "a link was followed")

# Whoever planted a whole recording with its journal loses both, and keeps an empty file open.
os.unlink(path + "-journal")
as_nobody(f"umask 0; : > {path}; : > {path}-journal")
with open(path + "-journal") as held:
    record(path=path, command=["sleep", "0.3"])
    check(held.read() == "" and os.listdir("leaky") == ["a.dwell"], f"{os.listdir('leaky')}")
check(os.stat(path).st_uid == 0 and stat.S_IMODE(os.stat(path).st_mode) == 0o600, "not private")
