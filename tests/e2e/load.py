# SPDX-License-Identifier: GPL-2.0-or-later
"""The mixed load of the conservation cases, and the check of the books slice by slice."""
from lib import *

SOURCE = """
#include <stdio.h>
static int show(int x) {{ return printf("%d {number}", x); }}
#define F(n) int f##n(int a, int b) {{ for (int i = 0; i < a; i++) b += i * show(b); return b; }}
"""
FUNCTIONS = 400


def start_build():
    """make -j4 of a few generated files, over and over."""
    need_tool("make")
    os.mkdir("build")
    for number in range(8):
        with open(f"build/{number}.c", "w") as file:
            file.write(SOURCE.format(number=number))
            file.writelines(f"F({n})\n" for n in range(FUNCTIONS))
    with open("build/Makefile", "w") as file:
        file.write("all: $(patsubst %.c,%.o,$(wildcard *.c))\n"
                   "%.o: %.c\n\tcc -O2 -c $< -o $@\n")
    background("sh", "-c", "while :; do make -s -j4; rm -f *.o; done", cwd="build")


def start_mixed_load():
    need_root()
    need_tool("stress-ng")
    need_tool("perf")
    stressors = ["cpu", "pipe", "futex", "fork", "sock", "poll"]
    if SLOW == 1:
        # Their interrupts and switches alone are more than an emulated machine can do.
        stressors += ["switch", "fault", "timer"]
    background("stress-ng", *[word for name in stressors for word in (f"--{name}", "1")], "-t", "120",
               "--temp-path", TEMP)
    groups = 2 if SLOW == 1 else 1
    background("sh", "-c", f"while :; do perf bench sched messaging -g {groups} -l 200; done")
    if SLOW == 1:
        # Emulated machines have no compiler.
        start_build()
    time.sleep(1)


def check_books_by_slice(recording):
    """In each slice the states of a thread add up to the part of its life that lies in it."""
    slice_ns = recording.meta()["slice_ns"]
    lives = {number: (start, end) for number, start, end in
             recording.rows("SELECT id, start_ns, end_ns FROM threads")}
    accounted = {}
    for thread, number, ns in recording.rows(
            "SELECT thread, slice, sum(ns) FROM sums_by_slice WHERE state <> 'sample' "
            "GROUP BY thread, slice"):
        accounted[thread, number] = ns
    check(accounted, "no sums by slice")
    for thread, (start, end) in lives.items():
        for number in range(start // slice_ns, (end + slice_ns - 1) // slice_ns):
            life = min(end, (number + 1) * slice_ns) - max(start, number * slice_ns)
            got = accounted.pop((thread, number), 0)
            check_close(f"thread {thread} in slice {number}", got, life,
                        abs_ns=tolerance_ns(life))
    check(not any(accounted.values()), f"time outside of lives: {list(accounted.items())[:5]}")


def check_stored_figures(recording, accounting):
    """The program's own check is part of the recording, and was passed."""
    meta = recording.meta()
    check(meta["expected_ns"] == accounting["expected_ns"], "expected_ns differs from the report")
    check(meta["accounted_ns"] == accounting["accounted_ns"], "accounted_ns differs")
    check(meta["worst_thread_ns"] <= MS, f"worst thread is off by {meta['worst_thread_ns']} ns")
    check(meta["worst_slice_ns"] <= MS, f"worst slice is off by {meta['worst_slice_ns']} ns")
    check(meta["rows_missing"] == 0, f"{meta['rows_missing']} rows did not arrive")
    check(meta["rows_missing_ns"] == 0, f"{meta['rows_missing_ns']} ns did not arrive")
