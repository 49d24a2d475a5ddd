# SPDX-License-Identifier: GPL-2.0-or-later
"""An ordinary user with exactly the capabilities that the refusal and the man page name: check finds
nothing missing, and stacks of root's program, which was deleted while it ran, are whole. Without the
one for deleted programs check says so, and so do the stacks."""
import struct

from lib import *

need_root()
NUMBERS = {"cap_dac_read_search": 2, "cap_sys_ptrace": 19, "cap_sys_nice": 23, "cap_syslog": 34,
           "cap_perfmon": 38, "cap_bpf": 39, "cap_checkpoint_restore": 40}
NOBODY = dict(user=65534, group=65534, extra_groups=[], cwd="work")


def give(names):
    """A copy of dwell with these capabilities, permitted and effective (struct vfs_cap_data)."""
    shutil.copy(DWELL, "dwell")
    os.chmod("dwell", 0o755)
    mask = sum(1 << NUMBERS[name] for name in names)
    data = struct.pack("<IIIII", 0x02000001, mask & 0xffffffff, 0, mask >> 32, 0)
    os.setxattr("dwell", "security.capability", data)


def record_deleted():
    run("../dwell", "record", "-q", "-p", program.pid, "-d", "1", "-o", "x.dwell", **NOBODY)
    return report_json("work/x.dwell")["accounting"]


os.chmod(TEMP, 0o755)
os.mkdir("work")
os.chown("work", 65534, 65534)
shutil.copy(DWELL, "dwell")
os.chmod("dwell", 0o755)
refused = run("../dwell", "record", "-a", "-d", "1", status=3, **NOBODY).stderr
suggested = set(re.search(r"setcap ([a-z_,]+)=ep", refused).group(1).split(","))
with open(os.path.join(TOP, "man/dwell-record.1")) as page:
    documented = re.findall(r"^caps=(?:\$caps,)?(.*)$", page.read(), re.M)
check(set(",".join(documented).split(",")) == suggested, f"{suggested}, the page: {documented}")

shutil.copy(workload("deep_sleeper"), "program")
program = background("./program", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
program.stdout.readline()
os.unlink("program")

give(suggested)
facts = run("../dwell", "check", **NOBODY).stdout
check(not re.search(r"(missing|limited) +CAP_", facts), facts)
accounting = record_deleted()
check(accounting["complete_user_stacks"]["by_time"] > 0.99, accounting)

give(suggested - {"cap_checkpoint_restore"})
facts = run("../dwell", "check", status=None, **NOBODY).stdout
check(re.search(r"missing +CAP_CHECKPOINT_RESTORE", facts), facts)
accounting = record_deleted()
check([part["end"] for part in accounting["incomplete_user_stacks"]] ==
      ["a file that could not be opened"], accounting)
