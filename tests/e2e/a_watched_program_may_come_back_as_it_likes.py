# SPDX-License-Identifier: GPL-2.0-or-later
"""A probe that took a return address off the stack would end a program that comes back twice, or on
another stack, or looks at the address: setjmp(), coroutines, dlsym(). They run on, and so does another
program, which throws exceptions through a library's function that is watched in the first one."""
from calls import *

need_root()
need_tool("gcc")
need_tool("g++")

with open("jumps.c", "w") as file:
    file.write(r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <ucontext.h>
#include <unistd.h>
static void wait_for_line(void) { char byte; while (read(0, &byte, 1) == 1 && byte != '\n') ; }
static jmp_buf again;
static ucontext_t here, there;
static int switched;
__attribute__((noinline)) void work(int n) { swapcontext(n & 1 ? &here : &there, n & 1 ? &there : &here); switched++; }
static void coroutine(void) { for (int i = 1;; i += 2) work(i); }
int main(void)
{
    static char stack[1 << 16];
    int jumped = 0, found = 0;
    wait_for_line();
    for (volatile int i = 0; i < 500; i++)
        if (!setjmp(again)) longjmp(again, 1); else jumped++;
    for (int i = 0; i < 100; i++) found += dlsym(RTLD_NEXT, "write") != NULL;
    getcontext(&here);
    here.uc_stack.ss_sp = stack; here.uc_stack.ss_size = sizeof(stack);
    makecontext(&here, coroutine, 0);
    for (int i = 0; i < 1000; i += 2) work(i);
    printf("{\"jumped\":%d,\"found\":%d,\"switched\":%d}\n", jumped, found, switched);
    fflush(stdout);
    wait_for_line();
}
""")
with open("bystander.cc", "w") as file:
    file.write(r"""
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
static int compare(const void *, const void *) { throw 1; }
int main(int, char **)
{
    int numbers[] = {3, 1, 2}, caught = 0;
    char byte;
    puts("{}");
    fflush(stdout);
    /* As long as somebody may watch. */
    for (;;) {
        try { qsort(numbers, 3, sizeof(int), compare); } catch (int) { caught++; }
        if (caught % 100 == 0) usleep(1000);
    }
}
""")
run("gcc", "-O2", "-o", "jumps", "jumps.c", "-ldl")
run("g++", "-O2", "-o", "bystander", "bystander.cc")

jumps = Workload(os.path.abspath("jumps"))
recording, log = record_calls(jumps, *calls_of(["libc:_setjmp", "libc:dlsym", "libc:swapcontext", "work"]), "--force")
check((log, jumps.end()) == ({"jumped": 500, "found": 100, "switched": 999}, 0), f"{log}")
check_laws(recording)
got = function_of(recording, ":dlsym")
check(got["count"] == 100, f"{got}")

bystander = background(os.path.abspath("bystander"), stdout=subprocess.PIPE)
bystander.stdout.readline()
slow = Workload("call_slow", 2000)
recording, log = record_calls(slow, *calls_of(["libc:qsort", "handle_request"]), "--force")
check(slow.end() == 0, "call_slow")
check(bystander.poll() is None, f"the bystander ended with {bystander.poll()}")
check_laws(recording)
check(function_of(recording, ":handle_request")["count"] == 2000, f"{recording.report['calls']}")
