# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
"""Fifty thousand processes that live for a millisecond, more than there are process numbers: no
time is lost, and each has its name, its program, and objects for its user frames."""
import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/e2e")
from scale import *

recording = spawn(50_000)
(numbers,), = recording.rows("SELECT count(DISTINCT pid) FROM processes")
print(f"{numbers} process numbers", flush=True)
