# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
"""`make try` builds, records the demo and shows its report, with the lock convoy in it."""
import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/e2e")
from lib import *

need_root()
result = run("make", "-C", TOP, "try", timeout=280)
for word in ("demo", "accounted", "lock", "next:", ".dwell"):
    check(word in result.stdout + result.stderr, f"no {word}: {result.stdout}")
