# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1200
"""packaging/make-rpm and packaging/make-arch build packages that hold what `make install` installs,
with a program that runs. Their dependencies cannot be resolved here: names are of other distributions."""
import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/e2e")
from lib import *

need_root()
for tool in ("rpmbuild", "rpm2cpio", "cpio", "rpmlint", "makepkg", "pacman", "bsdtar"):
    if not shutil.which(tool):
        skip(f"{tool} is not installed", is_optional=True)
os.chmod(TEMP, 0o755)
run("make", "-C", TOP, "install", f"DESTDIR={TEMP}/plain", "PREFIX=/usr")


def files_of(folder):
    """Man pages may be packed."""
    return {re.sub(r"\.(gz|zst)$", "", os.path.relpath(os.path.join(path, name), folder))
            for path, _, names in os.walk(folder) for name in names}


def check_package(folder, *besides):
    missing = files_of("plain") - files_of(folder)
    more = {path for path in files_of(folder) - files_of("plain") if not path.startswith(besides)}
    check(not missing and not more, f"{folder}: without {missing}, with {more}")
    check(run(f"{folder}/usr/bin/dwell", "--version").stdout.split("\n")[0] ==
          dwell("--version").stdout.split("\n")[0], "the version")


package = run(os.path.join(TOP, "packaging/make-rpm"), f"{TEMP}/rpms", "--nodeps", "--define",
              "debug_package %{nil}", timeout=500).stdout.strip()
os.makedirs("rpm")
run("sh", "-c", f"rpm2cpio {package} | cpio -id --quiet", cwd="rpm")
check_package("rpm", "usr/share/doc", "usr/share/licenses", "usr/lib/.build-id")
# Signature and packager are those of whoever hands it on; groups are no longer used.
said = run("rpmlint", package, "rpms/dwell.spec", status=None).stdout
errors = set(re.findall(r": E: (\S+)", said)) - {"no-signature", "no-packager-tag", "no-group-tag"}
check("1 specfiles checked" in said and not errors, said)

# makepkg refuses to work for root.
user = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
run(os.path.join(TOP, "packaging/stage"), f"{TEMP}/sources")
run("chown", "-R", "65534:65534", "sources")
os.makedirs("archs")
os.chown("archs", 65534, 65534)
package = run(*user, "sources/packaging/make-arch", f"{TEMP}/archs", "-d", timeout=500,
              env=dict(os.environ, HOME=f"{TEMP}/archs")).stdout.strip()
os.makedirs("arch")
run("tar", "-xf", package, "-C", "arch")
check_package("arch", ".")
with open("archs/.SRCINFO") as file:
    check("pkgname = dwell" in file.read(), "what AUR wants")
