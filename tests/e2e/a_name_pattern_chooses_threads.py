# SPDX-License-Identifier: GPL-2.0-or-later
"""-n records the threads whose name matches, those that take the name later included."""
from lib import *

sleeper = Workload("deep_sleeper")
tids = sleeper.line()
recording = record("-n", "deep-*", "-d", "1s")
check({t["tid"] for t in recording.of_process(sleeper.pid)} ==
      {tids[name] for name in ("sleep", "pipe", "futex", "poll")}, f"{recording.threads}")
check(all(t["comm"].startswith("deep-") for t in recording.threads), f"{recording.threads}")

recording = record("-n", "deep-p?pe", "-d", "1s")
check([t["tid"] for t in recording.of_process(sleeper.pid)] == [tids["pipe"]],
      f"{recording.threads}")

recording = record("-n", "butterfly", command=[workload("renamer"), "400"])
log, = recording.log["threads"]
check({t["comm"] for t in recording.threads} == {"butterfly"}, f"{recording.threads}")
check_life(recording.thread(log["tid"]), log["phases"]["butterfly"]["wall_ns"])
