# SPDX-License-Identifier: GPL-2.0-or-later
"""Samples of two events that perf recorded weigh their periods, and are kept apart: read from the
text of perf script by dwell flame, and out of an import, they have the sums by symbol that perf
report has of the same file. The first event is shown, the other one is named; --weight count
counts samples."""
import re
import subprocess
from collections import Counter
from lib import *

need_root()
need_tool("perf")

# Page faults by the thousand, and some time in between.
program = ("import mmap\n"
           "for i in range(60):\n"
           "    m = mmap.mmap(-1, 4 << 20)\n"
           "    for at in range(0, 4 << 20, 4096): m[at] = 1\n"
           "    m.close()\n")
made = subprocess.run(["perf", "record", "-o", "perf.data", "-g", "-e", "page-faults/period=9/",
                       "-e", "cpu-clock/period=1000000/", "python3", "-c", program],
                      capture_output=True, text=True)
if made.returncode:
    skip(f"perf cannot record: {made.stderr}")


def perf(*arguments):
    return subprocess.run(["perf", *arguments, "-i", "perf.data"], capture_output=True, text=True,
                          check=True).stdout


def unnamed(symbol):
    """A symbol that one of the two tools shows by its address or by its file."""
    return re.fullmatch(r"0x[0-9a-f]+|\[.*\]|.*\+0x[0-9a-f]+", symbol)


def by_symbol(symbols):
    sums = Counter()
    for symbol, weight in symbols:
        sums["?" if unnamed(symbol) else symbol.replace(";", ":")] += weight
    return sums


def of_report():
    """Event -> periods by symbol, event -> samples."""
    events, samples, event = {}, Counter(), None
    for line in perf("report", "--no-children", "--stdio", "-g", "none", "--no-inline", "-F",
                     "period,sample,sym").split("\n"):
        begins = re.match(r"# Samples: \S+ +of event '(.*)'", line)
        if begins:
            event = begins.group(1)
            events[event] = []
        elif event and line.strip() and line[0] != "#":
            period, count, _, symbol = line.split(None, 3)
            events[event].append((symbol.strip(), int(period)))
            samples[event] += int(count)
    return {event: by_symbol(rows) for event, rows in events.items()}, samples


def of_dwell(path, event, *options):
    lines = dwell("flame", "-f", "--unit", "ns", path, "--view", event, *options).stdout.splitlines()
    rows = [line.rsplit(" ", 1) for line in lines]
    return by_symbol((stack.split(";")[-1], int(weight)) for stack, weight in rows)


with open("perf.txt", "w") as file:
    file.write(perf("script", "--no-inline"))
said = dwell("import", "perf.txt", "-o", "perf.dwell").stderr
reported, samples = of_report()
check(len(reported) == 2, f"{reported.keys()}")
for event, sums in reported.items():
    check(event in said, said)
    for path in ("perf.txt", "perf.dwell"):
        shown = of_dwell(path, event)
        check(shown == sums, f"{path}: {event}: {(shown - sums)} {(sums - shown)}")
        counted = of_dwell(path, event, "--weight", "count")
        check(sum(counted.values()) == samples[event], f"{path}: {event}: {counted} {samples}")
faults = next(event for event in reported if "page-faults" in event)
check(sum(reported[faults].values()) >= 60 * 1024, f"{reported[faults]}")

# Without --view the first is shown, as whole as with it, and the other one named.
result = dwell("flame", "-f", "--unit", "ns", "perf.txt")
shown = re.search(r"shows (\S+); also samples of (\S+) \(", result.stderr)
check(shown and set(shown.groups()) == set(reported), result.stderr)
total = sum(int(line.rsplit(" ", 1)[1]) for line in result.stdout.splitlines())
check(total == sum(reported[shown.group(1)].values()), f"{total}")
check_one_line_error(dwell("flame", "-f", "perf.txt", "--view", "cycles", status=2), "no samples", faults)
