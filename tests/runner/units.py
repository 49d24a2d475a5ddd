# SPDX-License-Identifier: GPL-2.0-or-later
"""What needs no kernel: unit tests of the plain and the sanitized build, and checks of the
sources."""
import glob
import os
import re
import shutil
import subprocess

from process import TOP, environment, run_process
from results import Item, Outcome

TIMEOUT_S = 400
# Other releases break lines elsewhere and find other things; one of them has to be the judge.
CLANG_MAJOR = 14


def light_items(variants=("plain", "san")):
    # The longest first: it runs beside all the others.
    items = [Item("sources/clang_tidy_has_nothing_to_say", run_clang_tidy)]
    for variant in variants:
        for source in sorted(glob.glob(os.path.join(TOP, "tests/unit/test_*.c"))):
            name = os.path.basename(source)[:-2]
            path = os.path.join(TOP, "build", variant, "tests/unit", name)
            items.append(Item(f"unit/{variant}/{name}", lambda path=path: run_unit(path)))
    items.append(Item("sources/includes_point_the_right_way", lambda: outcome_of(
        [os.path.join(TOP, "tools/check-includes")])))
    items.append(Item("sources/clang_format_has_nothing_to_say", run_clang_format))
    return items


def run_unit(path):
    if not os.access(path, os.X_OK):
        return Outcome(skipped=1, reason=f"{os.path.relpath(path, TOP)} is not built")
    status, output = run_process([path], TIMEOUT_S,
                                 dict(environment(), CMOCKA_MESSAGE_OUTPUT="TAP"))
    passed = len(re.findall(r"^ok \d+", output, re.M))
    failed = len(re.findall(r"^not ok \d+", output, re.M))
    planned = sum(int(n) for n in re.findall(r"^1\.\.(\d+)", output, re.M))
    reason = "" if status == 0 else "no end" if status is None else f"exit status {status}"
    if passed + failed < max(planned, 1):
        reason = reason or f"only {passed} of {planned} tests ran"
    if reason:
        return Outcome(passed, max(failed, 1), reason=reason, output=output)
    return Outcome(passed)


def outcome_of(argv):
    status, output = run_process(argv, TIMEOUT_S)
    return Outcome(passed=1) if status == 0 else Outcome(failed=1, output=output)


def sources():
    listed = subprocess.run(["git", "ls-files", "*.c", "*.h"], cwd=TOP, text=True,
                            capture_output=True)
    if listed.returncode == 0 and listed.stdout:
        return [name for name in listed.stdout.split("\n") if name and
                os.path.exists(os.path.join(TOP, name))]
    found = [glob.glob(os.path.join(TOP, folder, "**/*.[ch]"), recursive=True)
             for folder in ("bpf", "contract", "preload", "src", "tests")]
    return sorted(sum(found, []))


def without(tool):
    """Why this tool cannot judge here, as a skip, or None."""
    if not shutil.which(tool):
        return Outcome(skipped=1, reason=f"{tool} is not installed")
    version = subprocess.run([tool, "--version"], text=True, capture_output=True).stdout
    major = re.search(r"version (\d+)", version)
    if major and int(major.group(1)) == CLANG_MAJOR:
        return None
    return Outcome(skipped=1, reason=f"optional: {tool} {CLANG_MAJOR} decides, not this one")


def run_clang_format():
    return without("clang-format") or outcome_of(["clang-format", "--dry-run", "-Werror",
                                                  *sources()])


def run_clang_tidy():
    return without("clang-tidy") or outcome_of(["make", "-s", "lint"])
