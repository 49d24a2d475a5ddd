# SPDX-License-Identifier: GPL-2.0-or-later
"""A compiled Java method keeps no frame pointer unless the virtual machine is told to: a stack then
leads to its root past one of its callers. It is called complete only if the machine's own option
says that frame pointers are kept. Here a library of that name keeps its option as HotSpot does, and
generates code of both kinds."""
from lib import *

LIBRARY = r"""
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(OLD)
struct option { const char *type, *name; void *address; };
#define OPTION(name) { "bool", #name, &name }
#else
struct option { void *address; const char *name; int flags, type; };
#define OPTION(name) { &name, PREFIX #name, 0, 0 }
#endif
#if defined(STRANGE)
#define PREFIX "Jit"
#else
#define PREFIX
#endif
static char UseSomething, PreserveFramePointer;
__attribute__((used)) static struct option options[] = {OPTION(UseSomething), OPTION(PreserveFramePointer)};

typedef void called(void);
typedef void interpreter(void *method, called *then);

static const unsigned char interpreted[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 32, 0x48,
	0x89, 0xf8, 0x48, 0x89, 0xf7, 0xff, 0xd0, 0xc9, 0xc3};
static const unsigned char compiled[] = {
	0x55, 0x48, 0x83, 0xec, 16, 0xff, 0xd7, 0x48, 0x83, 0xc4, 16, 0x5d, 0xc3};
static const unsigned char framed[] = {
	0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 16, 0xff, 0xd7, 0xc9, 0xc3};

__attribute__((noinline)) static void take_nap(void) { usleep(2000); __asm__(""); }

__attribute__((noinline)) static void enter_java(unsigned char *code)
{
	((interpreter *)(void *)code)(code + 64, take_nap);
	__asm__("");
}

void run_java(int keeps_frame_pointers);
void run_java(int keeps_frame_pointers)
{
	unsigned char *code = mmap(NULL, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *map;

	for (unsigned int i = 0; i < 2; i++)
		if (strstr(options[i].name, "FramePointer"))
			*(char *)options[i].address = (char)keeps_frame_pointers;
	memcpy(code, interpreted, sizeof(interpreted));
	memcpy(code + 64, keeps_frame_pointers ? framed : compiled,
		keeps_frame_pointers ? sizeof(framed) : sizeof(compiled));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	fprintf(map, "%lx %zx interpreted\n%lx %zx compiled\n", (long)code, sizeof(interpreted),
		(long)code + 64, sizeof(framed));
	fclose(map);
	puts("{}");
	fflush(stdout);
	for (int i = 0; i < 5000; i++)
		enter_java(code);
}
"""
PROGRAM = r"""
#include <stdlib.h>
void run_java(int);
int main(int argc, char **argv) { run_java(argc > 1 && atoi(argv[1])); return 0; }
"""
CHAIN = ["main", "run_java", "enter_java", "interpreted", "compiled", "take_nap"]
DOUBT = "may lack methods (no frame pointers)"

need_root()
need_tool("gcc")
for name, text in (("jvm.c", LIBRARY), ("java.c", PROGRAM)):
    with open(name, "w") as file:
        file.write(text)


def ends_of(layout, keeps_frame_pointers):
    """How the naps' stacks ended; those that are complete must be whole."""
    os.makedirs(layout, exist_ok=True)
    run("gcc", "-O2", "-shared", "-fPIC", f"-D{layout}", "-Wl,-soname,libjvm.so", "-o",
        f"{layout}/libjvm.so", "jvm.c")
    run("gcc", "-O2", "-o", f"{layout}/java", "java.c", f"{layout}/libjvm.so",
        f"-Wl,-rpath,{os.path.abspath(layout)}")
    process = background(f"{layout}/java", keeps_frame_pointers, stdout=subprocess.PIPE)
    cleanup(lambda: os.unlink(f"/tmp/perf-{process.pid}.map"))
    process.stdout.readline()
    recording = record("-F", "0", "-p", process.pid, "-d", "0.5")
    kill_group(process)
    ends = set()
    for stack in recording.folded("offcpu", "--state", "blocked", "-U"):
        found = [frame for frame in stack if frame in CHAIN]
        is_marked = "[methods may be missing]" in stack
        ends.add("doubt" if is_marked else "whole" if found == CHAIN else f"wrong: {found}")
    words = {row[0] for row in recording.rows("""
        SELECT w.word FROM all_sums s JOIN stacks k ON k.id = s.user_stack
        JOIN words w ON w.kind = 'unwind_end' AND w.number = k.unwind_end""")}
    print(layout, keeps_frame_pointers, ends, words, flush=True)
    check(("doubt" in ends) == (DOUBT in words), f"{ends}, {words}")
    return ends


check(ends_of("NEW", 0) == {"doubt"}, "JDK 17, no frame pointers")
check(ends_of("NEW", 1) == {"whole"}, "JDK 17, frame pointers")
check(ends_of("OLD", 1) == {"whole"}, "JDK 11, frame pointers")
check(ends_of("STRANGE", 1) == {"doubt"}, "a machine that does not say")
