# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: yes, because groups are found by what the kernel says of a thread
"""-G records the processes of a version 2 cgroup and of those below it."""
from cgroup import *

need_root()
roots = [root for root in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
         if os.path.exists(os.path.join(root, "cgroup.procs"))]
if not roots:
    skip("no version 2 cgroup hierarchy", is_optional=True)
record_below(roots[0])
