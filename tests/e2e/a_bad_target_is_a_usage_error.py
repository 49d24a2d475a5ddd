# SPDX-License-Identifier: GPL-2.0-or-later
"""A target that is not there or not a number: one clear line, exit 2, no file, no program run."""
from lib import *

need_root()
dead = background("true")
dead.wait()
for option, value in (("-p", "999999999"), ("-p", "abc"), ("-p", ""), ("-p", "0"), ("-p", "-5"),
                      ("-p", f"{os.getpid()},abc"), ("-p", dead.pid), ("-p", "9" * 20),
                      ("-t", "999999999"), ("-t", "abc"), ("-t", dead.pid),
                      ("-G", "/no/such/cgroup"), ("-d", "soon"), ("-d", "-1"), ("--slice", "0"),
                      ("--slice", "x"), ("-F", "x"), ("--memory", "much"), ("-m", "x")):
    duration = [] if option == "-d" else ["-d", "1"]
    result = dwell("record", option, value, "-o", "bad.dwell", *duration, status=None)
    check(result.returncode == 2, f"{option} {value}: status {result.returncode}: {result.stderr}")
    check_one_line_error(result)
    check(os.listdir(".") == [], f"{option} {value}: left behind {os.listdir('.')}")

result = dwell("record", "-p", dead.pid, "-o", "bad.dwell", "--", "touch", "was-run", status=125)
check_one_line_error(result, str(dead.pid))
check(os.listdir(".") == [], f"left behind {os.listdir('.')}")
