# SPDX-License-Identifier: GPL-2.0-or-later
"""A target or a filter that matches nothing is one line in every command, which says which filter it
was and what there is, and exit 1; nothing is written."""
import lzma
from lib import *

NAME = "format-6.dwell"
with lzma.open(os.path.join(TOP, "tests/data/recordings", NAME + ".xz")) as source:
    with open(NAME, "wb") as file:
        file.write(source.read())
comms = {row[0] for row in sqlite3.connect(NAME).execute("SELECT comm FROM threads")}
check("demo" in comms, f"{comms}")

COMMANDS = (("report", NAME), ("report", NAME, "--json"), ("report", NAME, "--functions"),
            ("report", NAME, "--functions", "--json"), ("report", NAME, "--things"),
            ("report", NAME, "--things", "--json"), ("report", NAME, "--wait", "1"),
            ("flame", NAME, "-f"), ("flame", NAME, "-o", "out.svg"), ("html", NAME, "-o", "out.html"),
            ("diff", NAME, NAME), ("diff", NAME, NAME, "--json"), ("diff", NAME, NAME, "-o", "out.svg"))
for command in COMMANDS:
    for args, words in ((("-n", "dmeo"), "did you mean 'demo'?"), (("--from", "100"), "end at 0.8")):
        result = dwell(*command, *args, status=1)
        lines = [line for line in result.stderr.splitlines() if "does not hold what waits" not in line]
        check(len(lines) == 1 and lines[0].startswith("dwell: ") and words in lines[0],
              f"{command} {args}: {lines}")
check(os.listdir(".") == [NAME], f"something was written: {os.listdir('.')}")
# A gate has 1 for what it finds.
check_one_line_error(dwell("diff", NAME, NAME, "-n", "dmeo", "--fail-above", "5", status=2), "'demo'")

# Which filter it was, and what there is.
for args, *words in ((("-p", "999999"), "no process 999999 (-p)", "demo"),
                     (("-t", "999999,999998"), "no thread 999999 or 999998 (-t)", "cpu-hog ("),
                     (("-n", "zzzzzz"), "no thread is named zzzzzz (-n)", "there are"),
                     (("-k",), "no kernel thread (-k)"),
                     (("-m", "1s"), "no wait is as long as 1.0 s (-m)", "the longest is"),
                     (("--reason", "vfork"), "no time in vfork (--reason)", "there is", "futex"),
                     (("--state", "T"), "in state T (--state)", "there is S"),
                     (("--for", "zzz"), "called zzz (--for)"),
                     (("-n", "demo", "--reason", "disk", "-m", "100ms"), "together")):
    # Running time passes whatever the waits' length.
    command = ("flame", "-f") if args[0] == "-m" else ("report",)
    check_one_line_error(dwell(*command, NAME, *args, status=1), *words)

# Events alone are something: without a filter nothing is called filtered, and there is a report.
with open("faults.txt", "w") as file:
    file.write("app 7/7 [000] 1.000000: 9 page-faults:\n\t401000 touch+0x10 (/bin/app)\n\t401100 main+0x20 (/bin/app)\n\n")
dwell("import", "faults.txt", "-o", "faults.dwell")
dwell("import", "faults.txt", "-o", "more.dwell")
check("9" in dwell("report", "faults.dwell").stdout, "the report of events alone")
check("page-faults" in dwell("diff", "faults.dwell", "more.dwell").stdout, "their comparison")
check_one_line_error(dwell("diff", "faults.dwell", NAME, status=2), "not comparable")
for name in ("faults.txt", "faults.dwell", "more.dwell"):
    os.remove(name)

# However many there are, their number is the true one, of names as well.
with open("many.txt", "w") as file:
    for i in range(20000):
        name = "same" if i % 2 else f"x{i}y"
        file.write(f"{name} {i + 1}/{i + 1} [000] 1.0: 9 cpu-clock: \n\t 1000 f (/bin/a)\n\n")
dwell("import", "-q", "many.txt", "-o", "many.dwell")
for args, words in ((("-p", "999999"), "and 19996 more"), (("-t", "999999"), "and 19996 more"),
                    (("-n", "qqqqqq"), "and 9997 more"), (("-n", "smae"), "did you mean 'same'?")):
    check_one_line_error(dwell("report", "many.dwell", *args, status=1), words)
os.remove("many.txt")
os.remove("many.dwell")

# Whom to record.
need_root()
os.remove(NAME)
result = dwell("record", "-n", "no-such-thread", "-d", "0.2", status=1)
check(result.stderr.count("\n") == 2 and "no thread is named no-such-thread yet" in result.stderr and
      "nothing was recorded" in result.stderr, result.stderr)
check_one_line_error(dwell("record", "-q", "-n", "no-such-thread", "--", "true", status=125),
                     "nothing was recorded")
check("nothing was recorded" in dwell("-n", "no-such-thread", "-d", "0.2", status=1).stderr, "one shot")
check_one_line_error(dwell("check", "--cost", "-n", "no-such-thread", status=1), "no thread to record")
check(os.listdir(".") == [], f"left behind: {os.listdir('.')}")
