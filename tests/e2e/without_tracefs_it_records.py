# SPDX-License-Identifier: GPL-2.0-or-later
"""Where tracefs is not mounted and cannot be, dwell records all the same; `dwell check` says that it
is missing, and what for it is needed, and so does who asks for that. It is hidden in a mount namespace of its own."""
from lib import *

need_root()
need_tool("unshare")
HIDE = """for folder in /sys/kernel/debug/tracing /sys/kernel/tracing /sys/kernel/debug; do
while umount -l $folder; do :; done
done 2>/dev/null
for folder in /sys/kernel/tracing /sys/kernel/debug; do mount -t tmpfs -o ro none $folder; done
exec "$0" "$@"
"""


def without_tracefs(*args):
    return run("unshare", "-m", "sh", "-c", HIDE, DWELL, *args)


facts = without_tracefs("check").stdout
check(re.search(r"missing +tracefs +not mounted: tracepoints cannot be counted", facts), facts)
without_tracefs("record", "-o", "a.dwell", "--", "sleep", "0.5")
recording = Recording("a.dwell")
check_books(recording)
check_slept("blocked", recording.named("sleep")[0]["blocked_ns"], S // 2, rel=0.1)
for args in (("-e", "sched:sched_switch"), ("--growth",)):
    refused = run("unshare", "-m", "sh", "-c", HIDE, DWELL, "record", *args, "-o", "b.dwell", "-d", "1s", status=None)
    check("mount -t tracefs" in refused.stderr and len(refused.stderr.splitlines()) == 1, refused.stderr)
    check(not os.path.exists("b.dwell"), "something was recorded")
