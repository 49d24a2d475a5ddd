# SPDX-License-Identifier: GPL-2.0-or-later
"""The target ends, and another process gets its number. If that happens before the window, one
sentence says so and nothing is recorded; later, the new one is no target, nor are its threads. A
recording of all threads has both, each with its own life."""
from lib import *

need_root()
need_tool("unshare")
if not os.path.exists("/proc/sys/kernel/ns_last_pid"):
    skip("this kernel does not let the last number be set", is_optional=True)


def in_namespace(what):
    script = os.path.join(TOP, "tests/e2e/reuse.py")
    return json.loads(run("unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-B", script,
                          what).stdout)


outcome = in_namespace("starting")
check(outcome["status"] == 2, f"{outcome}")
check("process 5000 ended" in outcome["stderr"] and outcome["stderr"].count("\n") == 1, f"{outcome}")
check(not [name for name in outcome["files"] if name.startswith("a.dwell")], f"{outcome}")

found = in_namespace("recording")
THREADS = 5  # of a deep_sleeper
check(len(found["one"]) == THREADS, f"not the first one's threads alone: {found['one']}")
check(len(found["all"]) == 2 * THREADS, f"{found['all']}")
