# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
"""A real Chromium opens pictures that dwell drew: clicks, keys, search, links, light and dark, with
nothing logged as an error and nothing fetched (tests/web/flame.mjs)."""
from lib import *

need_tool("chromium")
need_tool("node")
if not os.path.isdir(os.path.join(TOP, "build/node_modules/playwright-core")):
    skip("playwright-core is not installed: tools/install-deps")

picture, tall = os.path.join(TEMP, "picture.svg"), os.path.join(TEMP, "tall.svg")
hotcold, chart = os.path.join(TEMP, "hotcold.svg"), os.path.join(TEMP, "chart.svg")
dwell("flame", os.path.join(TOP, "tests/web/flame.folded"), "-o", picture, "--subtitle",
      "a subtitle that is too long for narrow windows, but not for others")
dwell("flame", os.path.join(TOP, "tests/web/hotcold.folded"), "-o", hotcold)
dwell("flame", os.path.join(TOP, "tests/web/chart.folded"), "--flamechart", "-o", chart)
with open("tall.folded", "w") as file:
    file.write(";".join(f"f{i % 10}" for i in range(700)) + " 100\n")
dwell("flame", "tall.folded", "-o", tall)
check_scripts("tests/web/flame.mjs", timeout=280,
              env=dict(os.environ, PICTURE=picture, TALL=tall, HOTCOLD=hotcold, CHART=chart, HOME=TEMP))
