# SPDX-License-Identifier: GPL-2.0-or-later
"""An option that is unknown, or that could be one of several, is one line that says so."""
from lib import *

for args, words in ((("flame", "--user"), ("--user could be --user-threads or --user-stacks",)),
                    (("flame", "--user=1"), ("--user could be",)),
                    (("flame", "--vew", "oncpu"), ("unknown option --vew", "--view")),
                    (("report", "-y"), ("unknown option -y", "dwell report --help")),
                    (("diff", "--top"), ("--top needs a value",))):
    check_one_line_error(dwell(*args, status=2), *words)
# A beginning that fits one option only is that option.
check_one_line_error(dwell("flame", "--user-t", "no.dwell", "-f", status=2), "no.dwell")
