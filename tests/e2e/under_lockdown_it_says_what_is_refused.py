# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: only, because a kernel that is locked down stays so
# machine: last
"""Under lockdown "integrity" dwell records. Under "confidentiality" programs may not read kernel
memory: recording ends with 3 and one sentence that names lockdown and the way out, `dwell check`
says the same, and nothing is left behind."""
from lib import *

FOLDER = "/sys/kernel/security"


def lock_down(level):
    with open(f"{FOLDER}/lockdown", "w") as file:
        file.write(level)


need_root()
if not os.path.exists(f"{FOLDER}/lockdown"):
    run("mount", "-t", "securityfs", "none", FOLDER)
if not os.path.exists(f"{FOLDER}/lockdown"):
    skip("this kernel has no lockdown", is_optional=True)
lock_down("integrity")
check_books(record(command=["sleep", "0.3"]))
os.remove("0.dwell")
lock_down("confidentiality")
for is_visible in (True, False):
    refused = dwell("record", "-a", "-d", 1, status=3)
    check_one_line_error(refused, 'lockdown is "confidentiality"', "boot with lockdown=integrity")
    check(os.listdir(".") == [], f"left behind: {os.listdir('.')}")
    facts = dwell("check", status=None).stdout
    check(re.search("missing +no lockdown", facts) and "fix: boot with" in facts, facts)
    if is_visible:
        run("umount", FOLDER)
