# SPDX-License-Identifier: GPL-2.0-or-later
"""Without -o the recording is last.dwell, the one before stays as last.dwell.old, and report and
flame read last.dwell by themselves."""
from lib import *

need_root()
dwell("record", "--", "sleep", "0.2")
check(os.path.exists("last.dwell") and not os.path.exists("last.dwell.old"), f"{os.listdir('.')}")
with open("last.dwell", "rb") as file:
    first = file.read()
dwell("record", "--", "sleep", "0.4")
with open("last.dwell.old", "rb") as file:
    check(file.read() == first, "last.dwell.old is not the recording before")
dwell("record", "--", "true")
check(sorted(os.listdir(".")) == ["last.dwell", "last.dwell.old"], f"{os.listdir('.')}")
check("true" in dwell("report").stdout, "report reads last.dwell")
check("true" in dwell("flame", "--view", "hotcold", "-f").stdout, "flame reads last.dwell")
# A recording that does not begin must not push the last one out.
dwell("record", "-p", "999999999", status=2)
check("true" in dwell("report").stdout, "a failed start replaced last.dwell")
