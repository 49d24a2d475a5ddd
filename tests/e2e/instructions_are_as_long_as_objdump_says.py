# SPDX-License-Identifier: GPL-2.0-or-later
"""Of every instruction in a C library, an interpreter, a C++ library, hand-written code of ciphers and dwell
itself the length is what objdump says, and none of a function is unknown."""
from lib import *

TOOL = os.path.join(TOP, "build/plain/tests/cfi/lengths")
FILES = ("/usr/lib/*/libc.so.6", "/usr/lib/*/libstdc++.so.6", "/usr/lib/*/libcrypto.so.3", "/usr/bin/python3", DWELL)

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
    result = run(os.path.join(TOP, "tests/cfi/compare_lengths.py"), TOOL, path, status=None)
    print(result.stdout)
    check(result.returncode == 0, result.stdout[-2000:] + result.stderr)
    count, unknown = re.search(r"(\d+) instructions, 0 wrong, (\d+) unknown in functions", result.stdout).groups()
    check(int(unknown) == 0, result.stdout)
    compared += int(count)
check(compared > 100000, f"{compared} instructions")
