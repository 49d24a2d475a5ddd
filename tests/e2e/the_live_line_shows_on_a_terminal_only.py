# SPDX-License-Identifier: GPL-2.0-or-later
"""On a terminal dwell record shows that it is alive; elsewhere it is silent until the end, and
stdout belongs to the command."""
import pty
from lib import *

quiet = record("-d", "1.5", command=["sh", "-c", "echo mine; sleep 1"])
check(quiet.stdout == "mine\n", f"stdout: {quiet.stdout!r}")
check("\r" not in quiet.stderr and "\x1b" not in quiet.stderr, f"stderr: {quiet.stderr!r}")

master, slave = pty.openpty()
process = background(DWELL, "record", "-a", "-d", "2.5", stderr=slave)
os.close(slave)
shown = b""
while True:
    try:
        data = os.read(master, 4096)
    except OSError:
        break
    if not data:
        break
    shown += data
check(process.wait(HANGS_S) == 0, f"{shown!r}")
check(b"threads" in shown and b"\r" in shown, f"no live line: {shown!r}")
check(b" s of 2.5 s: " in shown, f"no word of how far it is: {shown!r}")
check(b"saving: " in shown, f"no word of the end: {shown!r}")
check(shown.split(b"\r\x1b[K")[-1].startswith(b"dwell: recorded "), f"the line is not taken back: {shown!r}")
