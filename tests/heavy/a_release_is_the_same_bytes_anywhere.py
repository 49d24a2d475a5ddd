# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1200
"""`make release` from two clones in folders of different names, at different times and with different
umasks, locales and time zones, gives the same bytes; the program runs, knows its commit, and holds no path."""
import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/e2e")
from lib import *

need_tool("git")
GIT = ("git", "-c", f"safe.directory={TOP}", "-c", f"safe.directory={TOP}/.git")
commit = run(*GIT, "-C", TOP, "rev-parse", "HEAD").stdout.strip()


def release(folder, **differences):
    run(*GIT, "clone", "-q", "--no-hardlinks", TOP, folder)
    run("git", "-C", folder, "checkout", "-q", commit)
    run("make", "-s", "-C", folder, "release", timeout=580, env=dict(os.environ, **differences))
    return {os.path.basename(path): open(path, "rb").read()
            for path in glob.glob(f"{folder}/build/release/*")}


one = release("one", TZ="Asia/Tokyo", LC_ALL="C.UTF-8")
os.umask(0o077)
other = release("another/folder/with/a/longer/name", TMPDIR=TEMP, TZ="UTC")
check(sorted(one) == sorted(other) and len(one) == 3, f"{sorted(one)}, {sorted(other)}")
for name in one:
    check(one[name] == other[name], f"{name} differs")

run("sh", "-c", "cd one/build/release && sha256sum -c *.sha256")
program = glob.glob("one/build/release/*-" + os.uname().machine)[0]
said = run(program, "--version").stdout
check(f"revision {commit[:12]}\n" in said and "statically" in said, said)
with open(program, "rb") as file:
    bytes_of_program = file.read()
for path in (TEMP, TOP, "/tmp/tmp."):
    check(path.encode() not in bytes_of_program, f"{path} is in the program")

with open("one/README.md", "a") as file:
    file.write("\n")
refused = run("make", "-s", "-C", "one", "release", status=2)
check("not committed" in refused.stderr, refused.stderr)
