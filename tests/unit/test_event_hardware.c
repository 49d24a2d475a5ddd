// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of the hardware as perf's users write them, on a machine whose PMUs are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/event_hardware.h"
#include "util/mem.h"

static char folder[] = "/tmp/dwell-devices-XXXXXX";

static const char *const files[][2] = {{"cpu", NULL}, {"cpu/format", NULL}, {"cpu/events", NULL},
	{"cpu/type", "4\n"}, {"cpu/format/event", "config:0-7,32-35\n"},
	{"cpu/format/umask", "config:8-15\n"}, {"cpu/format/any", "config:21\n"},
	{"cpu/format/ldlat", "config1:0-15\n"}, {"cpu/format/all", "config2:0-63\n"},
	{"cpu/format/odd", "config:70-71\n"}, {"cpu/format/other", "thing:0-7\n"},
	{"cpu/events/cache-misses", "event=0x2e,umask=0x41\n"}, {"cpu/events/round", "round\n"},
	{"uncore", NULL}, {"uncore/type", "17\n"}, {"uncore/format", NULL},
	{"uncore/format/event", "config:0-15\n"}};

static int make_devices(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", folder, files[i][0]);
		if (!files[i][1]) {
			if (mkdir(path, 0700))
				return -1;
			continue;
		}
		_cleanup_fclose_ FILE *out = fopen(path, "we");
		if (!out)
			return -1;
		fputs(files[i][1], out);
	}
	return 0;
}

static int remove_devices(void **state)
{
	(void)state;
	for (size_t i = ARRAY_SIZE(files); i-- > 0;) {
		_cleanup_free_ char *path = xasprintf("%s/%s", folder, files[i][0]);
		if (remove(path))
			return -1;
	}
	return rmdir(folder);
}

static void names_are_those_of_perf(void **state)
{
	uint32_t type;
	uint64_t config;
	(void)state;

	assert_true(event_hardware_find("cycles", &type, &config));
	assert_int_equal(type, PERF_TYPE_HARDWARE);
	assert_int_equal(config, PERF_COUNT_HW_CPU_CYCLES);
	assert_true(event_hardware_find("branches", &type, &config));
	assert_int_equal(config, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	assert_true(event_hardware_find("LLC-load-misses", &type, &config));
	assert_int_equal(type, PERF_TYPE_HW_CACHE);
	assert_int_equal(config, 0x10002);
	assert_false(event_hardware_find("page-faults", &type, &config));
	assert_true(event_hardware_is("cycles"));
	assert_true(event_hardware_is("r01c2"));
	assert_true(event_hardware_is("cpu/event=1/"));
	assert_false(event_hardware_is("/bin/true"));
	assert_false(event_hardware_is("r"));
	assert_false(event_hardware_is("runnable"));
	assert_false(event_hardware_is("uprobe:/bin/true:main"));
}

static void events_are_written_by_numbers_and_fields(void **state)
{
	static const struct {
		const char *text;
		struct event_hardware is;
	} cases[] = {
		{"r01c2", {PERF_TYPE_RAW, 0x1c2, 0, 0}},
		{"rFFFFFFFFFFFFFFFF", {PERF_TYPE_RAW, UINT64_MAX, 0, 0}},
		{"cpu/event=0x3c,umask=1/", {4, 0x13c, 0, 0}},
		{"cpu/event=0x53c/", {4, 0x50000003cULL, 0, 0}},
		{"cpu/umask=2,any/", {4, 0x200200, 0, 0}},
		{"cpu/event=5,ldlat=30/", {4, 5, 30, 0}},
		{"cpu/all=0xffffffffffffffff/", {4, 0, 0, UINT64_MAX}},
		{"cpu/cache-misses/", {4, 0x412e, 0, 0}},
		{"cpu/cache-misses,any/", {4, 0x20412e, 0, 0}},
		{"cpu/config=0x10,config1=2,config2=3/", {4, 0x10, 2, 3}},
		{"uncore/event=0x1234/", {17, 0x1234, 0, 0}},
	};
	struct event_hardware got;
	struct why why = {{0}};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (event_hardware_parse_in(folder, cases[i].text, &got, &why))
			fail_msg("%s: %s", cases[i].text, why.text);
		assert_int_equal(got.type, cases[i].is.type);
		assert_int_equal(got.config, cases[i].is.config);
		assert_int_equal(got.config1, cases[i].is.config1);
		assert_int_equal(got.config2, cases[i].is.config2);
	}
}

static void a_machine_without_a_pmu_knows_the_usual_fields(void **state)
{
	struct event_hardware got;
	(void)state;

	assert_int_equal(event_hardware_parse_in("/no/such/folder",
				 "cpu/event=0x3c,umask=1,edge,inv,cmask=2/", &got, NULL),
		0);
	assert_int_equal(got.type, PERF_TYPE_RAW);
	assert_int_equal(got.config, 0x3c | 1 << 8 | 1 << 18 | 1 << 23 | 2 << 24);
	assert_int_equal(
		event_hardware_parse_in("/no/such/folder", "uncore/event=1/", &got, NULL), -ENODEV);
}

static void what_makes_no_sense_is_refused(void **state)
{
	static const char *const texts[] = {"", "r", "rx", "r12345678901234567", "cycle", "cpu/",
		"cpu//", "cpu/event=1", "cpu/event=1/u", "/event=1/", "cpu/event=/", "cpu/event=x/",
		"cpu/event=-1/", "cpu/event=1,/", "cpu/,/", "cpu/umask=256/", "cpu/any=2/",
		"cpu/odd=1/", "cpu/other=1/", "cpu/none=1/", "cpu/round/", "../etc/x/", "cpu/../x/",
		"cpu/event=0x1ffffffffffffffff/",
		"a-name-that-is-longer-than-any-name-of-a-pmu-that-there-has-ever-been/event=1/"};
	struct event_hardware got;
	struct why why;
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		why.text[0] = '\0';
		if (event_hardware_parse_in(folder, texts[i], &got, &why) != -EINVAL)
			fail_msg("%s was understood", texts[i]);
		assert_true(why.text[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_of_perf),
		cmocka_unit_test(events_are_written_by_numbers_and_fields),
		cmocka_unit_test(a_machine_without_a_pmu_knows_the_usual_fields),
		cmocka_unit_test(what_makes_no_sense_is_refused),
	};

	return cmocka_run_group_tests(tests, make_devices, remove_devices);
}
