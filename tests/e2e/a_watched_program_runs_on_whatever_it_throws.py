# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs whose functions are watched say the same as when nobody watches: one that throws C++ exceptions
through them, a library's function of C in such a program, and one of Go whose stacks move. Calls that return
are timed, and those that an exception ends are told as left."""
from calls import *

need_root()
THROWS, VISITS = 5000, 500


def said_unwatched(name, count):
    of = Workload(name, count)
    of.go()
    log = of.line()
    check(of.end() == 0, f"{name} fails by itself")
    return {word: value for word, value in log.items() if word != "pid"}


def said_watched(name, count, *functions):
    """What the program says while its functions are watched, what is recorded, and what dwell says."""
    of = Workload(name, count)
    recording, log = record_calls(of, *calls_of(functions))
    status = of.end()
    check(status == 0, f"{name} ends with {status} when {functions} are watched")
    check_laws(recording)
    log.pop("pid")
    return log, recording


without = said_unwatched("call_throws", THROWS)
log, recording = said_watched("call_throws", THROWS, "may_throw", "libc:write")
check(log == without, f"said {log}, and {without} if nobody watches")
got = function_of(recording, ":may_throw")
counts = {word: got[word] for word in ("count", "left", "unmatched", "begun_before", "died_inside", "too_deep")}
print(log, counts, len(got["open"]))
check(got["count"] == log["calls"] - log["thrown"], f"{got['count']} of {log}")
check(got["left"] + len(got["open"]) == log["thrown"], f"left {got['left']}, {got['open']} of {log}")
check(not got["open"], f"of the last exception: {got['open']}")
check(counts["unmatched"] + counts["begun_before"] + counts["died_inside"] + counts["too_deep"] == 0, f"{counts}")

# C calls back into C++, which throws through it.
need_tool("g++")
with open("sorter.cc", "w") as file:
    file.write(r"""
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    if (x < 0 || y < 0) throw 1;
    return x - y;
}
int main(int argc, char **argv)
{
    int caught = 0, sorted = 0;
    char byte;
    while (read(0, &byte, 1) == 1 && byte != '\n')
        ;
    for (int i = 0; i < 2000; i++) {
        int numbers[] = {3, 1, 2, i & 1 ? -1 : 4};
        try { qsort(numbers, 4, sizeof(int), compare); sorted += numbers[3] == 4; } catch (int) { caught++; }
    }
    printf("{\"sorted\":%d,\"caught\":%d}\n", sorted, caught);
    fflush(stdout);
    while (read(0, &byte, 1) == 1 && byte != '\n')
        ;
}
""")
run("g++", "-O2", "-o", "sorter", "sorter.cc")
sorter = Workload(os.path.abspath("sorter"))
recorder = Recorder("-p", sorter.pid, *calls_of(["libc:qsort", "libc:qsort_r"]), "--force")
sorter.go()
log = sorter.line()
recording = recorder.stop()
check((log, sorter.end()) == ({"sorted": 1000, "caught": 1000}, 0), f"{log}")
check_laws(recording)
got = function_of(recording, ":qsort_r")
print({word: got[word] for word in ("count", "left", "unmatched", "begun_before", "died_inside", "too_deep")}, got["open"])
check(got["count"] == 1000 and got["left"] == 1000, f"{got}")

# Go's stacks move while calls are open, and goroutines go from thread to thread.
if not os.path.exists(os.path.join(TOP, "build/workloads/call_goes")):
    skip("build/workloads/call_goes is not built: no Go", is_optional=True)
without = said_unwatched("call_goes", VISITS)
# grow() calls itself a thousand times, on a stack that moves meanwhile: of that many nothing is known.
for functions in (("main.visit", "main.grow"), ("main.visit",)):
    log, recording = said_watched("call_goes", VISITS, *functions)
    check(log == without, f"{functions}: said {log}, and {without} if nobody watches")
got = function_of(recording, ":main.visit")
counts = {word: got[word] for word in ("count", "left", "unmatched", "too_deep")}
print(log, counts, len(got["open"]))
# Those that do not sleep stay in their thread, but for some that are preempted.
check(0.5 * log["calls"] <= got["count"] <= log["calls"], f"{counts} of {log}")
check(got["count"] + got["unmatched"] + got["too_deep"] <= log["calls"], f"{counts} of {log}")
