# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a function is probed is what objdump says of its code: behind instructions that only compute or
load and keep the arguments that are needed, at one that the kernel emulates, and where no jump leads. In
the C library two functions of three are probed so, in a C++ library whose functions begin with endbr64
most are."""
from lib import *

TOOL = os.path.join(TOP, "build/plain/tests/cfi/probe_places")
FILES = {"/usr/lib/*/libc.so.6": 55, "/usr/lib/*/libstdc++.so.6": 50, "/usr/bin/python3.?*": 60, "/usr/bin/bash": 0,
         os.path.join(TOP, "build/workloads/call_goes"): 0}

need_tool("objdump")
need_tool("readelf")
if os.uname().machine != "x86_64":
    skip("x86-64 only", is_optional=True)
if not os.access(TOOL, os.X_OK):
    skip(f"{TOOL} is not built")
compared = 0
for pattern, least in FILES.items():
    for path in glob.glob(pattern):
        if open(path, "rb").read(4) != b"\x7fELF":
            continue
        result = run(os.path.join(TOP, "tests/cfi/compare_probes.py"), TOOL, path, status=None)
        check(result.returncode == 0, result.stdout[-2000:] + result.stderr)
        for total, as_it_is, by_skipping in re.findall(
                r"needed 0x0: (\d+) functions, ([\d.]+) % emulated as they are, ([\d.]+) % by", result.stdout):
            compared += int(total)
            check(float(as_it_is) + float(by_skipping) >= least, result.stdout)
check(compared > 1000, f"{compared} functions")
