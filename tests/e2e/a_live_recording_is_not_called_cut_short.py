# SPDX-License-Identifier: GPL-2.0-or-later
"""The report of a recording that is still being made says so; killed, it was cut short; finished, it is
neither."""
from lib import *

need_root()
recorder = Recorder("-a", "--slice", "100ms")
wait_until(lambda: subprocess.run([DWELL, "report", recorder.path], capture_output=True).returncode == 0,
           "the first slice")
check("still being made" in dwell("report", recorder.path).stdout, "a live recording is not told")
recorder.process.kill()
recorder.process.wait()
check("was cut short" in dwell("report", recorder.path).stdout, "a killed one is not told")
whole = record("-a", "-d", "500ms")
text = dwell("report", whole.path).stdout
check("still being made" not in text and "cut short" not in text, text)
