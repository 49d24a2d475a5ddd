# SPDX-License-Identifier: GPL-2.0-or-later
"""The modules of the report page pass their tests (tests/web/unit) and their types fit."""
from lib import *

need_tool("node")
check_scripts("tests/web/unit")

checker = os.path.join(TOP, "build/node_modules/typescript/bin/tsc")
if not os.path.exists(checker):
    skip("typescript is not installed: tools/install-deps")
result = run("node", checker, "-p", os.path.join(TOP, "web/page"), status=None)
check(result.returncode == 0, result.stdout)
