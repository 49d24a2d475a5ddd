# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the kernel shows no BTF, recording ends with 3 and says what is missing; `dwell check` says
so too. The BTF is hidden in a mount namespace of its own."""
from lib import *

need_root()
need_tool("unshare")
HIDE = "mount -t tmpfs none /sys/kernel/btf && exec "


def without_btf(*args, status):
    return run("unshare", "-m", "sh", "-c", HIDE + '"$0" "$@"', DWELL, *args, status=status)


if not os.path.exists("/sys/kernel/btf/vmlinux"):
    skip("this kernel has no BTF", is_optional=True)
refused = without_btf("record", "-a", "-d", "1", "-o", "a.dwell", status=3)
check("BTF" in refused.stderr, f"no BTF in: {refused.stderr}")
check(os.listdir(".") == [], f"left behind: {os.listdir('.')}")
facts = without_btf("check", status=None)
btf, = [line for line in facts.stdout.split("\n") if re.search(r"missing +\S*BTF", line)]
check("fix" in facts.stdout, f"no remedy in:\n{facts.stdout}")
