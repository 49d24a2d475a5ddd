# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
"""Databases, servers, runtimes and a browser in trouble that is known (tests/situations/heavy.py): the
sentences after "In short" say it. Programs that are not installed are left out, and named."""
import sys
sys.path[:0] = [__file__.rsplit("/", 2)[0] + "/e2e", __file__.rsplit("/", 2)[0] + "/situations"]
from lib import *

os.environ["DWELL"] = DWELL
import heavy  # noqa: E402
import run as situations  # noqa: E402

need_root()
failures, left_out = situations.play_all(heavy.SITUATIONS)
check(not failures, "\n".join(failures))
if left_out:
    skip(f"all others passed; left out: {', '.join(left_out)}", is_optional=True)
