# SPDX-License-Identifier: GPL-2.0-or-later
"""Where functions are found to be left is what objdump says of their code: each return, each jump to elsewhere
that is no cold part of them, and whether the kernel emulates it. Of a thousand functions it is found in no time."""
from lib import *

TOOL = os.path.join(TOP, "build/plain/tests/cfi/returns")
FILES = ("/usr/lib/*/libc.so.6", "/usr/lib/*/libstdc++.so.6", "/usr/bin/python3", DWELL,
         os.path.join(TOP, "build/workloads/call_goes"))

need_tool("objdump")
need_tool("readelf")
if os.uname().machine != "x86_64":
    skip("x86-64 only", is_optional=True)
if not os.access(TOOL, os.X_OK):
    skip(f"{TOOL} is not built")
compared = 0
for path in (path for pattern in FILES for path in glob.glob(pattern)):
    if open(path, "rb").read(4) != b"\x7fELF":
        continue
    result = run(os.path.join(TOP, "tests/cfi/compare_returns.py"), TOOL, path, status=None)
    print(result.stdout)
    check(result.returncode == 0, result.stdout[-2000:] + result.stderr)
    functions, places, refused = map(int, re.search(
        r"(\d+) functions, (\d+) places, 0 wrong, (\d+) refused", result.stdout).groups())
    check(refused <= functions / 100, result.stdout)
    compared += places
    took = float(run(TOOL, path).stderr.split()[0])
    check(took < 500, f"{path}: {took} ms of CPU time for {functions} functions")
check(compared > 3000, f"{compared} places")
