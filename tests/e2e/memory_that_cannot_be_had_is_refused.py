# SPDX-License-Identifier: GPL-2.0-or-later
"""In a cgroup with 300 MiB: more memory than that allows is refused in one sentence that names the
most, the most works, and so does a recording that asks for none, with smaller tables."""
from cgroup import *

need_root()
GROUP = memory_group(300 << 20)
HERE = {"preexec_fn": inside(GROUP)}

refused = dwell("record", "--memory", "400M", "-o", "no.dwell", "--", "true", status=125, **HERE)
check_one_line_error(refused, "400 MiB", "are free in this cgroup", "--memory ")
check(not os.path.exists("no.dwell"), "a file was left behind")
most = re.search(r"--memory (\d+M)", refused.stderr).group(1)
check(60 <= int(most[:-1]) <= 118, f"not half of what is free beside dwell itself: {most}")

# Emulated machines, where each start takes long, show that version 2 is read: one will do there.
for arguments in ([["--memory", most], []] if SLOW == 1 else [[]]):
    recording = record(*arguments, command=["sleep", "0.5"], **HERE)
    cost = recording.report["cost"]
    check(cost["table_bytes"] <= int(most[:-1]) * 1.1 * (1 << 20), f"tables are too large: {cost}")
    check_books(recording)
if SLOW == 1:
    text = " ".join(dwell("check", **HERE).stdout.split())
    check(re.search(r"limited memory [^/]* instead of 256 MiB", text), text)
