# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
"""`make STATIC=1` gives one file without libraries that records as any other."""
import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/e2e")
from lib import *

need_root()
run("make", "-C", TOP, "STATIC=1", "build/static/dwell", timeout=500)
static = os.path.join(TOP, "build/static/dwell")
check("not a dynamic executable" in run("ldd", static, status=None).stderr, "it needs libraries")
run(static, "record", "-o", "a.dwell", "--", "sleep", "1")
check_close("blocked", Recording("a.dwell").named("sleep")[0]["blocked_ns"], S, rel=0.02)
