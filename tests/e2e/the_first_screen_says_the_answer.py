# SPDX-License-Identifier: GPL-2.0-or-later
"""Situations in which the answer is known (tests/situations): the sentences after "In short" say it,
and say nothing that is wrong."""
from lib import *

sys.path.insert(0, os.path.join(TOP, "tests/situations"))
os.environ["DWELL"] = DWELL
import light  # noqa: E402
import run    # noqa: E402

need_root()
for tool in ("cc", "make"):
    need_tool(tool)
failures, _ = run.play_all(light.SITUATIONS)
check(not failures, "\n".join(failures))
