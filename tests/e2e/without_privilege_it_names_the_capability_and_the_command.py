# SPDX-License-Identifier: GPL-2.0-or-later
"""Without privilege: exit 3, with the missing capability and the command that helps, and nothing
left behind. With a command dwell's own failure is 125, and the command is not run."""
from lib import *

need_root()
os.chmod(TEMP, 0o755)
shutil.copy(DWELL, "dwell")
os.chmod("dwell", 0o755)
os.mkdir("work")
os.chown("work", 65534, 65534)
nobody = dict(user=65534, group=65534, extra_groups=[], cwd="work", status=None)

refused = run("../dwell", "record", "-a", "-d", "1", **nobody)
check(refused.returncode == 3, f"exit status {refused.returncode}: {refused.stderr}")
check("CAP_BPF" in refused.stderr or "CAP_SYS_ADMIN" in refused.stderr,
      f"no capability in: {refused.stderr}")
check("sudo " in refused.stderr or "setcap " in refused.stderr, f"no command in: {refused.stderr}")

refused = run("../dwell", "record", "--", "touch", "was-run", **nobody)
check(refused.returncode == 125, f"with a command: exit status {refused.returncode}")
check(os.listdir("work") == [], f"left behind: {os.listdir('work')}")

facts = run("../dwell", "check", **nobody)
check("missing" in facts.stdout, f"dwell check has nothing to say: {facts.stdout}")
