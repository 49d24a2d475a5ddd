# SPDX-License-Identifier: GPL-2.0-or-later
"""Folded text and text of perf script with all that a file can hold against its reader: binary junk,
lines without counts, negative and huge counts, stacks of 10,000 frames, names of 1 MB, bytes that
are no UTF-8, <script> and ]]> in names. What can be used is, the rest is counted; what was lost is in the
recording and in every output made from it; a picture holds no more scripts than a good file's; and
names of events, functions and files have no escape sequences left for a terminal."""
import xml.etree.ElementTree as xml
from lib import *

GOOD_FOLDED = b"good;main;work 7\n"
GOOD_PERF = (b"good 7/7 [000] 9.000000000: 1000000 cpu-clock: \n"
             b"\t 1000 work (/bin/good)\n\t 1001 main (/bin/good)\n\n")


def folded_with(frames, count=b"5"):
    return b"bad;" + b";".join(frames) + b" " + count + b"\n"


def perf_with(frames, head=b"bad 8/8 [000] 8.000000000: 1000000 cpu-clock: \n"):
    return head + b"".join(b"\t 2000 " + name + b" (/bin/bad)\n" for name in reversed(frames)) + b"\n"


SCRIPT = b"<script>alert(1)</script>]]>&\"'"
DEEP = [b"f%d" % i for i in range(10000)]
LONG = b"n" * (1 << 20)
SWITCH = b"bad 8/8 [000] %s: sched:sched_switch: %s\n\n"
# name, bytes, the losses that the recording must name, a text that must be in the folded output
CASES = [
    ("junk", GOOD_FOLDED * 9 + b"\x00\x01\xff\x02 5\n" * 3, {"lines_binary": 3}, "good;main;work"),
    ("no count", b"bad;f\n" * 2 + GOOD_FOLDED * 3, {"lines_no_count": 2}, "good;main;work"),
    ("negative", folded_with([b"f"], b"-5") + GOOD_FOLDED, {"lines_negative": 1}, "good;main"),
    ("huge", folded_with([b"f"], b"9" * 30) + folded_with([b"g"], b"9" * 18) + GOOD_FOLDED,
     {"lines_too_large": 2}, "good;main;work"),
    ("deep", folded_with(DEEP) + GOOD_FOLDED, {"stacks_cut": 1}, "f9998;f9999"),
    ("deeper", folded_with(DEEP * 8) + GOOD_FOLDED, {"lines_cut": 1, "stacks_cut": 1}, "f9998;f9999"),
    ("long", folded_with([LONG]) + GOOD_FOLDED, {"names_cut": 1}, "n" * 65000),
    ("too long", b"x" * (17 << 20) + b" 5\n" + GOOD_FOLDED, {"lines_too_long": 1}, "good;main;work"),
    ("bytes", folded_with([b"f\xff\xfeg"]) + GOOD_FOLDED, {"lines_not_utf8": 1}, "good;main;work"),
    ("script", folded_with([SCRIPT]) + GOOD_FOLDED, {}, SCRIPT.decode()),

    ("perf junk", GOOD_PERF * 3 + b"\x00\x01\xff\x02\n" * 3 + GOOD_PERF, {"lines_binary": 3}, "work"),
    ("perf no count", GOOD_PERF + SWITCH % (b"8.5", b"") + b"what is this\n", {"lines_no_time": 1,
     "lines_unknown": 1}, "work"),
    ("perf first line", b"what is this\n\n" + GOOD_PERF * 2, {"lines_unknown": 1}, "work"),
    ("perf negative", GOOD_PERF + perf_with([b"f"], b"bad 8/8 [000] 8.0: -5 cpu-clock: \n"),
     {"lines_unknown": 1}, "work"),
    ("perf huge", GOOD_PERF + perf_with([b"f"], b"bad 8/8 [000] 8.0: " + b"9" * 30 +
                                        b" cpu-clock: \n"), {"lines_unknown": 1}, "work"),
    ("perf deep", perf_with(DEEP) + GOOD_PERF, {"stacks_cut": 1}, "f9998;f9999"),
    ("perf deeper", perf_with(DEEP * 8) + GOOD_PERF, {"lines_cut": 1, "stacks_cut": 1}, "f9998;f9999"),
    ("perf long", perf_with([LONG]) + GOOD_PERF, {"names_cut": 1}, "n" * 65000),
    ("perf long comm", perf_with([b"f"], LONG + b" 8/8 [000] 8.0: 1 cpu-clock: \n") + GOOD_PERF,
     {"lines_unknown": 1}, "work"),
    ("perf too long", b"x" * (17 << 20) + b"\n" + GOOD_PERF * 3, {"lines_too_long": 1}, "work"),
    ("perf bytes", perf_with([b"f\xff\xfeg"]) + GOOD_PERF, {"lines_not_utf8": 1}, "work"),
    ("perf script", perf_with([SCRIPT]) + GOOD_PERF, {}, SCRIPT.decode()),
    ("perf lost", GOOD_PERF + b"good 7/7 [000] 9.1: PERF_RECORD_LOST lost 17\n" + GOOD_PERF +
     b"good 7/7 [000] 9.2: PERF_RECORD_LOST lost 5\n", {"logged": 22}, "work"),
    ("perf other", GOOD_PERF * 2 + GOOD_PERF.replace(b"cpu-clock", b"page-faults"),
     {}, "work"),
]


def scripts_of(path):
    """How many scripts the picture has; it must be XML."""
    root = xml.parse(path).getroot()
    return sum(element.tag.endswith("script") for element in root.iter())


with open("good", "wb") as file:
    file.write(GOOD_FOLDED)
dwell("flame", "good", "-o", "good.svg")
usual = scripts_of("good.svg")
problems = []
for name, data, losses, words in CASES:
    with open("hostile", "wb") as file:
        file.write(data)
    said = dwell("import", "hostile", "-o", "a.dwell", status=None)
    if said.returncode:
        problems.append(f"{name}: {said.stderr[:200]}")
        continue
    made = Recording("a.dwell")
    got = dict(made.rows("SELECT name, count FROM losses"))
    if got != losses:
        problems.append(f"{name}: losses {got}, not {losses}")
    if dwell("import", "-q", "hostile", "-o", "b.dwell").stderr:
        problems.append(f"{name}: -q is not quiet")

    report = dwell("report", "a.dwell", "--full").stdout
    named = {loss["loss"]: loss for loss in made.report["accounting"]["losses"]}
    check(set(named) == set(got), f"{name}: {named}")
    for loss, count in got.items():
        word = "lost" if named[loss]["is_serious"] else "noted"
        if f"{word}: {count} " not in report:
            problems.append(f"{name}: {loss} is not in the report:\n{report[-600:]}")
    drawn = dwell("flame", "a.dwell", "--view", "hotcold", "-o", "a.svg")
    if any(loss["is_serious"] for loss in named.values()):
        functions = dwell("report", "--functions", "a.dwell")
        compared = dwell("diff", "a.dwell", "a.dwell", "--view", "hotcold")
        for where, text in (("stderr", drawn.stderr), ("the picture", open("a.svg").read()),
                            ("functions", functions.stderr), ("diff", compared.stderr)):
            if "imported " not in text:
                problems.append(f"{name}: no losses in {where}")
    with open("hostile", "rb") as file:
        dwell("flame", "-", "-o", "b.svg", stdin=file)
    for picture in ("a.svg", "b.svg"):
        if scripts_of(picture) != usual:
            problems.append(f"{name}: {scripts_of(picture)} scripts in {picture}")
    text = dwell("flame", "-f", "a.dwell", "--view", "hotcold").stdout
    if words not in text:
        problems.append(f"{name}: no {words[:60]} in {text[:200]}")
check(not problems, "\n".join(problems))

# Escape sequences in each place that perf script has for a name.
for name, period in (("evil.txt", 5), ("evil2.txt", 9)):
    with open(name, "w") as file:
        for event in ("evil\x1b[31m", "other\x1b[32m"):
            file.write(f"c\x1b[33m 7/7 [000] 9.0: {period} {event}: \n"
                       f"\t 1000 f\x1b[34m (/bin/a\x1b[35m)\n\t 1001 foo (/bin/a\x1b[35m)\n\n")
for command in (("import", "evil.txt", "-o", "evil.dwell"), ("diff", "--raw", "evil.txt", "evil2.txt"),
                ("diff", "evil.txt", "evil2.txt"), ("diff", "evil.txt", "evil2.txt", "--json"),
                ("flame", "-f", "evil.txt"), ("flame", "evil.txt", "-o", "evil.svg"),
                ("flame", "-f", "--view", "nope", "evil.txt"), ("flame", "-f", "evil.dwell")):
    said = dwell(*command, status=None)
    check("\x1b" not in said.stdout + said.stderr, f"{command}: {said.stdout!r} {said.stderr!r}")
    check("evil?[31m" in said.stdout + said.stderr, f"{command}: {said.stdout} {said.stderr}")
with open("evil.svg") as file:
    check("\x1b" not in file.read(), "escape sequences in the picture")
