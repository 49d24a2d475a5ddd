# SPDX-License-Identifier: GPL-2.0-or-later
"""What users of perf record type is taken where it means the same, with a line each that says what it
comes to; where it does not, one line says what to give instead."""
from lib import *

for args, *words in (
        (("-C", "0", "-a"), "no option -C", "-p, -t, -n or -G"), (("--cpu=0",), "no option --cpu"),
        (("-ac", "1000"), "-c 1000", "no -e before it"), (("--delay", "500"), "begin later"),
        (("-b",), "no option -b", "branches"),
        (("--call-graph", "lbr"), "lbr", "leave it out"), (("--call-graph", "sawdust"), "fp or dwarf"),
        (("-e", "task-clock"), "cpu-clock")):
    check_one_line_error(dwell("record", *args, status=2), *words)
check_one_line_error(dwell("-C", "0", "-a", status=2), "no option -C")
check(os.listdir(".") == [], "nothing is recorded")

need_root()


def said(*args, status=0):
    """The lines that a recording with these options begins with, and what it was of."""
    result = dwell("record", *args, "-o", "x.dwell", "--", "sleep", "0.2", status=status)
    lines = result.stderr.splitlines()
    target = json.loads(dwell("report", "--json", "x.dwell").stdout)["recording"]["target"]
    return [line for line in lines if not line.startswith("dwell: recorded ")], target


lines, target = said("-ag", "-F", "49", "--call-graph", "dwarf,8192", "--off-cpu", "-e", "cycles")
check([line.split(":")[1].strip() for line in lines] ==
      ["-g", "--call-graph dwarf,8192", "--off-cpu", "-e cycles"], f"{lines}")
check(target == "all threads", f"the command is a stopwatch: {target}")
lines, _ = said("--all-cpus", "--call-graph", "fp")
check(len(lines) == 1 and "frame pointers" in lines[0], f"{lines}")
lines, _ = said("-p", os.getpid(), "-g", "-q")
check(lines == [], f"-q: {lines}")
