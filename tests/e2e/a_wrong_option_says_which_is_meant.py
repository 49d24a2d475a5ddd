# SPDX-License-Identifier: GPL-2.0-or-later
"""An option that is unknown, or that could be one of several, is one line that says so."""
from lib import *

for args, words in ((("flame", "--user"), ("--user is ambiguous: --user-threads, --user-stacks",)),
                    (("flame", "--user=1"), ("--user is ambiguous: --user-threads, --user-stacks",)),
                    (("record", "--m"), ("--m is ambiguous: --min-wait, --max-wait, --memory",)),
                    (("report", "--hlep"), ("unknown option --hlep", "did you mean --help?")),
                    (("flame", "--vew", "oncpu"), ("unknown option --vew", "--view")),
                    (("report", "-y"), ("unknown option -y", "dwell report --help")),
                    (("diff", "--top"), ("--top needs a value",)),
                    (("diff", "--width", "abc", "a", "b"), ("abc is no value for --width",)),
                    # A script whose variable is empty does not mean the whole machine.
                    (("--",), ("no COMMAND behind --",)),
                    (("record", "-d", "1", "--"), ("no COMMAND behind --",))):
    check_one_line_error(dwell(*args, status=2), *words)
# A beginning that fits one option only is that option.
check_one_line_error(dwell("flame", "--user-t", "no.dwell", "-f", status=2), "no.dwell")
# As is one that fits a name and its alias.
check_one_line_error(dwell("flame", "--colo", "hot", "no.dwell", "-f", status=2), "no.dwell")
