# SPDX-License-Identifier: GPL-2.0-or-later
"""A function that ends by jumping to another one lasts until that one returns, whoever of them is watched; one that
was left by an exception is not ended by whoever calls that other one next."""
from calls import *

need_root()
if not os.path.exists(os.path.join(TOP, "build/workloads/call_jumps")):
    skip("build/workloads/call_jumps is not built: no C++", is_optional=True)
COUNT, SLEEP_NS = 200, 2e6
ODD, EVEN = COUNT // 2, COUNT - COUNT // 2
# Name: calls that return, that are left, and the least time that one that returns takes. is_even() of 4 jumps
# to is_odd() and is jumped to, which begins it anew.
WANT = {"jumps_twice": (COUNT, 0, SLEEP_NS), "jumps_on": (COUNT, 0, SLEEP_NS), "may_jump": (COUNT, 0, 0),
        "sleeps": (COUNT + ODD, 0, SLEEP_NS), "is_even": (3 * COUNT, 0, 0), "is_odd": (2 * COUNT, 0, 0),
        "may_throw": (ODD + EVEN, EVEN, 0), "jumps_to_throw": (ODD, EVEN, 0)}

for functions in (WANT.keys(), ("jumps_twice", "may_jump", "is_even", "jumps_to_throw")):
    of = Workload("call_jumps", COUNT)
    recording, log = record_calls(of, *calls_of(functions), "--force")
    check(of.end() == 0 and log["thrown"] == EVEN, f"{log}")
    check_laws(recording)
    for name in functions:
        got, (count, left, least_ns) = function_of(recording, f":{name}"), WANT[name]
        others = {word: got[word] for word in ("unmatched", "begun_before", "died_inside", "too_deep")}
        print(name, got["count"], got["left"], got["wall_ns"], got["blocked_ns"], others, len(got["open"]))
        check((got["count"], got["left"]) == (count, left), f"{name}: {got['count']} and {got['left']}, not {WANT[name]}")
        check(not any(others.values()) and not got["open"], f"{name}: {others}, {got['open']}")
        check(got["blocked_ns"] >= count * least_ns * 0.9, f"{name} was over before it had slept: {got['blocked_ns']}")
    got = function_of(recording, ":may_jump")
    check(got["blocked_ns"] >= ODD * SLEEP_NS * 0.9, f"may_jump: {got['blocked_ns']}")
    got = function_of(recording, ":jumps_to_throw")
    check(got["max_ns"] < 50e6, f"jumps_to_throw() took {got['max_ns']} ns: left, and ended by another call")

# glibc's qsort() is a jump to qsort_r(): in a program of C++, both are watched by their returns.
need_tool("g++")
with open("sorts.cc", "w") as file:
    file.write(r"""
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <vector>
static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}
static int compare_too(const void *a, const void *b, void *) { return compare(a, b); }
int main()
{
    unsigned long seed = 1, sum = 0;
    std::vector<int> numbers(300000);
    char byte;
    while (read(0, &byte, 1) == 1 && byte != '\n')
        ;
    for (int i = 0; i < 5; i++) {
        for (auto &number : numbers) number = (seed = seed * 6364136223846793005UL + 1) >> 33;
        qsort(numbers.data(), numbers.size(), sizeof(int), compare);
        for (int number : numbers) sum = sum * 31 + number;
    }
    qsort_r(numbers.data(), 1000, sizeof(int), compare_too, nullptr);
    printf("{\"sum\":%lu}\n", sum);
    fflush(stdout);
    while (read(0, &byte, 1) == 1 && byte != '\n')
        ;
}
""")
run("g++", "-O2", "-o", "sorts", "sorts.cc")
said = []
for functions in ((), ("libc:qsort", "libc:qsort_r"), ("libc:qsort",)):
    sorts = Workload(os.path.abspath("sorts"))
    if functions:
        recording, log = record_calls(sorts, *calls_of(functions), "--force")
        check_laws(recording)
        whole = function_of(recording, ":qsort")
        check(whole["count"] == 5 and whole["left"] == 0, f"{whole['count']} calls, {whole['left']} left")
        check(whole["running_ns"] > 5 * 5e6, f"5 times 300,000 numbers sorted within {whole['running_ns']} ns")
    else:
        sorts.go()
        log = sorts.line()
    if functions[1:]:
        inner = function_of(recording, ":qsort_r")
        check(inner["count"] == 6 and inner["left"] == 0, f"{inner['count']} calls, {inner['left']} left")
    check(sorts.end() == 0, "it does not run on")
    said.append(log)
check(said[0] == said[1] == said[2], f"{said}")
