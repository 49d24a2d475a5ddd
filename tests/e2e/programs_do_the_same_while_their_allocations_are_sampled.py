# SPDX-License-Identifier: GPL-2.0-or-later
"""The library that samples a COMMAND's allocations changes nothing that the program does, whether it
samples every block or few: not with threads and forks, not where memory cannot be had, not where
constructors throw, not in modules in C++ of a program in C, and not in front of another allocator."""
from lib import *

LIBRARY = os.path.join(TOP, "build/gen/alloc_preload.so")
PERIODS = (1, 5000, 524288)
ALLOCATORS = ("libjemalloc.so.2", "libtcmalloc_minimal.so.4")

THROWS = r"""
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Thrower {
	std::string text;
	explicit Thrower(int i) : text(100, 'x') { if (i % 3 == 0) throw std::runtime_error("no"); }
};
struct alignas(128) Aligned { char bytes[256]; };
static int handled;
static volatile size_t much = ~(size_t)0 >> 2;

static void work() {
	std::map<int, std::string> map;
	for (int i = 0; i < 5000; i++) map[i * 7 % 1000] = std::string(i % 500, 'y');
	std::vector<std::unique_ptr<Aligned>> blocks;
	for (int i = 0; i < 500; i++) {
		blocks.emplace_back(new Aligned);
		if ((size_t)blocks.back().get() % 128) abort();
	}
	delete[] new (std::nothrow) int[50];
}

int main() {
	int thrown = 0, bad = 0;
	for (int i = 0; i < 9000; i++)
		try { std::unique_ptr<Thrower> thrower(new Thrower(i)); } catch (std::exception &) { thrown++; }
	for (int i = 0; i < 100; i++)
		try { delete[] new char[much]; } catch (std::bad_alloc &) { bad++; }
	std::set_new_handler([] { handled++; std::set_new_handler(nullptr); });
	try { delete[] new char[much]; } catch (std::bad_alloc &) { bad++; }
	if (new (std::nothrow) char[much]) abort();
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++) threads.emplace_back(work);
	for (auto &thread : threads) thread.join();
	printf("%d thrown, %d bad, %d handled\n", thrown, bad, handled);
}
"""

MODULE = r"""
#include <new>
#include <string>
extern "C" int work() {
	int bad = 0;
	volatile size_t much = ~(size_t)0 >> 2;
	for (int i = 0; i < 100; i++) {
		std::string text(1000 + i, 'x');
		try { delete[] new char[much]; } catch (std::bad_alloc &) { bad++; }
	}
	return bad;
}
"""


# Two modules of a program in C: one has operators of its own, which know the blocks that they made.
OWN_OPERATORS = r"""
#include <cstdlib>
#include <new>
void *operator new(std::size_t size) {
	char *block = (char *)std::malloc(size + 16);
	*(long *)block = 4711;
	return block + 16;
}
void operator delete(void *block) noexcept {
	char *begin = (char *)block - 16;
	if (*(long *)begin != 4711) std::abort();
	std::free(begin);
}
void operator delete(void *block, std::size_t) noexcept { operator delete(block); }
struct Thing { long numbers[10]; };
extern "C" int work() {
	for (int i = 0; i < 1000; i++) { Thing *volatile thing = new Thing; delete thing; }
	return 1;
}
"""

TWO_MODULES = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **names) {
	for (int round = 0; round < 3; round++)
		for (int i = 1; i < count; i++) {
			int (*work)(void) = (int (*)(void))dlsym(dlopen(names[i], RTLD_NOW | RTLD_LOCAL), "work");
			printf("%d\n", work());
		}
	return 0;
}
"""

# A module whose constructor waits for a thread that asks for memory; it can be unloaded, too.
WAITING = r"""
#include <cstdio>
#include <map>
#include <string>
#include <thread>
static std::map<int, std::string> filled;
struct Filler {
	Filler() {
		std::thread([] { for (int i = 0; i < 100; i++) filled[i] = std::string(100, 'x'); }).join();
	}
	~Filler() { std::puts("unloaded"); }
} filler;
extern "C" int work() { return (int)filled.size(); }
"""

UNLOADING = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **names) {
	for (int round = 0; round < 3; round++) {
		void *module = dlopen(names[1], RTLD_NOW | RTLD_LOCAL);
		int (*work)(void) = (int (*)(void))dlsym(module, "work");
		dlsym(module, "nothing");
		printf("%d\n", work());
		printf("%s\n", dlerror() ? "an error" : "no error");
		dlclose(module);
		printf("%s\n", dlopen(names[1], RTLD_NOW | RTLD_NOLOAD) ? "it stays" : "it is gone");
		fflush(stdout);
	}
	return count != 2;
}
"""

# A child that no library is told of.
RAW_CHILDREN = r"""
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static void allocate(void) {
	for (int i = 0; i < 3000; i++) { volatile char *block = malloc(1000); *block = 1; free((void *)block); }
}
int main(void) {
	int status, bad = 0;
	allocate();
	for (int i = 0; i < 20; i++) {
		pid_t child = i % 2 ? fork() : (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (!child) { allocate(); _exit(0); }
		if (waitpid(child, &status, 0) != child || status) bad++;
	}
	printf("%d of 20 children died\n", bad);
	return 0;
}
"""


def build(name, source, *options, language="cc"):
    path = os.path.join(TEMP, name)
    with open(f"{path}.{language}", "w", encoding="utf-8") as file:
        file.write(source)
    run("g++" if language == "cc" else "gcc", "-O1", f"{path}.{language}", "-o", path, "-pthread", *options)
    return path


def said_with(preload, period, argv):
    """What it said, to its two outputs."""
    environment = {**os.environ, "LD_PRELOAD": preload, "DWELL_ALLOC_PERIOD": str(period)}
    result = run(*argv, env=environment)
    return result.stdout, result.stderr


def compare(*argv, allocators=("",)):
    for allocator in allocators:
        alone = said_with(allocator, 1, argv)
        if allocator and allocator in alone[1]:
            print(f"without {allocator}, which is not installed", flush=True)
            continue
        for period in PERIODS:
            said = said_with(f"{LIBRARY}:{allocator}", period, argv)
            check(said == alone, f"{argv} {allocator} with period {period}: {said}, alone {alone}")


if not os.path.exists(LIBRARY):
    skip("build/gen/alloc_preload.so is not built: make")
need_tool("g++")
compare(workload("alloc_ways"), allocators=("", *ALLOCATORS))
for options in ([], ["-static-libstdc++", "-static-libgcc"], ["-no-pie"]):
    compare(build("throws", THROWS, *options), allocators=("", *ALLOCATORS))
for options in ([], ["-static-libstdc++", "-static-libgcc"]):
    module = build("module.so", MODULE, "-shared", "-fPIC", *options)
    compare(sys.executable, "-c", f"import ctypes; print(ctypes.CDLL({module!r}).work())")
compare("sh", "-c", "for i in 1 2 3; do ls / | wc -l; done; git --version")
modules = [build(f"{name}.so", source, "-shared", "-fPIC")
           for name, source in (("usual", MODULE), ("own", OWN_OPERATORS))]
compare(build("two", TWO_MODULES, language="c"), *modules)
compare(build("two", TWO_MODULES, language="c"), *reversed(modules))
compare(build("unloading", UNLOADING, language="c"), build("waiting.so", WAITING, "-shared", "-fPIC"))
# With dwell's probes on the library's hooks, too.
need_root()
children = build("children", RAW_CHILDREN, language="c")
compare(children)
for options in (("--alloc=1",), ("--alloc",)):
    recording = record(*options, command=[children])
    check(recording.stdout == "0 of 20 children died\n", recording.stdout)
