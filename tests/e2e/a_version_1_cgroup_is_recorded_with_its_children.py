# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because other kernels keep version 1 elsewhere
"""-G records the processes of a version 1 cgroup and of those below it."""
from cgroup import *

need_root()
if not os.path.exists("/sys/fs/cgroup/cpu/tasks"):
    skip("no version 1 cgroup hierarchy", is_optional=True)
record_below("/sys/fs/cgroup/cpu")
