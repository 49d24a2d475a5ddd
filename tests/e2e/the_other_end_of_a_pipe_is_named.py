# SPDX-License-Identifier: GPL-2.0-or-later
"""Somebody waits for a pipe without end: who has its other end is said, whether it is read or written. Of a pipe
that two have the other end of, and of one whose other end nobody recorded has, nothing is."""
import fcntl
from lib import *

F_SETPIPE_SZ = 1031


class Line:
    """sleep | cat, or cat | sleep with a pipe that is full; `spare`: this process keeps the end that sleep has."""

    def __init__(self, sleeper_writes, spare=False):
        end = dict(zip(("read", "write"), os.pipe()))
        self.mine, own = ("read", "write") if sleeper_writes else ("write", "read")
        if not sleeper_writes:
            fcntl.fcntl(end["write"], F_SETPIPE_SZ, 4096)
        waits = ["cat"] if sleeper_writes else ["cat", "/dev/zero"]
        place = {"read": "stdin", "write": "stdout"}
        self.waiter = subprocess.Popen(waits, **{place[self.mine]: end[self.mine]})
        self.sleeper = subprocess.Popen(["sleep", "1000"], **{place[own]: end[own]})
        os.close(end[self.mine])
        self.spare = end[own] if spare else os.close(end[own])

    def kill(self):
        for process in (self.sleeper, self.waiter):
            process.kill()
            process.wait()
        if self.spare is not None:
            os.close(self.spare)



def pipe_of(recording):
    rows = json.loads(dwell("report", "--things", "--idle", "show", "--json", recording.path).stdout)["things"]
    pipes = [row for row in rows if row["kind"] == "pipe"]
    check(len(pipes) == 1, f"pipes: {pipes}")
    return pipes[0]


need_root()
for sleeper_writes in (True, False):
    line = Line(sleeper_writes)
    time.sleep(0.3)
    recording = record("-p", f"{line.waiter.pid},{line.sleeper.pid}", "-d", "500ms")
    owner = pipe_of(recording).get("owner")
    check(owner and (owner["name"], owner["tid"]) == ("sleep", line.sleeper.pid), f"the other end: {owner}")
    text = dwell("report", "--things", "--idle", "show", recording.path).stdout
    check(f"sleep ({line.sleeper.pid}) has the other end" in text, text)
    text = " ".join(dwell("report", "--idle", "show", recording.path).stdout.split())
    check("sleep has the other end" in text, text)
    alone = record("-p", str(line.waiter.pid), "-d", "300ms", path="alone.dwell")
    check("owner" not in pipe_of(alone), "a thread that is not recorded")
    line.kill()

line = Line(True, spare=True)
time.sleep(0.3)
recording = record("-p", f"{line.waiter.pid},{line.sleeper.pid}", "-d", "500ms")
check("owner" not in pipe_of(recording), "one of two that have the other end")
line.kill()
