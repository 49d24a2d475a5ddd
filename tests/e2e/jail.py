# SPDX-License-Identifier: GPL-2.0-or-later
"""A root of its own for workloads, as a container has one: with copies of the libraries, under
names that do not exist outside."""
import sys
from lib import *

CHROOT = ("import os, sys; os.chroot(sys.argv[1]); os.chdir('/'); "
          "os.execv(sys.argv[2], sys.argv[2:])")


def make_jail(*names):
    """A folder with /jailed-NAME for each workload, and what they need to run."""
    jail = os.path.abspath("jail")
    os.mkdir(jail)
    # What a running one has mapped is what it needs.
    with open(f"/proc/{Workload('deep_sleeper').pid}/maps") as file:
        wait_until(lambda: "libc" in (file.seek(0), file.read())[1], "loading libraries")
        file.seek(0)
        libraries = set(re.findall(r" (/\S*\.so\S*)$", file.read(), re.M))
    # The loader is named in the program by another path, which is a link.
    libraries |= {path for path in ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1")
                  if os.path.exists(path)}
    for path in libraries | {path.replace("/usr/lib", "/lib", 1) for path in libraries}:
        if os.path.exists(path):
            os.makedirs(os.path.dirname(jail + path), exist_ok=True)
            shutil.copy(path, jail + path)
    for name in names:
        shutil.copy(workload(name), f"{jail}/jailed-{name}")
    return jail


def in_jail(jail, *argv):
    """The command that runs another one in the jail."""
    return [sys.executable, "-c", CHROOT, jail, *argv]
