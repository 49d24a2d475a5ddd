# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls are recorded beside events and within a budget of CPU time, and every count of theirs holds; a recording
that is killed amid calls is readable up to its last moments, and says that it was cut short."""
from calls import *

need_root()
THREADS, ROUNDS, TINY = 2, 20, 5000


def check_call_counts(recording, log):
    for name, count in (("part_call", 4 * THREADS * ROUNDS), ("tiny_call", log["tiny"]), ("outer_call", log["outer"])):
        got = function_of(recording, f":{name}")
        check(got["count"] == count, f"{name}: {got['count']} of {count}")


# With events of the same function, of which each is counted, too.
callers = Workload("call_parts", THREADS, ROUNDS, TINY)
recording, log = record_calls(callers, *calls_of(["part_call", "tiny_call", "outer_call"]), "--force",
                              "-e", f"uprobe:{workload('call_parts')}:part_call", "-e", "cs")
callers.end()
check_laws(recording)
check_call_counts(recording, log)
measures = {one["name"]: one["count"] for one in recording.report["measures"]}
print(measures)
check(measures["call_parts:part_call"] == 4 * THREADS * ROUNDS, f"{measures}")
check(measures["context-switches"] > 0, f"{measures}")

# What a budget leaves out is stacks, never calls.
callers = Workload("call_parts", THREADS, ROUNDS, TINY)
recording, log = record_calls(callers, *calls_of(["part_call", "tiny_call", "outer_call"]), "--force", "--budget", "1%")
callers.end()
check_laws(recording)
check_call_counts(recording, log)
print(recording.report["accounting"]["losses"])

# Killed amid them, after some seconds' worth of slices have been written.
callers = Workload("call_parts", THREADS, 10**6, 0)
recorder = Recorder("-p", callers.pid, *calls_of(["part_call"], "--slower", "1ms"))
callers.go()


def calls_written():
    try:
        return Recording(recorder.path).rows("SELECT coalesce(sum(count), 0) FROM calls")[0][0]
    except sqlite3.Error:
        return 0


wait_until(lambda: calls_written() > 200, "rows of calls in the file")
recorder.process.kill()
recorder.process.wait()
callers.kill()
# SQLite undoes what was half written, for which it has to write.
with sqlite3.connect(recorder.path) as database:
    database.execute("SELECT count(*) FROM calls").fetchall()
recording = Recording(recorder.path)
check(not recording.report["recording"]["is_finished"], "a killed recording says that it ended well")
got = function_of(recording, ":part_call")
print({word: got[word] for word in ("count", "wall_ns", "running_ns", "blocked_ns")}, got["slow"]["count"])
check(got["count"] > 200 and got["slow"]["count"] > 0, f"{got}")
check_laws(recording)
stacks = recording.folded("slow:call_parts:part_call")
check(sum(stacks.values()) == got["slow"]["wall_ns"] + got["slow"]["open_wall_ns"], f"{stacks}")
for arguments in (("report",), ("report", "--slow", "part_call"), ("report", "--full")):
    check("call_parts:part_call" in dwell(*arguments[:1], recording.path, *arguments[1:]).stdout, f"{arguments}")
dwell("html", recording.path, "-o", "killed.html")
