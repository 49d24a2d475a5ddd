# SPDX-License-Identifier: GPL-2.0-or-later
"""`dwell -- COMMAND` and `dwell -p PID -d 1s` record, print the report and write the page in one go."""
from lib import *

need_root()
result = dwell("--", "sleep", "1")
check("sleep" in result.stdout and "accounted" in result.stdout, result.stdout)
check(os.path.exists("last.dwell") and os.path.exists("dwell.html"), f"{os.listdir('.')}")
check("wrote dwell.html" in result.stderr, result.stderr)
dwell("-o", "other.dwell", "--", "true")
check(os.path.exists("other.html"), f"{os.listdir('.')}")
dwell("--", "sh", "-c", "exit 4", status=4)

sleeper = Workload("deep_sleeper")
sleeper.line()
result = dwell("-p", sleeper.pid, "-d", "1s")
check("deep" in result.stdout and "accounted" in result.stdout, result.stdout)
