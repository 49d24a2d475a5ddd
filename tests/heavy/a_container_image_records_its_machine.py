# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
"""The image of packaging/Containerfile, with nothing in it but the static program, records the machine
from inside of a container that is let, and says what is missing in one that is not."""
import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/e2e")
from lib import *

need_root()
if not shutil.which("buildah"):
    skip("buildah is not installed", is_optional=True)
static = os.path.join(TOP, "build/static")
if not os.path.exists(f"{static}/dwell"):
    skip("make STATIC=1 build/static/dwell has not been run")
# The filter of system calls that containers have by default lets none but SYS_ADMIN call bpf(2).
RIGHTS = [word for name in ("BPF", "PERFMON", "SYS_ADMIN", "SYS_PTRACE", "DAC_READ_SEARCH", "SYSLOG")
          for word in ("--cap-add", f"CAP_{name}")]


def buildah(*words, **options):
    """Layers as plain folders, and no namespaces: both work inside of containers, too."""
    return run("buildah", "--storage-driver", "vfs", "--root", f"{TEMP}/layers", "--runroot",
               f"{TEMP}/state", *words, **options)


def inside(*words, **options):
    return buildah("run", "--isolation", "chroot", "--pid", "host", "-v", "/sys:/sys", "-v",
                   f"{TEMP}/out:/out", *options.pop("rights", []), container, "--", "/usr/bin/dwell",
                   *words, **options)


os.makedirs("out")
buildah("build", "--isolation", "chroot", "-f", os.path.join(TOP, "packaging/Containerfile"), "-t",
        "dwell", static)
container = buildah("from", "localhost/dwell").stdout.strip()
check("statically linked" in inside("--version").stdout, "the program runs")
refused = inside("record", "-a", "-d", "1s", "-o", "/out/a.dwell", status=None)
check("CAP_" in refused.stderr and not os.path.exists("out/a.dwell"), refused.stderr)
inside("record", "-a", "-d", "1s", "-o", "/out/a.dwell", rights=RIGHTS)
threads = report_json("out/a.dwell", "--idle", "show")["threads"]
check(any(thread["pid"] == os.getpid() for thread in threads), "this process is outside, and recorded")
