# SPDX-License-Identifier: GPL-2.0-or-later
"""Situations in which the answer is known (tests/situations): the sentences after "In short" say it,
and say nothing that is wrong."""
from lib import *

sys.path.insert(0, os.path.join(TOP, "tests/situations"))
os.environ["DWELL"] = DWELL
import light  # noqa: E402
import run    # noqa: E402
import scene  # noqa: E402

need_root()
for tool in ("cc", "make"):
    need_tool(tool)
failures = []
for situation in light.SITUATIONS:
    name = type(situation).__name__
    screen = run.play(situation)
    wrong = run.judge(situation, screen)
    print(f"{name}: {scene.verdict(screen)}", flush=True)
    if wrong:
        failures.append(f"{name}: {'; '.join(wrong)}")
        print(screen, flush=True)
check(not failures, "\n".join(failures))
