# SPDX-License-Identifier: GPL-2.0-or-later
"""Weights of text and of what is counted may be of any size: raw they are written as they are, and a
scale never makes them overflow."""
from lib import *

BIG = 10_000_000_000_000


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def compare(ending, *args):
    """The file that a comparison writes."""
    path = "both." + ending
    dwell("diff", *args, "-o", path)
    with open(path) as file:
        return file.read()


def root_box(svg):
    """(weight, value in words) of the box of all."""
    found = re.search(r'data-w="(\d+)" data-d="0"><title>all\n([^,]*(?:,\d{3})*[^,]*),', svg)
    check(found, svg[-2000:])
    return int(found.group(1)), found.group(2)


write("before.folded", f"a;b {BIG}\na;c {3 * BIG}\n")
write("after.folded", f"a;b {3 * BIG}\na;c {3 * BIG}\n")
text = ("before.folded", "after.folded")
check(compare("folded", *text, "--raw") == f"a;b {BIG} {3 * BIG}\na;c {3 * BIG} {3 * BIG}\n",
      "raw folded text")
check(root_box(compare("svg", *text, "--raw")) == (6 * BIG, "60,000,000,000,000 counts"),
      "a raw picture")
check(compare("folded", *text) == "a;b 250000 500000\na;c 750000 500000\n", "shares as folded text")
# A box is as wide as the larger of its two weights.
check(root_box(compare("svg", *text)) == (1_250_000_000, "125 %"), "shares as a picture")

# In the table they stay under their headings.
write("some.folded", "a;b 100000000\na;c 1\n")
write("more.folded", "a;b 300000000\na;c 1\n")
table = dwell("diff", "some.folded", "more.folded", "--raw").stdout
check("before     100000001 counts" in table and "\n    100000000  300000000 +200000000  +200.0 %  b" in table,
      table)

# The largest count that text can have.
largest = 2**63 - 2
write("largest.folded", f"a;b {largest}\n")
line = compare("folded", "before.folded", "largest.folded", "--raw").split("\n")[0]
check(line == f"a;b {BIG} {largest}", line)

# Bytes that a recording counts have a window to be divided by: its 1 ms makes a thousand times as
# many a second.
write("time.folded", "t;f 1000\n")
for path, value in (("before.dwell", BIG), ("after.dwell", 3 * BIG)):
    dwell("import", "--as", "blocked", "--unit", "us", "time.folded", "-o", path)
    database = sqlite3.connect(path)
    database.execute("INSERT INTO measures VALUES (1, 'alloc', 'bytes', 'allocation', '', 'event')")
    database.execute("INSERT INTO counts SELECT NULL, 1, thread, 0, kernel_stack, user_stack, 4, ?, ?, "
                     "4, 0 FROM sums LIMIT 1", (value, value // 4))
    database.commit()
    database.close()
bytes_of = ("before.dwell", "after.dwell", "--view", "alloc")
check(compare("folded", *bytes_of, "--raw") == f"t;f {BIG} {3 * BIG}\n", "raw bytes")
check(root_box(compare("svg", *bytes_of, "--raw")) == (3 * BIG, "30,000,000,000,000 bytes"),
      "raw bytes as a picture")
rates = [int(word) for word in compare("folded", *bytes_of).split()[-2:]]
check(0 < rates[0] and rates[1] == 3 * rates[0], f"rates {rates}")
_, words = root_box(compare("svg", *bytes_of))
check(words == "30,000,000,000,000,000 bytes/s", words)
