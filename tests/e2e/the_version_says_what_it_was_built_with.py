# SPDX-License-Identifier: GPL-2.0-or-later
"""`dwell --version`: the version of the Makefile alone on the first line, then revision, compiler,
architecture, linking and libraries, and nothing that two builds of one source would differ in."""
from lib import *

need_tool("make")
need_tool("readelf")
lines = dwell("--version").stdout.splitlines()
check(lines == dwell("-V").stdout.splitlines(), "-V is --version")
with open(os.path.join(TOP, "Makefile")) as file:
    version = re.search(r"^VERSION := (\S+)$", file.read(), re.M)[1]
check(lines[0] == f"dwell {version}", f"{lines[0]} is not version {version}")
check(len(lines) == 4, f"{lines}")
check(re.fullmatch(r"revision (unknown|[0-9a-f]{12}(, modified)?)", lines[1]), lines[1])
linked = "dynamically" if "INTERP" in run("readelf", "-lW", DWELL).stdout else "statically"
check(re.fullmatch(rf"built by (gcc|clang) \d+\..* for {os.uname().machine}, {linked} linked", lines[2]),
      lines[2])
check(re.fullmatch(r"with libbpf \d+\.\d+, SQLite 3\.[0-9.]+", lines[3]), lines[3])
for secret in (TOP, os.uname().nodename, time.strftime("%Y")):
    check(secret not in "\n".join(lines), f"{secret} is in {lines}")

# Where the revision comes from: git in a clone, the archive itself without one.
need_tool("git")
os.makedirs("clone/tools")
shutil.copy(os.path.join(TOP, "tools/revision"), "clone/tools/revision")
shutil.copy(os.path.join(TOP, ".gitattributes"), "clone/.gitattributes")


def git(*words):
    return run("git", "-C", "clone", "-c", "user.name=t", "-c", "user.email=t@t", *words).stdout


def revision_of(folder):
    run(f"{folder}/tools/revision", os.path.abspath("revision.h"))
    with open("revision.h") as file:
        return re.fullmatch(r'#define REVISION "(.*)"\n', file.read())[1]


check(revision_of("clone") == "unknown", "without git there is none")
git("init", "-q")
git("add", ".")
git("commit", "-qm", "one")
commit = git("rev-parse", "HEAD")[:12]
check(revision_of("clone") == commit, f"{revision_of('clone')} is not {commit}")
os.utime("revision.h", (0, 0))
revision_of("clone")
check(os.stat("revision.h").st_mtime == 0, "what is unchanged is not written")
with open("clone/.gitattributes", "a") as file:
    file.write("\n")
check(revision_of("clone") == f"{commit}, modified", "a changed file")
git("archive", "--prefix=archive/", "-o", os.path.abspath("archive.tar"), "HEAD")
run("tar", "-xf", "archive.tar")
check(revision_of("archive") == commit, f"an archive knows it: {revision_of('archive')}")
