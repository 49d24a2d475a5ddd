// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probed [MS [STEPPED]]: has uretprobes, as a tracing tool would set them, on functions of its own,
 * and naps inside of these until it is killed, MS ms at a time. Threads: "nested" naps in inner(),
 * called by middle(), both probed; "deep" in the probed descend() that has called itself; "jumped"
 * like "nested" after it left a probed function by longjmp(); "asleep" in inner() for ever, since
 * before
 * {"pid"} was printed. With STEPPED a further thread, "stepped", calls stepped() all the time,
 * which has a uprobe on an instruction that the kernel steps: most of its time is in that.
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <setjmp.h>

#include "workload.h"

#define DEPTH 20

static uint64_t nap_ns;

NAMED static void inner(uint64_t ns)
{
	sleep_ns(ns);
}

NAMED static void middle(uint64_t ns)
{
	inner(ns);
}

NAMED static void outer(uint64_t ns)
{
	middle(ns);
}

NAMED static void descend(unsigned int depth)
{
	if (depth)
		descend(depth - 1);
	else
		sleep_ns(nap_ns);
}

NAMED static void leave(jmp_buf where)
{
	longjmp(where, 1);
}

static void *nested_main(void *context)
{
	(void)context;
	set_name("nested");
	for (;;)
		outer(nap_ns);
	return NULL;
}

static void *deep_main(void *context)
{
	(void)context;
	set_name("deep");
	for (;;)
		descend(DEPTH);
	return NULL;
}

static void *jumped_main(void *context)
{
	jmp_buf where;

	(void)context;
	set_name("jumped");
	for (;;) {
		if (!setjmp(where))
			leave(where);
		outer(nap_ns);
	}
	return NULL;
}

static void *asleep_main(void *tid)
{
	set_name("asleep");
	*(volatile int *)tid = own_tid();
	for (;;)
		outer(1000000 * NS_PER_S);
	return NULL;
}

/* Begins with an instruction that the kernel does not emulate. */
__attribute__((naked, noinline, noclone)) static void stepped(void)
{
	__asm__ volatile("test %edi, %edi\n\tret");
}

NAMED static void step_on(void)
{
	for (unsigned int i = 0; i < 1000; i++)
		stepped();
}

static void *stepped_main(void *context)
{
	(void)context;
	set_name("stepped");
	for (;;)
		step_on();
	return NULL;
}

static int read_number(const char *path, const char *format)
{
	FILE *file = fopen(path, "r");
	int number = -1;

	if (!file || fscanf(file, format, &number) != 1)
		die(path);
	fclose(file);
	return number;
}

/* The place of a function of ours in our file, from /proc/self/maps. */
static uint64_t offset_of(uintptr_t function)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	uint64_t start, end, offset;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &offset) ==
				3 &&
			function >= start && function < end) {
			fclose(maps);
			return function - start + offset;
		}
	die("/proc/self/maps");
}

static void probe(uintptr_t function, bool is_return)
{
	struct perf_event_attr attributes = {.size = sizeof(attributes)};

	attributes.type = (uint32_t)read_number("/sys/bus/event_source/devices/uprobe/type", "%d");
	if (is_return)
		attributes.config =
			1ULL << read_number("/sys/bus/event_source/devices/uprobe/format/retprobe",
				"config:%d");
	attributes.uprobe_path = (uintptr_t) "/proc/self/exe";
	attributes.probe_offset = offset_of(function);
	if (syscall(SYS_perf_event_open, &attributes, -1, 0, -1, PERF_FLAG_FD_CLOEXEC) < 0)
		die("perf_event_open");
}

int main(int argc, char **argv)
{
	static volatile int asleep;

	nap_ns = argument(argc, argv, 1, 5) * NS_PER_MS;
	probe((uintptr_t)inner, true);
	probe((uintptr_t)middle, true);
	probe((uintptr_t)descend, true);
	probe((uintptr_t)leave, true);
	start_thread(asleep_main, (void *)&asleep);
	wait_until_asleep(&asleep);
	start_thread(nested_main, NULL);
	start_thread(deep_main, NULL);
	start_thread(jumped_main, NULL);
	if (argument(argc, argv, 2, 0)) {
		probe((uintptr_t)stepped, false);
		start_thread(stepped_main, NULL);
	}
	printf("{\"pid\":%d}\n", (int)getpid());
	fflush(stdout);
	wait_for_go();
	return 0;
}
