# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because the kernel side reads pid namespaces
"""In a pid namespace dwell shows the threads of that namespace under the numbers used in it; from
outside the same threads have their outer numbers."""
from lib import *

need_root()
need_tool("unshare")
outside = Workload("deep_sleeper")
outside.line()
script = (f"{workload('sleeper')} 1 600000 & echo $!; "
          f"{DWELL} record -a -d 1 -o inner.dwell; {DWELL} record -p $! -d 0.5 -o one.dwell")
inner = run("unshare", "--pid", "--fork", "--mount-proc", "sh", "-c", script)
pid = int(inner.stdout.split()[0])
check(pid < 100, f"pid {pid} in a new namespace")

for path in ("inner.dwell", "one.dwell"):
    recording = Recording(path)
    check_books(recording)
    check({t["comm"] for t in recording.of_process(pid)} == {"sleeper", "sleeper-0"},
          f"{path}: {recording.threads}")
    check(all(t["pid"] < 100 for t in recording.threads), f"{path}: {recording.threads}")

outer = background("unshare", "--pid", "--fork", "--mount-proc", workload("sleeper"), 1,
                   600_000)
time.sleep(0.3 * SLOW)
recording = record("-n", "sleeper*", "-d", "1")


def has_parent(pid, parent):
    """False, too, for numbers that mean nobody here."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rpartition(")")[2].split()[1]) == parent
    except OSError:
        return False


found = recording.named("sleeper-0")
mine = [thread for thread in found if has_parent(thread["pid"], outer.pid)]
check(len(mine) == 1, f"not one under its outer number: {found}")
check(os.path.exists(f"/proc/{mine[0]['pid']}/task/{mine[0]['tid']}"), f"no such thread: {mine}")
