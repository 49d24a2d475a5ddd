# SPDX-License-Identifier: GPL-2.0-or-later
"""User stacks as a debugger sees them (eu-stack), and as a recording has them, both as lists of
(file, address in the file), leaf first: what names and load addresses cannot blur."""
import functools
import os
import re

from lib import *


@functools.lru_cache(maxsize=None)
def segments_of(path):
    """[(offset, bytes, address)] of the executable segments of a file."""
    text = run("readelf", "-lW", path).stdout
    found = re.findall(r"LOAD\s+(0x\w+) (0x\w+) 0x\w+ (0x\w+) 0x\w+ R E", text)
    return [(int(offset, 16), int(size, 16), int(address, 16)) for offset, address, size in found]


class Mappings:
    """The executable mappings of a process, as they are now."""

    def __init__(self, pid):
        self.lines = []
        with open(f"/proc/{pid}/maps") as file:
            for line in file:
                fields = line.split(None, 5)
                if "x" not in fields[1]:
                    continue
                start, end = (int(part, 16) for part in fields[0].split("-"))
                path = fields[5].strip() if len(fields) > 5 else ""
                link = f"/proc/{pid}/map_files/{start:x}-{end:x}"
                self.lines.append((start, end, int(fields[2], 16), path, link))

    def place(self, pc):
        """(file, address in it); files by their last name, code without a file by its pc."""
        for start, end, offset, path, link in self.lines:
            if not start <= pc < end:
                continue
            if not path.startswith("/"):
                return (path or "anonymous", pc if path != "[vdso]" else pc - start)
            at = pc - start + offset
            for first, size, address in segments_of(link):
                if first & ~4095 <= at < first + size:
                    return (os.path.basename(path), at - first + address)
        return ("unmapped", pc)


def stacks_of_debugger(pid):
    """{tid: [(file, address)]}, leaf first; threads that it cannot walk at all are left out."""
    maps = Mappings(pid)
    text = run("eu-stack", "-n", "0", "-p", pid, status=None).stdout
    stacks, tid = {}, None
    for line in text.splitlines():
        if line.startswith("TID "):
            tid = int(line[4:].rstrip(":"))
            stacks[tid] = []
        frame = re.match(r"#\d+\s+(0x[0-9a-f]+)", line)
        if frame:
            stacks[tid].append(maps.place(int(frame[1], 16)))
    return {tid: stack for tid, stack in stacks.items() if stack}


def frames_of(recording, stack):
    """The frames of a stored stack, leaf first, and how it ended."""
    rows = recording.rows("""
        WITH RECURSIVE up(id, parent, frame, end, depth) AS (
          SELECT id, parent, frame, unwind_end, 0 FROM stacks WHERE id = ?
          UNION ALL SELECT s.id, s.parent, s.frame, s.unwind_end, up.depth + 1
          FROM stacks s JOIN up ON s.id = up.parent)
        SELECT o.path, f.address, up.end, f.name FROM up JOIN frames f ON f.id = up.frame
        JOIN objects o ON o.id = f.object ORDER BY up.depth""", stack)
    frames = [(os.path.basename(path), address) for path, address, _, _ in rows]
    return frames, rows[0][2] if rows else None


def open_stacks(recording, pid):
    """{tid: (frames, end)} of the threads that were blocked when the window ended."""
    rows = recording.rows(f"""
        SELECT t.tid, s.user_stack FROM all_sums s JOIN threads t ON t.id = s.thread
        JOIN processes p ON p.id = t.process
        WHERE p.pid = ? AND {IS_UNENDED} AND NOT s.user_stack BETWEEN 0 AND 15
          AND s.state = (SELECT number FROM words WHERE kind = 'state' AND word = 'blocked')""",
        pid)
    return {tid: frames_of(recording, stack) for tid, stack in rows}


def switches_of(pid):
    """{tid: switches so far}: equal numbers mean that a thread has not run in between."""
    counts = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{tid}/status") as file:
                text = file.read()
        except OSError:
            continue
        counts[int(tid)] = sum(int(number) for number in re.findall(
            r"^(?:non)?voluntary_ctxt_switches:\s+(\d+)", text, re.M))
    return counts


def states_of(pid):
    states = []
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{tid}/stat") as file:
                states.append(file.read().rpartition(")")[2].split()[0])
        except OSError:
            pass
    return states


def wait_asleep(pid, is_periodic=False):
    """Until all threads sleep and the first one has stayed where it was for a while; a periodic one
    wakes up now and then, to fall asleep at the same place."""
    def is_asleep():
        before = switches_of(pid).get(pid)
        time.sleep(0.3)
        return set(states_of(pid)) == {"S"} and (is_periodic or
                                                 switches_of(pid).get(pid) == before)
    wait_until(is_asleep, f"sleep of {pid}")
