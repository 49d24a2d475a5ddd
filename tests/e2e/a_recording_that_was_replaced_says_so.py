# SPDX-License-Identifier: GPL-2.0-or-later
"""Somebody with rights to the folder puts another file in the recording's place while it is made: dwell
says so, and does not take the other file for what it recorded."""
from lib import *

recorder = Recorder("-p", background("sleep", "60").pid, path="here.dwell")
record("-d", "100ms", command=["true"], path=os.path.join(TEMP, "other.dwell"))
os.rename("other.dwell", "here.dwell")
before = open("here.dwell", "rb").read()
result = recorder.stop(status=2)
check_one_line_error(result, "here.dwell", "replaced")
check(open("here.dwell", "rb").read() == before, "the other file was changed")
