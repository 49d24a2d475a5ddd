# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory cgroups of either version, for cases about dwell's memory."""
from cgroup import make_groups, version_2_root
from lib import *

V1 = "/sys/fs/cgroup/memory"
IS_V1 = os.path.exists(os.path.join(V1, "memory.limit_in_bytes"))


def memory_group(name, limit_bytes=None):
    """A new group, removed at the end."""
    need_root()
    root = V1 if IS_V1 else version_2_root()
    if not IS_V1 and (not root or "memory" not in read_text(root, "cgroup.controllers")):
        skip("there is no memory cgroup", is_optional=True)
    if not IS_V1:
        write_text(root, "cgroup.subtree_control", "+memory")
    group, = make_groups(root, f"{name}-{os.getpid()}")
    if limit_bytes:
        write_text(group, "memory.limit_in_bytes" if IS_V1 else "memory.max", str(limit_bytes))
    return group


def read_text(folder, name):
    with open(os.path.join(folder, name)) as file:
        return file.read()


def write_text(folder, name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)
