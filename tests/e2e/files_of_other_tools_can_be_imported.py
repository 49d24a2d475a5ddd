# SPDX-License-Identifier: GPL-2.0-or-later
"""Each file of the corpus imports, from a file and from stdin, packed or not, into a recording whose
time adds up and that report and flame show; what is skipped is said; junk is one line of error."""
import random
from lib import *

corpus = sorted(glob.glob(os.path.join(TOP, "tests/data/stacks/*")))
check(len(corpus) >= 6, f"{corpus}")
for path in corpus:
    name = os.path.basename(path)
    dwell("import", "--as", "blocked", path, "-o", "file.dwell")
    with open(path, "rb") as file:
        said = dwell("import", "--as", "blocked", "-", "-o", "stdin.dwell", stdin=file).stderr
    check("imported" in said, said)
    folded = [dwell("flame", "-f", "--view", "hotcold", made).stdout
              for made in ("file.dwell", "stdin.dwell")]
    check(folded[0] == folded[1] and folded[0], f"{name}: {folded}")
    made = Recording("file.dwell")
    meta = made.meta()
    check(meta["expected_ns"] == meta["accounted_ns"] > 0, f"{name}: {meta}")
    check(meta["worst_thread_ns"] == meta["worst_slice_ns"] == 0, f"{name}: {meta}")
    check("accounted 100 %" in dwell("report", "file.dwell").stdout, name)

said = dwell("import", os.path.join(TOP, "tests/data/stacks/folded.txt"), "-o", "a.dwell").stderr
check("skipped 2 of 6 lines: 1 without a count, 1 with a count below zero" in said, said)

# A round trip: the same folded text comes out that went in.
with open("in.folded", "w") as file:
    file.write("a;main;read 5\na;main;write 7\nb;x 1000000\n")
dwell("import", "-q", "--as", "blocked", "in.folded", "-o", "trip.dwell")
check(dwell("flame", "-f", "trip.dwell").stdout == open("in.folded").read(), "not the same")

os.rename("trip.dwell", "kept.dwell")
with open("junk", "wb") as file:
    file.write(random.Random(1).randbytes(300000))
with open("empty", "wb"):
    pass
for arguments, status, words in ((("junk",), 2, ("junk", "no format")), (("empty",), 2, ("empty",)),
                                 (("nowhere",), 2, ("nowhere",)), (("/",), 2, ("folder",)),
                                 (("kept.dwell",), 2, ("recording",))):
    result = dwell("import", *arguments, "-o", "never.dwell", status=status)
    check_one_line_error(result, *words)
    check(not os.path.exists("never.dwell"), f"{arguments} left a file behind")
