# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording that cannot be created is an error before anything runs; what is no regular file is
never replaced."""
from lib import *

need_root()
for path in ("no/such/folder/a.dwell", ".", "/proc/a.dwell", "/dev/null"):
    result = dwell("record", "-d", "1", "-a", "-o", path, status=2)
    check_one_line_error(result, path)
result = dwell("record", "-o", "no/such/folder/a.dwell", "--", "touch", "was-run", status=125)
check_one_line_error(result, "no/such/folder/a.dwell")
check(os.listdir(".") == [], f"left behind: {os.listdir('.')}")
check(os.path.exists("/dev/null") and not os.path.isfile("/dev/null"), "/dev/null was replaced")
