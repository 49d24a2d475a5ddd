# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings are mode 0600, one file with nothing beside it, and belong to the user who called
sudo."""
import stat
from lib import *

os.umask(0o022)
recording = record(command=["true"])
info = os.stat(recording.path)
check(stat.S_IMODE(info.st_mode) == 0o600, f"mode {info.st_mode:o}")
check(len(os.listdir(".")) == 1, f"beside it: {os.listdir('.')}")

environment = dict(os.environ, SUDO_UID="65534", SUDO_GID="65534")
recording = record(command=["true"], env=environment)
info = os.stat(recording.path)
check((info.st_uid, info.st_gid) == (65534, 65534), f"owner {info.st_uid}:{info.st_gid}")
check(stat.S_IMODE(info.st_mode) == 0o600, f"mode {info.st_mode:o}")
