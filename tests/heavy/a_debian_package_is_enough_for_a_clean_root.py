# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1200
"""The Debian package, installed by apt into a minimal Debian that has nothing else, brings all that it
needs and reads a recording there; purged, with what came for it, it leaves nothing behind."""
import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/e2e")
from lib import *

need_root()
need_tool("dh")
need_tool("mmdebstrap")
os.environ["PATH"] += ":/usr/sbin:/sbin"
suite = re.search(r"^VERSION_CODENAME=(\w+)", open("/etc/os-release").read(), re.M)[1]
# What managing packages changes, whichever they are.
MANAGED = ("var/lib/dpkg", "var/lib/apt", "var/cache", "var/log", "etc/ld.so.cache", "tmp")

package = run("make", "-s", "-C", TOP, "deb", f"DEB_OUT={TEMP}/deb", timeout=600).stdout.strip()
# The temporary folder itself is private: inside, apt's own user has to be able to read.
root = os.path.join(TEMP, "root")
os.chmod(TEMP, 0o755)
run("mmdebstrap", "--variant=minbase", "--mode=root", suite, root, "http://deb.debian.org/debian",
    timeout=600)
shutil.copy("/etc/resolv.conf", f"{root}/etc/resolv.conf")


def inside(*words):
    return run("chroot", root, *words,
               env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"})


def everything():
    return {os.path.relpath(os.path.join(folder, name), root)
            for folder, folders, names in os.walk(root) for name in folders + names
            if not os.path.relpath(os.path.join(folder, name), root).startswith(MANAGED)}


inside("apt-get", "update")
before = everything()
shutil.copy(package, f"{root}/tmp/dwell.deb")
with open(f"{root}/tmp/a.dwell", "wb") as file:
    run("xz", "-dc", sorted(glob.glob(os.path.join(TOP, "tests/data/recordings/*.xz")))[-1],
        stdout=file)
inside("apt-get", "install", "-y", "--no-install-recommends", "/tmp/dwell.deb")
check(inside("dwell", "--version").stdout.startswith("dwell "), "it runs")
check("blocked" in inside("dwell", "report", "/tmp/a.dwell").stdout, "a report")
inside("dwell", "html", "/tmp/a.dwell", "-o", "/tmp/a.html")
check(os.path.getsize(f"{root}/tmp/a.html") > 100000, "a page")
inside("apt-get", "purge", "-y", "--auto-remove", "dwell")
check(everything() == before, f"left behind: {sorted(everything() - before)[:20]}, "
      f"gone: {sorted(before - everything())[:20]}")
check("dwell" not in inside("dpkg", "-l").stdout, "dpkg remembers it")
