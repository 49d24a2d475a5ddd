# SPDX-License-Identifier: GPL-2.0-or-later
"""What a recording counts is a view whatever it is called, also by a name that is nearly one of the
list, and is shown in its unit whatever that is; a slip in a name is told wherever one is given."""
from lib import *

LONG = "fourteen bytes" + 8 * "\u00e9"


def make(path, *measures):
    """A recording of one stack with these measures: (name, unit, event, count, value)."""
    with open("in.folded", "w") as file:
        file.write("main;work 3000\n")
    dwell("import", "--as", "blocked", "in.folded", "-o", path)
    database = sqlite3.connect(path)
    for number, (name, unit, event, count, value) in enumerate(measures, 1):
        database.execute("INSERT INTO measures VALUES (?, ?, ?, ?, '', 'event')", (number, name, unit, event))
        database.execute("INSERT INTO counts SELECT NULL, ?, thread, 0, kernel_stack, user_stack, ?, ?, "
                         "?, ?, 0 FROM sums LIMIT 1", (number, count, value, value // count, count))
    database.commit()
    database.close()


def stacks(view, *args):
    return dwell("flame", "some.dwell", "--view", view, "-f", *args).stdout


NEAR = ("wakes", "runs", "chains", "cpu")
make("some.dwell", *((name, "count", name, 4, 12) for name in NEAR),
     ("stalls", "ns", "stall", 2, 13000), ("quanta", "furlongs", "quantum", 1, 12836),
     ("odd", LONG + " of one kind", "oddity", 2, 7))
make("other.dwell", ("wakes", "count", "wakes", 4, 20),
     ("odd", LONG + " of another kind", "oddity", 2, 7))
for name in NEAR:
    check(stacks(name) == "main;work 12\n", f"{name}: {stacks(name)}")
    table = dwell("report", "some.dwell", "--functions", "--view", name).stdout
    check(f"dwell  12 {name}" in table, table)
compared = json.loads(dwell("diff", "some.dwell", "other.dwell", "--view", "wakes", "--raw",
                            "--json").stdout)
check((compared["total_before"], compared["total_after"]) == (12, 20), compared)

# Slips, with a recording that has the name meant, with one that has not, and with none.
for args, words in (
        (("flame", "some.dwell", "--view", "waeks", "-f"), "did you mean wakes?"),
        (("flame", "other.dwell", "--view", "offcup", "-f"), "did you mean offcpu?"),
        (("flame", "other.dwell", "--view", "wombats", "-f"), "views are offcpu"),
        (("flame", "some.dwell", "--view", "chian", "--roots", "-f"), "did you mean chain?"),
        (("flame", "none.dwell", "--view", "offcup", "-f"), "did you mean --view offcpu"),
        (("report", "none.dwell", "--functions", "--view", "offcup"), "did you mean --view offcpu"),
        (("report", "other.dwell", "--functions", "--view", "oncpuu"), "did you mean oncpu?"),
        (("diff", "some.dwell", "other.dwell", "--view", "runqq"), "did you mean runq?"),
        (("diff", "some.dwell", "other.dwell", "--view", "cpu"), "other.dwell: unknown view cpu")):
    check_one_line_error(dwell(*args, status=2), words)

# Units.
check(stacks("stalls") == "main;work 13\n", "13 us")
check_one_line_error(dwell("flame", "some.dwell", "--view", "stalls", "--unit", "ms", "-f", status=1),
                     "all time of stalls is less than one ms")
check_one_line_error(dwell("flame", "some.dwell", "--view", "stalls", "-n", "nobody", "-f", status=1),
                     "no stall passes the filters")
table = dwell("report", "some.dwell", "--functions", "--view", "quanta").stdout
check("dwell  12,836 furlongs in 1 quantum, " in table, table)
dwell("flame", "some.dwell", "--view", "odd", "-o", "odd.svg")
with open("odd.svg", encoding="utf-8") as file:
    check(f"7 {LONG} of one kind, 100.00%" in file.read(), "the picture has the unit's word")
same = dwell("diff", "some.dwell", "some.dwell", "--view", "odd", "--raw").stdout
check(f"7.000 {LONG} of one kind  some.dwell" in same, same)
check_one_line_error(dwell("diff", "some.dwell", "other.dwell", "--view", "odd", status=2),
                     f"some.dwell holds {LONG} of one kind", f"holds {LONG} of another kind")
