// SPDX-License-Identifier: GPL-2.0-or-later
/* What memory is, from the text of /proc/PID/maps: of texts made here, and of this process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/regions.h"
#include "util/mem.h"

static struct regions *parse(const char *text)
{
	_cleanup_fclose_ FILE *in = fmemopen((char *)text, strlen(text), "r");

	return regions_parse(in);
}

static void check(
	const struct regions *regions, uint64_t address, enum region_kind kind, const char *text)
{
	struct region region;

	assert_true(regions_find(regions, address, &region));
	assert_int_equal(region.kind, kind);
	assert_string_equal(region.text, text);
}

static void check_nothing(const struct regions *regions, uint64_t address)
{
	struct region region;

	assert_false(regions_find(regions, address, &region));
}

static void each_kind_is_told_by_its_line(void **state)
{
	struct regions *regions = parse("1000-2000 r-xp 00000000 00:01 7 /usr/bin/server\n"
					"2000-3000 r--p 00001000 00:01 7 /usr/bin/server\n"
					"3000-4000 rw-p 00002000 00:01 7 /usr/bin/server\n"
					"4000-5000 rw-p 00000000 00:00 0 \n"
					"6000-7000 rw-p 00000000 00:00 0 [heap]\n"
					"8000-9000 rw-p 00000000 00:00 0 [anon:a name]\n"
					"9000-a000 rw-p 00000000 00:01 9 /anon_hugepage (deleted)\n"
					"b000-c000 rw-s 00000000 00:01 9 /dev/shm/a queue\n"
					"c000-d000 rw-s 00000000 00:01 9 /dev/zero (deleted)\n"
					"d000-e000 r--s 00000000 00:01 9 /SYSV00001234 (deleted)\n"
					"e000-f000 rw-s 00000000 00:00 0 [anon_shmem:x]\n"
					"f000-10000 rw-p 00000000 00:01 9 /memfd:gone (deleted)\n"
					"7ff000-800000 rw-p 00000000 00:00 0 [stack]\n");

	(void)state;
	check_nothing(regions, 0x0);
	check_nothing(regions, 0x1000);
	check_nothing(regions, 0x2fff);
	check(regions, 0x3000, REGION_FILE, "server");
	check(regions, 0x3fff, REGION_FILE, "server");
	check(regions, 0x4000, REGION_ANONYMOUS, "");
	check_nothing(regions, 0x5000);
	check(regions, 0x6000, REGION_HEAP, "");
	check(regions, 0x8000, REGION_ANONYMOUS, "");
	check(regions, 0x9000, REGION_ANONYMOUS, "");
	check(regions, 0xb000, REGION_SHARED, "/dev/shm/a queue");
	check(regions, 0xc000, REGION_SHARED, "");
	check(regions, 0xd000, REGION_SHARED, "/SYSV00001234");
	check(regions, 0xe000, REGION_SHARED, "");
	check(regions, 0xf000, REGION_FILE, "memfd:gone");
	check(regions, 0x7fffff, REGION_STACK, "");
	check_nothing(regions, UINT64_MAX);
	regions_free(regions);
}

static void a_hostile_text_breaks_nothing(void **state)
{
	struct regions *regions = parse("garbage\n"
					"5000-6000 rw-p 00000000 00:00 0 [heap]\n"
					"5800-7000 rw-p 00000000 00:00 0 \n"
					"1000-2000 rw-p 00000000 00:00 0 \n"
					"8000-9000 rw-p 00000000 00:01 9 /\n"
					"9000-ffffffffffffffff rw-s 00000000 00:01 9 /a\\012b");

	(void)state;
	check(regions, 0x5fff, REGION_HEAP, "");
	check_nothing(regions, 0x6000);
	check_nothing(regions, 0x1000);
	check(regions, 0x8000, REGION_FILE, "");
	check(regions, 0xfffffffffffffffe, REGION_SHARED, "/a\nb");
	regions_free(regions);
	regions = parse("\n");
	check_nothing(regions, 0);
	regions_free(regions);
}

static void what_is_too_much_is_left_out(void **state)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	for (unsigned int i = 0; i < 200000; i++)
		fprintf(out, "%x000-%x800 rw-s 00000000 00:01 9 /shared/of/some/length/%u\n", i + 1,
			i + 1, i);
	fclose(out);
	struct regions *regions = parse(text);
	check(regions, 0x1000, REGION_SHARED, "/shared/of/some/length/0");
	check(regions, 0xffff000, REGION_SHARED, "");
	check_nothing(regions, 0x10001000);
	regions_free(regions);
	free(text);
}

static int in_data = 1;

static void this_process_is_as_it_is(void **state)
{
	struct regions *regions;
	int on_stack;
	char *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *own = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_int_equal(regions_read(NULL, (uint32_t)getpid(), &regions), 0);
	check(regions, (uintptr_t)&in_data, REGION_FILE, "test_symbol_regions");
	check(regions, (uintptr_t)&on_stack, REGION_STACK, "");
	check(regions, (uintptr_t)shared, REGION_SHARED, "");
	check(regions, (uintptr_t)own, REGION_ANONYMOUS, "");
	regions_free(regions);
	munmap(shared, 4096);
	munmap(own, 4096);
	assert_int_equal(regions_read(NULL, INT32_MAX, &regions), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_is_told_by_its_line),
		cmocka_unit_test(a_hostile_text_breaks_nothing),
		cmocka_unit_test(what_is_too_much_is_left_out),
		cmocka_unit_test(this_process_is_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
