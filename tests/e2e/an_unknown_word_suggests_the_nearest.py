# SPDX-License-Identifier: GPL-2.0-or-later
"""A mistyped command or option gets one line that names the nearest, and exit 2."""
from lib import *

for args, word in ((("report", "--jsn"), "--json"), (("flame", "--veiw", "offcpu"), "--view"),
                   (("record", "--slcie", "1s"), "--slice"), (("repot",), "dwell report"),
                   (("record", "--frobnicate"), "--help"), (("report", "-Z"), "--help"),
                   (("flame", "--view", "offcup", "-f"), "offcpu"), (("record", "-d"), "-d")):
    check_one_line_error(dwell(*args, status=2), word)
# A beginning of a command, or of several, is told and never run.
for args, words in ((("rep",), "did you mean dwell report?"), (("rec", "-a"), "did you mean dwell record?"),
                    (("re",), "did you mean dwell record or dwell report?"),
                    (("help", "fla"), "did you mean dwell help flame?"),
                    (("help", "frobnicate"), "dwell help lists"), (("help", "record", "me"), "me is too many"),
                    (("xyzzy",), "to record it: dwell -- xyzzy")):
    check_one_line_error(dwell(*args, status=2), words)
check(os.listdir(".") == [], "nothing is recorded")
