# SPDX-License-Identifier: GPL-2.0-or-later
"""A thread that wakes a target is followed for its chains; when it gets a name that is asked for it is a
target like any other."""
from lib import *

PROGRAM = """
import ctypes, os, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def name(text):
    libc.prctl(15, text.encode(), 0, 0, 0)
there, back = os.pipe(), os.pipe()
def first():
    name("wanted-1")
    while os.read(there[0], 1) == b"x":
        os.write(back[1], b"x")
def second():
    name("other")
    for i in range(60):
        if i == 30:
            name("wanted-2")
        time.sleep(0.02)
        os.write(there[1], b"x")
        os.read(back[0], 1)
    os.write(there[1], b"q")
threads = [threading.Thread(target=first), threading.Thread(target=second)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
recorder = Recorder("-n", "wanted-*", "-F", "0")
run(sys.executable, "-c", PROGRAM)
recording = recorder.stop()
for comm in ("wanted-1", "wanted-2"):
    check(len(recording.named(comm)) == 1, f"{comm}: {[thread['comm'] for thread in recording.threads]}")
joined = recording.named("wanted-2")[0]
check(joined["blocked_ns"] > 0.4 * S, f"it slept 30 times 20 ms after it was renamed: {joined}")
check_books(recording)
