# SPDX-License-Identifier: GPL-2.0-or-later
# alone, because it compares recordings of what was done one after the other
# timeout: 900
"""12,000 files are read one after the other, and a server is asked 6,000 times over a new connection each
time: rows hardly grow by what was waited for (with and without --no-awaited, in turns). What is folded
for that is told as a loss, and every long wait for a file has its path all the same."""
import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/e2e")
from awaited import *

FILES, FOLDERS = 12_000, 40
REQUESTS = 6_000
LONG_NS = 10 * MS
CONNECTIONS = """
import os, socket, sys
listener = socket.create_server(("127.0.0.1", 0), backlog=64)
requests = int(sys.argv[1])
if not os.fork():
    for _ in range(requests):
        with socket.create_connection(listener.getsockname()) as client:
            client.sendall(b"question")
            client.recv(100)
    os._exit(0)
for _ in range(requests):
    with listener.accept()[0] as server:
        server.recv(100)
        server.sendall(b"answer")
os.wait()
"""


def make_files(folder):
    for number in range(FOLDERS):
        os.makedirs(f"{folder}/{number}")
    for number in range(FILES):
        with open(f"{folder}/{number % FOLDERS}/{number}", "w") as file:
            file.write(f"{number}\n" * 400)
    os.sync()


def drop_caches():
    """Where it may: else the files are read from memory, and there is little to wait for."""
    try:
        with open("/proc/sys/vm/drop_caches", "w") as file:
            file.write("3\n")
    except OSError as error:
        print(f"caches are kept: {error}", flush=True)


def loss(recording, name):
    return sum(loss["count"] for loss in recording.report["accounting"]["losses"] if loss["loss"] == name)


def row_count(recording):
    """Of waits, summed up over tables that were flipped: how often that is depends on the time it takes."""
    return recording.rows("SELECT count(*) FROM (SELECT DISTINCT thread, letter, band, kernel_stack, user_stack,"
                          " chain, awaited FROM sums WHERE state = 3)")[0][0]


def check_fold(recording):
    [[folded]] = recording.rows("SELECT count(*) FROM sums WHERE awaited BETWEEN 1 AND 63 AND awaited IN (SELECT number"
                                " FROM words WHERE kind = 'awaited_kind' AND word IN ('file', 'tcp to', 'tcp from'))")
    check(bool(folded) == bool(loss(recording, "awaited_folded")),
          f"{folded} rows are folded, the loss is {loss(recording, 'awaited_folded')}")


def check_long_waits(recording):
    """Each long wait in a read of a file is for a file of its own, with a path."""
    known, wrong = 0, []
    is_read = {}
    for stack, awaited, name, max_ns in recording.rows(
            "SELECT s.kernel_stack, s.awaited, coalesce(a.name, ''), s.max_ns FROM sums s"
            " LEFT JOIN awaited a ON a.id = s.awaited WHERE s.state = 3 AND s.count = 1 AND s.max_ns >= ?", LONG_NS):
        if stack not in is_read:
            frames = frames_of(recording, stack)
            is_read[stack] = "vfs_read" in frames and any(frame.startswith("filemap_") for frame in frames)
        if is_read[stack]:
            known += 1
            wrong += [(awaited, name, max_ns)] if awaited in range(64) or not name.startswith("/") else []
    print(f"{known} long waits for files", flush=True)
    check(not wrong, f"{len(wrong)} of {known} long waits without their file: {wrong[:5]}")


def compare(what, command, most, slack, prepare=lambda: None):
    rows = {True: 0, False: 0}
    # The first one finds programs whose stacks cannot be followed yet, and has rows of its own.
    record(command=command)
    for turn in range(2):
        for has_things in (True, False) if turn else (False, True):
            prepare()
            recording = record(*([] if has_things else ["--no-awaited"]), command=command)
            rows[has_things] += row_count(recording)
            if has_things:
                check_fold(recording)
                check_long_waits(recording)
                print(f"{what}: {loss(recording, 'awaited_folded')} folded", flush=True)
    print(f"{what}: {rows[True]} rows, without things {rows[False]}", flush=True)
    check(rows[True] <= most * rows[False] + slack, f"{what}: {rows[True]} rows, without things {rows[False]}")


need_root()
make_files("files")
compare("scan", ["sh", "-c", "find files -type f | xargs -n 500 cat >/dev/null"], 1.5, 20, drop_caches)
compare("connections", [sys.executable, "-c", CONNECTIONS, REQUESTS], 1.1, 20)
