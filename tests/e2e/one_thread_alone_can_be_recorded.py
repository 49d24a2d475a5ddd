# SPDX-License-Identifier: GPL-2.0-or-later
"""-t records the listed threads of a process and no other."""
from lib import *

sleeper = Workload("deep_sleeper")
tids = sleeper.line()
recording = record("-t", tids["futex"], "-d", "1s")
check([t["tid"] for t in recording.threads] == [tids["futex"]], f"{recording.threads}")
check_thread(recording.threads[0], blocked_ns=(recording.window_ns, 0, MS))

recording = record("-t", f"{tids['pipe']},{tids['poll']}", "-d", "1s")
check({t["tid"] for t in recording.threads} == {tids["pipe"], tids["poll"]}, f"{recording.threads}")
