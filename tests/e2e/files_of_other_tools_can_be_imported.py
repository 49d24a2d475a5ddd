# SPDX-License-Identifier: GPL-2.0-or-later
"""Each file of the corpus imports, from a file and from stdin, packed or not, into a recording whose
time adds up and that report and flame show; what is skipped is said; junk is one line of error. Events
of perf script are kept apart, with names that fit those of recordings, frames without symbols by their
files, and inlined ones marked."""
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

# perf script with all it can hold: the text itself, and what was imported of it.
events = os.path.join(TOP, "tests/data/stacks/perf-events.txt")
clock = {"GC Thread#0;[libpthread-2.19.so];[libjvm.so]": 1003,
         "java;start_thread;JavaCalls::call_helper;[perf-812.map]_[j];java.util.HashMap.get(Object)_[j];"
         "Lcom/foo/Bar:::method_[j]": 1003,
         "rusty;main;rusty+0x3456;<alloc::vec::Vec<T> as core::fmt::Debug>::fmt;core::fmt::write": 1003}
expected = {
    "cpu-clock:u": clock,
    "page-faults": {"my server;main;(anonymous namespace)::Worker::operator();Box<int>::fill<char>;"
                    "inner_[i]": 20},
    "syscalls:sys_enter_write": {"gopher;runtime.goexit;main.(*Server).Serve;syscall.Syscall": 1}}
said = dwell("import", events, "-o", "events.dwell").stderr
check("counts cpu-clock:u, page-faults, syscalls:sys_enter_write" in said, said)
for event, stacks in expected.items():
    for path in (events, "events.dwell"):
        lines = dwell("flame", "-f", "--suffixes", "--view", event, path).stdout.splitlines()
        # A recording says which stacks do not reach their root. Rounding is carried on.
        shown = {stack.replace("[broken];", ""): int(weight)
                 for stack, weight in (line.rsplit(" ", 1) for line in lines)}
        check(shown.keys() == stacks.keys(), f"{path}: {event}: {shown}")
        check(all(abs(weight - stacks[stack]) <= 1 for stack, weight in shown.items()), f"{shown}")
result = dwell("flame", "-f", events)
check("shows cpu-clock:u; also samples of page-faults (2), syscalls:sys_enter_write (1)"
      in result.stderr, result.stderr)
full = dwell("flame", "-f", "--full-names", "--view", "page-faults", events).stdout
check("void Box<int>::fill<char>(char const*, int)" in full, full)
check("showing --view cpu-clock:u" in dwell("flame", "-f", "events.dwell").stderr, "not said")

os.rename("trip.dwell", "kept.dwell")
with open("sample.txt", "w") as file:
    file.write("Analysis of sampling x (pid 1) every 1 millisecond\nProcess: x [1]\n\nCall graph:\n" +
               "    203 Thread_1\n    + 203 start  (in dyld) + 1  [0x7]\n" * 9 + "    -       x\n      3\n")
with open("mostly.txt", "w") as file:
    file.write("a;b 1\n" + "this is no stack\n" * 3)
with open("junk", "wb") as file:
    file.write(random.Random(1).randbytes(300000))
with open("empty", "wb"):
    pass
for arguments, status, words in ((("junk",), 2, ("junk", "no format")), (("empty",), 2, ("empty",)),
                                 (("sample.txt",), 2, ("sample (macOS)",)),
                                 (("mostly.txt",), 2, ("folded text", "3 of its 4 lines")),
                                 (("nowhere",), 2, ("nowhere",)), (("/",), 2, ("folder",)),
                                 (("kept.dwell",), 2, ("recording",))):
    result = dwell("import", *arguments, "-o", "never.dwell", status=status)
    check_one_line_error(result, *words)
    check(not os.path.exists("never.dwell"), f"{arguments} left a file behind")
for path in ("sample.txt", "mostly.txt"):
    check_one_line_error(dwell("flame", "-f", path, status=2), path, "looks like")
