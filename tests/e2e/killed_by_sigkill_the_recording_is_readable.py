# SPDX-License-Identifier: GPL-2.0-or-later
"""kill -9 in the middle: what was recorded is readable up to the last slice, threads that slept
through it are there, and no program stays loaded."""
from load import *

sleeper = Workload("deep_sleeper")
tids = sleeper.line()
background(workload("pingpong"), 10**9)
before_s = time.monotonic()
recorder = Recorder("-a", "--slice", "200ms")
attached_s = time.monotonic()
time.sleep(3)
programs = programs_of(recorder.pid)
check(programs, "dwell holds no program while it records")
killed_s = time.monotonic()
kill_group(recorder.process)

wait_until(lambda: not programs & loaded_programs(), "unloading the programs")
recording = Recording(recorder.path)
check_between("window", recording.window_ns, (killed_s - attached_s - 2) * S,
              (killed_s - before_s) * S)
check_books(recording, slack_ns=20 * MS)
check_thread(recording.thread(tids["sleep"]), life_ns=(recording.window_ns, 0.0, 250 * MS))
check(weight(recording.folded("offcpu"), "hrtimer_nanosleep", root="deep-sleep") > S,
      "the sleeper's open wait is missing")
check(not recording.report["recording"]["is_finished"], "a recording that was cut short says so")
text = dwell("report", recording.path).stdout
check("cut short" in text or "not finished" in text or "crash" in text or "unfinished" in text,
      "the report does not say that the recording is incomplete")
