# SPDX-License-Identifier: GPL-2.0-or-later
"""Folded text in, folded text out: equal stacks are one line, whatever lines they stood between,
sorted or not, and lines come in the order of their bytes."""
import collections
import random
from lib import *

# Names that begin alike, and end before and behind ';' in the order of bytes.
NAMES = ["a", "b", "ab", "a:b", "foo", "foo.part.0", "foo_[k]", "f1", "f10", "x y", "[running]", "é"]
chance = random.Random(5)
for is_sorted in (False, True) * 4:
    sums, lines = collections.Counter(), []
    for _ in range(400):
        stack, weight = [chance.choice(NAMES) for _ in range(chance.randint(1, 6))], chance.randint(1, 9)
        sums[";".join(stack)] += weight
        joint = ";;" if chance.random() < 0.1 else ";"
        lines.append(f"{joint.join(stack)}{chance.choice(['', '', '', ';'])} {weight}")
        if chance.random() < 0.1:
            lines.append("no count;x")
    # Deeper than dwell keeps: two in a row, one of which has the beginning of the other.
    for _ in range(2):
        lines.append(";".join(["z"] * 20000) + " 3")
        sums[";".join(["z"] * 16384)] += 3
    if is_sorted:
        lines.sort()
    with open("in.folded", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    got = dwell("flame", "in.folded", "-f").stdout.splitlines()
    wanted = [f"{stack} {sums[stack]}" for stack in sorted(sums, key=str.encode)]
    check(got == wanted, f"{[pair for pair in zip(got, wanted) if pair[0] != pair[1]][:3]}")

# -o takes the same to a file, of any name; what is called a picture is not filled with text.
dwell("flame", "in.folded", "-f", "-o", "out.txt")
with open("out.txt", encoding="utf-8") as file:
    check(file.read().splitlines() == wanted, "-f with -o")
for name, text in (("one.folded", "a;b 2\na;c 6\n"), ("two.folded", "a;b 1\n")):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
both = dwell("diff", "one.folded", "two.folded", "--raw", "-f").stdout
check(both == "a;b 2 1\na;c 6 0\n", f"diff -f: {both}")
table = dwell("diff", "one.folded", "two.folded", "--raw", "-f", "-o", "diff.txt").stdout
with open("diff.txt", encoding="utf-8") as file:
    check(file.read() == both and "a;b " not in table, "diff -f with -o has the table, too")
for args, words in ((("flame", "one.folded", "-f", "-o", "out.svg"), "out.svg is a picture"),
                    (("flame", "one.folded", "-o", "out.text"), "add -f"),
                    (("diff", "one.folded", "two.folded", "-f", "--json"), "both go to stdout")):
    check_one_line_error(dwell(*args, status=2), words)
check(not os.path.exists("out.svg") and not os.path.exists("out.text"), "files were left behind")

# What is behind the way into the kernel is the kernel's, also where no suffix says so: it is the program's
# function that changed, not the scheduler's.
WAY = "entry_SYSCALL_64_after_hwframe;do_syscall_64;schedule;__schedule"
for name, function in (("before", "read_rows"), ("after", "write_rows")):
    with open(f"{name}.folded", "w", encoding="utf-8") as file:
        file.write(f"app;main;work;{function};{WAY} 90\napp;main;same;{WAY} 10\n")
shown = dwell("diff", "before.folded", "after.folded").stdout
for words in (r"90\.0 %  write_rows\n", r"90\.0 %  read_rows\n"):
    check(re.search(words, shown), shown)
check("__schedule" not in shown and "same" not in shown, shown)
