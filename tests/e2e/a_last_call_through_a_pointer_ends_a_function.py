# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions of a C++ program that end by a jump to what a pointer says are over there; a switch in a function
that never moves the stack, which jumps so as well, is not. Numbers behind a function's code stay as they are."""
from calls import *

need_root()
need_tool("g++")
if os.uname().machine != "x86_64":
    skip("x86-64 only", is_optional=True)
CALLS = 1000
with open("pointers.cc", "w") as file:
    file.write(r"""
#include <cstdio>
#include <exception>
#include <unistd.h>
typedef long handler(long);
extern "C" {
__attribute__((noipa)) long twice(long x) { return 2 * x; }
handler *volatile handlers[] = {twice, twice};
/* Its frame is given back before the jump. */
__attribute__((noipa)) long framed(long x) { long y = twice(x); return handlers[0](x + y); }
__attribute__((noipa)) long frameless(long x, handler *volatile *all) { return all[1](x); }
volatile long spent;
/* Of its code only the end is to be a place: each case takes long. */
__attribute__((noipa)) long chooses(long x)
{
    long sum = 0;
    switch (x) {
    case 0: for (int i = 0; i < 60000; i++) spent = i; sum = spent; break;
    case 1: for (int i = 0; i < 50000; i++) spent = -i; sum = spent * 3; break;
    case 2: for (int i = 0; i < 70000; i++) spent = i + 5; sum = spent / 7; break;
    case 3: for (int i = 0; i < 65000; i++) spent = i * 5; sum = spent ^ 9; break;
    case 4: for (int i = 0; i < 55000; i++) spent = i ^ 5; sum = spent - 9; break;
    case 5: for (int i = 0; i < 58000; i++) spent = i & 5; sum = spent | 9; break;
    }
    return sum + x;
}
long numbered(void);
extern const unsigned char numbers[4];
}
__asm__(".text\n.globl numbered, numbers\n.type numbered, @function\nnumbered: mov $7, %eax\nret\n"
        "numbers: .byte 0xc3, 0xc3, 0x90, 0xc3\n.size numbered, . - numbered");
int main()
{
    long sum = 0, read_back = 0;
    char byte;
    try { if (getppid() < 0) throw 1; } catch (int) { return 3; }
    while (read(0, &byte, 1) == 1 && byte != '\n')
        ;
    for (int i = 0; i < 1000; i++) {
        sum += framed(i) + frameless(i, handlers) + numbered();
        chooses(i % 6);
        for (int j = 0; j < 4; j++)
            read_back += ((const volatile unsigned char *)numbers)[j];
    }
    printf("{\"sum\":%ld,\"numbers\":%ld}\n", sum, read_back);
    fflush(stdout);
    while (read(0, &byte, 1) == 1 && byte != '\n')
        ;
}
""")
run("g++", "-O2", "-fcf-protection=none", "-o", "pointers", "pointers.cc")
of = Workload(os.path.abspath("pointers"))
recorder = Recorder("-p", of.pid, *calls_of(["framed", "frameless", "chooses", "numbered"]), "--force")
of.go()
log = of.line()
recording = recorder.stop()
check(of.end() == 0, "it fails when it is watched")
expected = {"sum": sum(8 * i + 7 for i in range(CALLS)), "numbers": CALLS * (3 * 0xc3 + 0x90)}
check(log == expected, f"said {log}, not {expected}")
check_laws(recording)
for name in ("framed", "frameless", "chooses", "numbered"):
    got = function_of(recording, f":{name}")
    print(name, {word: got[word] for word in ("count", "wall_ns", *UNTIMED)})
    check(got["count"] == CALLS and not got["open"] and not any(got[word] for word in UNTIMED), f"{name}: {got}")
# 50,000 turns or more of a loop that writes to memory, each.
got = function_of(recording, ":chooses")
check(got["wall_ns"] > CALLS * 8000, f"left at its switch: {got['wall_ns']} ns")
