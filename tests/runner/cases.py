# SPDX-License-Identifier: GPL-2.0-or-later
"""End-to-end cases: which there are, what their comment lines say about where and how they run, and
running one. CONTRIBUTING.md describes the comment lines."""
import glob
import os
import re
import sys

from process import TOP, run_process
from results import Outcome

SKIPPED = 77
# Several times what the slowest takes on an idle machine: it is for cases that hang.
USUAL_TIMEOUT_S = 240
# `# kernels: WORD, because ...`: in which emulated machines a case runs besides this one.
LIGHT_KERNELS = ("yes", "only")
HEAVY_KERNELS = ("heavy",)


def marker(path, pattern):
    """What a comment line of a case says, or None."""
    with open(path) as file:
        found = re.search(pattern, file.read(), re.M)
    return found.group(1) if found else None


def kernels(path):
    return marker(path, r"^# kernels: (\w+), because .")


def is_alone(path):
    """Must nothing else of the tests run beside it?"""
    return marker(path, r"^# alone, (because) .") is not None


def timeout_s(path):
    return int(marker(path, r"^# timeout: (\d+)$") or USUAL_TIMEOUT_S)


def all_cases(folder):
    """A name of one word is a module of theirs: cases are sentences."""
    return [path for path in sorted(glob.glob(os.path.join(TOP, "tests", folder, "*.py")))
            if "_" in os.path.basename(path)]


def cases_here(folder):
    return [path for path in all_cases(folder) if kernels(path) != "only"]


def cases_of_kernels(words):
    return [path for path in all_cases("e2e") if kernels(path) in words]


def run_case(path):
    limit_s = timeout_s(path)
    status, output = run_process([sys.executable, path], limit_s)
    last = output.strip().rsplit("\n", 1)[-1]
    if status == 0:
        return Outcome(passed=1)
    if status == SKIPPED:
        return Outcome(skipped=1, reason=last)
    reason = f"no end after {limit_s} s" if status is None else f"exit status {status}"
    return Outcome(failed=1, reason=reason, output=output)
