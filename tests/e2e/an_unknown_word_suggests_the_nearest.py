# SPDX-License-Identifier: GPL-2.0-or-later
"""A mistyped command or option gets one line that names the nearest, and exit 2."""
from lib import *

for args, word in ((("report", "--jsn"), "--json"), (("flame", "--veiw", "offcpu"), "--view"),
                   (("record", "--slcie", "1s"), "--slice"), (("repot",), "dwell report"),
                   (("record", "--frobnicate"), "--help"), (("report", "-Z"), "--help"),
                   (("flame", "--view", "offcup", "-f"), "offcpu"), (("record", "-d"), "-d")):
    check_one_line_error(dwell(*args, status=2), word)
check(os.listdir(".") == [], "nothing is recorded")
