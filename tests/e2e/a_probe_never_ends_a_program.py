# SPDX-License-Identifier: GPL-2.0-or-later
"""No -e ends a program or changes what it does: a breakpoint is never put amid an instruction, nor on a nop
of five bytes (newer kernels make a call of it, of which forked children die), nor are returns watched
where exceptions pass, though the file has no names left that tell of it."""
from lib import *

need_root()
if os.uname().machine != "x86_64":
    skip("x86-64 only", is_optional=True)
CHILDREN = 20

# The first function begins as -fpatchable-function-entry=5 and -mnop-mcount make it, the second, too, and has
# nothing cheap behind it; in the third a mark is on such a nop.
with open("nops.c", "w") as file:
    file.write(r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define FUNCTION(name, code)                                                                      \
    __asm__(".text\n.globl " name "\n.type " name ", @function\n.p2align 5\n" name ":\n" code        \
            "\n.size " name ", . - " name "\n")
#define NOP5 ".byte 0x0f, 0x1f, 0x44, 0, 0\n"
FUNCTION("cheap", NOP5 "push %rbx\nmov $7, %eax\npop %rbx\nret");
FUNCTION("dear", NOP5 "sub $8, %rsp\nmov $7, %eax\nadd $8, %rsp\nret");
FUNCTION("other", ".byte 0x66, 0x66, 0x66, 0x66, 0x90\nsub $8, %rsp\nmov $7, %eax\nadd $8, %rsp\nret");
FUNCTION("marked", "mov $7, %eax\n990: " NOP5 "ret\n"
    ".pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
    "991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b, 0, 0\n.asciz \"nops\"\n.asciz \"mark\"\n"
    ".asciz \"\"\n994: .balign 4\n.popsection\n");
/* push; mov eax, 7, of 5 bytes; nop of 5 */
FUNCTION("within", "push %rbx\nmov $7, %eax\n" NOP5 "pop %rbx\nret");
int cheap(void), dear(void), other(void), marked(void), within(void);
int main(int argc, char **argv)
{
    int lived = 0, status;
    /* What the kernel makes of a probe it makes when it is hit first. */
    for (int i = 0; i < 100; i++) cheap(), dear(), other(), marked(), within();
    for (int i = 0; i < atoi(argv[1]); i++) {
        if (!fork()) _exit(cheap() + dear() + other() + marked() + within() == 35 ? 0 : 1);
        lived += wait(&status) > 0 && !status;
    }
    printf("%d\n", lived);
    return argc < 2;
}
""")
run("gcc", "-O1", "-g", "-no-pie", "-o", "nops", "nops.c")
program = os.path.abspath("nops")


def run_with(*options):
    recording = record(*options, command=[program, str(CHILDREN)])
    lived = recording.stdout.strip()
    check(lived == str(CHILDREN), f"{options}: of {CHILDREN} children {lived} live")
    return {one["name"]: one["count"] for one in recording.report["measures"]}


counts = run_with(*(word for name in ("cheap", "dear", "other", "within+1", "within+0xb")
                    for word in ("-e", f"uprobe:{program}:{name}")),
                  *(word for name in ("cheap", "dear") for word in ("-e", f"uretprobe:{program}:{name}")))
print(counts)
check(len(counts) == 7, counts)
for name, count in counts.items():
    check(count == 100 + CHILDREN, f"{name}: {count}")

# Within an instruction, on a nop of five bytes, and beyond the function.
for place, *words in (("within+2", "no instruction of within begins at +0x2", "near it do +0x1 and +0x6"),
                      ("within+5", "near it do +0x1 and +0x6"), ("within+6", "nop of 5 bytes", "+0xb"),
                      ("within+13", "has only 13 bytes"), ("within+0x1000", "has only 13 bytes"),
                      ("within+-2", "has only 13 bytes"), ("cheap+0", None)):
    result = dwell("record", "-e", f"uprobe:{program}:{place}", "-d", "100ms", "-o", "x", status=None)
    if words[0]:
        check(result.returncode == 2, result.stderr)
        check_one_line_error(result, *words)
    else:
        check(result.returncode == 0, result.stderr)
for option, value in (("--sum", "arg1:count"), ("--if", "arg1>0")):
    check_one_line_error(dwell("record", "-e", f"uprobe:{program}:within+1", option, value, "-d", "1s", status=2),
                         "arguments are there at the call's beginning")

# A mark's place is its authors', so where it would be deadly it is refused.
with open("/sys/kernel/btf/vmlinux", "rb") as file:
    is_deadly = b"\0uprobe_trampoline\0" in file.read()
if is_deadly:
    check_one_line_error(dwell("record", "-e", f"usdt:{program}:nops:mark", "-d", "1s", status=3), "nop of 5 bytes")
else:
    counts = run_with("-e", f"usdt:{program}:nops:mark")
    check(counts == {"nops:mark": 100 + CHILDREN}, counts)

# A library of C++ that holds the language's runtime, without a name that would tell of it.
need_tool("g++")
with open("thrower.cc", "w") as file:
    file.write("""
#include <string>
extern "C" __attribute__((visibility("default"))) int thrower(int (*callback)(void))
{
    std::string text(100, 'x');
    return callback() + (int)text.size();
}
extern "C" __attribute__((visibility("default"))) int guarded(int (*callback)(void))
{
    try { return thrower(callback); } catch (...) { return -1; }
}
""")
run("g++", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-static-libstdc++", "-static-libgcc",
    "-Wl,--exclude-libs,ALL", "-s", "-o", "thrower.so", "thrower.cc")
library = os.path.abspath("thrower.so")
check(b"__gxx_personality_v0\0" not in open(library, "rb").read(), "the file still tells of C++")
check_one_line_error(dwell("record", "-e", f"uretprobe:{library}:thrower", "-d", "1s", status=2),
                     "exceptions pass through", f"uprobe:{library}:thrower")
# C has a routine of its own, for threads that are cancelled; nobody throws through that. Two are one too many.
OF_C = "__gcc_personality_v0"
for routines, words in (((OF_C,), None), (("hidden",), "exceptions pass"), ((OF_C, "hidden"), "exceptions pass")):
    with open("frames.c", "w") as file:
        file.write('__asm__(".text\\nhidden: ret\\n"')
        for i, routine in enumerate(routines):
            file.write(f'''
    ".globl function{i}\\n.type function{i}, @function\\nfunction{i}:\\n.cfi_startproc\\n.cfi_personality 0x9b, slot{i}\\n"
    "push %rbx\\n.cfi_adjust_cfa_offset 8\\npop %rbx\\n.cfi_adjust_cfa_offset -8\\nret\\n.cfi_endproc\\n"
    ".size function{i}, . - function{i}\\n.data\\n.globl slot{i}\\n.hidden slot{i}\\nslot{i}: .quad {routine}\\n.text\\n"''')
        file.write(");")
    run("gcc", "-shared", "-fPIC", "-s", "-o", "frames.so", "frames.c", "-lgcc_s")
    result = dwell("record", "-e", f"uretprobe:{os.path.abspath('frames.so')}:function0", "-d", "100ms", "-o", "x",
                   status=None)
    if words:
        check_one_line_error(result, words)
    else:
        check(result.returncode == 0, result.stderr)

# Of C it cannot be known who throws through it, so it is said, unless nothing is to be said.
libc = next(iter(glob.glob("/lib/*/libc.so.6")), "")
for event, function in (("uretprobe:libc:malloc", "malloc"), (f"uretprobe:{libc}:qsort", "qsort")):
    said = dwell("record", "-e", event, "-o", "x", "--", "true").stderr
    check(f"-e {event}: a C++ exception or Rust panic that passes through {function}() while it is watched ends "
          "its program\n" in said, said)
    said = dwell("record", "-q", "-e", event, "-o", "x", "--", "true").stderr
    check(said == "", said)
said = dwell("record", "-e", "uprobe:libc:malloc", "-o", "x", "--", "true").stderr
check("exception" not in said, said)
