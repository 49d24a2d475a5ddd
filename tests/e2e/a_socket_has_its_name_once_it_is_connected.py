# SPDX-License-Identifier: GPL-2.0-or-later
"""A connect that waits for room at its server has no peer yet. What the same socket waits for afterwards is its
server, though its thread has waited for nothing else in between, and nothing in the kernel's memory has moved."""
from lib import *

PROGRAM = """
import socket, threading, time
listener = socket.socket(socket.AF_UNIX)
listener.bind("server.sock")
listener.listen(0)
first = socket.socket(socket.AF_UNIX)
first.connect("server.sock")

def ask():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("server.sock")
        client.recv(100)

thread = threading.Thread(target=ask)
thread.start()
time.sleep(0.4)
accepted = [listener.accept()[0], listener.accept()[0]]
time.sleep(0.4)
accepted[1].sendall(b"answer")
thread.join()
"""

need_root()
recording = record(command=[sys.executable, "-c", PROGRAM])
rows = recording.rows("SELECT w.word, coalesce(a.name, ''), sum(s.ns) FROM sums s JOIN awaited a ON a.id = s.awaited"
                      " JOIN words w ON w.kind = 'awaited_kind' AND w.number = a.kind"
                      " WHERE s.state = 3 AND w.word LIKE 'unix%' GROUP BY 1, 2")
asked = sum(ns for kind, name, ns in rows if kind == "unix to" and name.endswith("server.sock"))
unnamed = sum(ns for kind, name, ns in rows if kind == "unix pair")
check(asked > 300 * MS and unnamed > 300 * MS, f"{rows}")
