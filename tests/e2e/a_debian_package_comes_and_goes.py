# SPDX-License-Identifier: GPL-2.0-or-later
"""`make deb` builds a package that lintian has nothing to say about; installed below a root of its
own it reads a recording as ./dwell does, and purged it leaves nothing behind."""
# timeout: 600
from lib import *

need_root()
need_tool("make")
need_tool("dh")
need_tool("lintian")
os.environ["PATH"] += ":/usr/sbin:/sbin"

# Whoever hands it on may be called by what is special to sed.
os.environ["DEBFULLNAME"] = "R&D/Ops Team"
os.environ["DEBEMAIL"] = "team@packages.invalid"
package = run("make", "-s", "-C", TOP, "deb", f"DEB_OUT={TEMP}/deb", timeout=500).stdout.strip()
check(os.path.isfile(package), f"make deb says where the package is: {package}")
said = run("lintian", "--allow-root", "--fail-on", "error,warning",
           *glob.glob("deb/*.changes"), status=None)
check(said.returncode == 0 and said.stdout == "", f"lintian: {said.stdout}{said.stderr}")

version = dwell("--version").stdout.split("\n")[0].removeprefix("dwell ")
check(run("dpkg-deb", "-f", package, "Version").stdout.strip() == version, "one version")
maintainer = run("dpkg-deb", "-f", package, "Maintainer").stdout.strip()
check(maintainer == "R&D/Ops Team <team@packages.invalid>", maintainer)
depends = run("dpkg-deb", "-f", package, "Depends").stdout
needed = ("libbpf", "libc6", "libelf", "liblzma", "libsqlite3", "libzstd", "zlib1g")
check(all(word in depends for word in needed), f"shared libraries: {depends}")

os.makedirs("root/var/lib/dpkg/info")
os.makedirs("root/var/lib/dpkg/updates")
os.makedirs("root/var/cache")
open("root/var/lib/dpkg/status", "w").close()


def everything():
    return {os.path.join(folder, name) for folder, folders, names in os.walk("root")
            for name in folders + names if not folder.startswith("root/var/lib/dpkg")}


def dpkg(*words):
    """Below a root without libraries: those of this machine are used, and no script is in there."""
    return run("dpkg", f"--root={TEMP}/root", "--force-depends", "--force-script-chrootless",
               "--log=/dev/null", *words)


before = everything()
dpkg("-i", package)
installed = everything() - before
for page in glob.glob(os.path.join(TOP, "man/*.[1-8]")):
    name = os.path.basename(page)
    check(f"root/usr/share/man/man{name[-1]}/{name}.gz" in installed, f"{name}: {installed}")
for path in ("bash-completion/completions/dwell", "zsh/vendor-completions/_dwell",
             "fish/vendor_completions.d/dwell.fish", "doc/dwell/copyright", "doc/dwell/changelog.gz"):
    check(f"root/usr/share/{path}" in installed, f"{path}: {installed}")

with open("a.dwell", "wb") as file:
    run("xz", "-dc", sorted(glob.glob(os.path.join(TOP, "tests/data/recordings/*.xz")))[-1],
        stdout=file)
report = run("root/usr/bin/dwell", "report", "a.dwell").stdout
check(report == dwell("report", "a.dwell").stdout and "\n" in report, report)
run(os.path.join(TOP, "tools/revision"), f"{TEMP}/revision.h")
with open("revision.h") as file:
    revision = re.search(r'"(.*)"', file.read())[1]
said = run("root/usr/bin/dwell", "--version").stdout
check(said.startswith(f"dwell {version}\nrevision {revision}\n"), f"not {revision}: {said}")

os.makedirs("root/var/cache/dwell/unwind")
dpkg("-r", "dwell")
check("root/var/cache/dwell" in everything(), "only a purge takes the cache away")
dpkg("-P", "dwell")
check(everything() == before, f"left behind: {everything() - before}")
left = [path for path in glob.glob("root/var/lib/dpkg/info/*") if "dwell" in path]
check(not left, f"left behind: {left}")
