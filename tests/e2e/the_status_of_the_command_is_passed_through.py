# SPDX-License-Identifier: GPL-2.0-or-later
"""With a command, dwell ends as the command did; 126 and 127 say that it could not be run."""
from lib import *

record(command=["true"], status=0)
record(command=["sh", "-c", "exit 7"], status=7)
record(command=["sh", "-c", "kill -TERM $$"], status=128 + 15)
record(command=["sh", "-c", "kill -KILL $$"], status=128 + 9)

missing = record(command=["./no-such-program"], status=127)
check_one_line_error(missing, "no-such-program")
with open("plain-file", "w") as file:
    file.write("not a program\n")
refused = record(command=["./plain-file"], status=126)
check_one_line_error(refused, "plain-file")
