# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: only, because some virtual machines run threads that no BPF program sees
"""On a machine whose CPUs are never idle the running time of all threads together is all the time
there is: no switch is missed, nothing is counted twice."""
from lib import *

need_root()
cpus = os.sched_getaffinity(0)
for cpu in cpus:
    hogs = background(workload("two_burners"), 60000)
    os.sched_setaffinity(hogs.pid, {cpu})
background(workload("pingpong"), 10**9)
background(workload("pingpong"), 10**9, "migrating")
background("sh", "-c", "while :; do /bin/true; done")

recording = record("-a", "--self", "-d", "2s", "--slice", "250ms")
check_books(recording)
running = sum(thread["running_ns"] for thread in recording.threads)
check_close("running time of all threads", running, len(cpus) * recording.window_ns, rel=0.001)
switches = recording.meta()["switches"]
check(switches > 1000, f"only {switches} switches under this load")
