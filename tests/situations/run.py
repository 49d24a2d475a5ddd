# SPDX-License-Identifier: GPL-2.0-or-later
"""run [-l] [-q] [NAME...]: sets situations up, records them and prints the first screen of each,
with what was really the matter above it and whether the screen says so. Without names: all of them;
those whose programs are not installed are left out, and said to be. As root."""
import contextlib
import re
import shutil
import sys

import heavy
import light
from scene import Scene, verdict


def play(situation):
    with contextlib.ExitStack() as stack:
        return situation(Scene(stack))


def judge(situation, screen):
    """What the screen should say and does not, or says and should not."""
    answer = verdict(screen)
    wrong = [f"does not say {pattern!r}" for pattern in situation.must
             if not re.search(pattern, answer)]
    return wrong + [f"says {pattern!r}" for pattern in situation.must_not
                    if re.search(pattern, answer)]


def play_all(situations):
    """Plays those that can be played here: what is wrong with each, and which were left out."""
    failures, left_out = [], []
    for situation in situations:
        name = type(situation).__name__
        if missing(situation):
            left_out.append(f"{name} ({' '.join(situation.packages)})")
            continue
        screen = play(situation)
        wrong = judge(situation, screen)
        print(f"{name}: {verdict(screen)}", flush=True)
        if wrong:
            failures.append(f"{name}: {'; '.join(wrong)}")
            print(screen, flush=True)
    return failures, left_out


def missing(situation):
    return [tool for tool in getattr(situation, "tools", []) if not shutil.which(tool)]


def main():
    names = [word.lower() for word in sys.argv[1:] if not word.startswith("-")]
    all_of_them = light.SITUATIONS + heavy.SITUATIONS
    failures = 0
    for situation in all_of_them:
        name = type(situation).__name__
        if names and name.lower() not in names:
            continue
        if "-l" in sys.argv:
            print(f"{name}: {situation.__doc__} {situation.answer}")
            continue
        if missing(situation):
            print(f"== {name}: left out: no {', '.join(missing(situation))} here "
                  f"(apt-get install {' '.join(situation.packages)})", flush=True)
            continue
        screen = play(situation)
        wrong = judge(situation, screen)
        failures += bool(wrong)
        print(f"== {name}: {situation.__doc__}\n== true: {situation.answer}\n"
              f"== {'; '.join(wrong) or 'the screen says it'}", flush=True)
        print(verdict(screen) if "-q" in sys.argv else screen, flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
