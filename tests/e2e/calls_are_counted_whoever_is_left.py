# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls of a function are counted to the end though the process's first thread has ended, once though
the process is named twice, in the version of the function that programs call, and under a short name."""
from lib import *

need_root()


def calls(recording, name):
    return sum(recording.folded(name).values())


LIBC = next(iter(glob.glob("/lib/*/libc.so.6")), "")
with open("two.c", "w") as file:
    file.write("""
#include <pthread.h>
#include <unistd.h>
__attribute__((noinline)) void hit(void) { __asm__ volatile("" ::: "memory"); }
static void *other(void *context) { for (;;) { hit(); usleep(5000); } return context; }
int main(void) { pthread_t thread; pthread_create(&thread, 0, other, 0); usleep(1500000); pthread_exit(0); }
""")
run("gcc", "-O1", "-g", "-pthread", "-o", "w", "two.c")
program = os.path.abspath("w")
leaderless = background(program)
recording = record("-p", f"{leaderless.pid},{leaderless.pid}", "-e", f"uprobe:{program}:hit", "-d", "4s",
                   "--slice", "1s")
slices = recording.rows("SELECT slice, sum(value) FROM counts GROUP BY slice ORDER BY slice")
print(slices)
check(len(slices) >= 4 and slices[-1][1] > 0.2 * slices[0][1], f"calls end early: {slices}")
# Each call is followed by 5 ms of sleep.
check(calls(recording, "w:hit") <= 4000 / 5 + 1, f"{calls(recording, 'w:hit')} calls in 4 s")
# The name is near to that of a view.
check("hit" in dwell("report", recording.path, "--functions", "--view", "w:hit").stdout, "no table")
again = record("-p", leaderless.pid, "-e", f"uprobe:{program}:hit", "-d", "1s")
check(calls(again, "w:hit") > 10, "no calls of a process whose first thread was gone before")
# Two versions of it are in the library: programs call the newer one.
SIGNALS = 1000
with open("signals.c", "w") as file:
    file.write(f"""
#include <pthread.h>
#include <stdio.h>
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int main(void)
{{
    getchar();
    for (int i = 0; i < {SIGNALS}; i++) pthread_cond_signal(&condition);
    puts("done");
    fflush(stdout);
    getchar();
}}
""")
run("gcc", "-O1", "-g", "-pthread", "-o", "signals", "signals.c")
signaller = background("./signals", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
recorder = Recorder("-p", signaller.pid, "-e", f"uprobe:{LIBC}:pthread_cond_signal")
signaller.stdin.write("\n")
signaller.stdin.flush()
check(signaller.stdout.readline() == "done\n", "the program ended early")
signalled = recorder.stop()
signaller.stdin.close()
measure = signalled.report["measures"][0]
check((measure["name"], measure["count"]) == ("libc.so.6:pthread_cond_signal", SIGNALS), measure)
