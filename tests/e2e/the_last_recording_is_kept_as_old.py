# SPDX-License-Identifier: GPL-2.0-or-later
"""Without -o the recording is last.dwell, the one before stays as last.dwell.old, and report and
flame read last.dwell by themselves."""
from lib import *

need_root()
dwell("record", "--", "sleep", "0.2")
check(os.path.exists("last.dwell") and not os.path.exists("last.dwell.old"), f"{os.listdir('.')}")
with open("last.dwell", "rb") as file:
    first = file.read()
dwell("record", "--", "sleep", "0.4")
with open("last.dwell.old", "rb") as file:
    check(file.read() == first, "last.dwell.old is not the recording before")
dwell("record", "--", "true")
check(sorted(os.listdir(".")) == ["last.dwell", "last.dwell.old"], f"{os.listdir('.')}")
check("true" in dwell("report").stdout, "report reads last.dwell")
check("true" in dwell("flame", "--view", "hotcold", "-f").stdout, "flame reads last.dwell")
# A recording that does not begin must not push the last one out.
dwell("record", "-p", "999999999", status=2)
check("true" in dwell("report").stdout, "a failed start replaced last.dwell")


def contents():
    return {name: open(name, "rb").read() for name in sorted(os.listdir("."))}


# Nor must one of nothing, or one that a full disk ends before there is anything to keep.
before = contents()
check(sorted(before) == ["last.dwell", "last.dwell.old"], f"{sorted(before)}")
dwell("record", "-n", "nobody has this name", "-d", "0.2", status=1)
check(contents() == before, f"a recording of nothing changed {sorted(contents())}")
dwell("record", "--", "/nonexistent/command", status=127)
check(contents() == before, f"a command that cannot run changed {sorted(contents())}")
process = background(DWELL, "record", "-a", stderr=subprocess.DEVNULL)
process.send_signal(signal.SIGINT)
process.wait(HANGS_S)
check(sorted(contents()) == ["last.dwell", "last.dwell.old"], f"left {sorted(contents())}")
before = contents()
os.mkdir("small")
run("mount", "-t", "tmpfs", "-o", f"size={sum(map(len, before.values())) // 1024 + 200}k", "dwell-test", "small")
cleanup(lambda: subprocess.run(["umount", "-l", os.path.join(TEMP, "small")]))
for name in before:
    shutil.copy(name, "small")
os.chdir("small")
before = contents()
result = dwell("record", "-a", "-d", "1", status=None)
check(result.returncode == 2 and "disk full" in result.stderr, f"{result}")
check(contents() == before, f"a full disk left {sorted(contents())}, {result.stderr}")
os.chdir("..")
