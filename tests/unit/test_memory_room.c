// SPDX-License-Identifier: GPL-2.0-or-later
/* What tables may take, out of made-up files of /proc and cgroups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>

#include "kernel/memory_room.h"
#include "util/mem.h"

#define MIB (1ULL << 20)
#define OWN (64 * MIB)

struct machine {
	char folder[64];
	char *meminfo, *cgroup, *mountinfo;
	struct memory_files files;
};

static void put(const struct machine *machine, const char *path, const char *text)
{
	_cleanup_free_ char *whole = xasprintf("%s/%s", machine->folder, path);

	for (char *slash = whole + strlen(machine->folder) + 1; (slash = strchr(slash, '/'));
		*slash++ = '/') {
		*slash = 0;
		mkdir(whole, 0700);
	}
	_cleanup_fclose_ FILE *out = fopen(whole, "w");
	assert_non_null(out);
	fputs(text, out);
}

static void put_mib(const struct machine *machine, const char *path, uint64_t mib)
{
	_cleanup_free_ char *text = xasprintf("%llu\n", (unsigned long long)(mib * MIB));

	put(machine, path, text);
}

/* With 1,000 MiB available, both hierarchies mounted, and this process in /a/b of each. */
static int make_machine(void **state)
{
	struct machine *machine = xcalloc(1, sizeof(*machine));

	strcpy(machine->folder, "/tmp/dwell-room.XXXXXX");
	if (!mkdtemp(machine->folder))
		return -1;
	machine->meminfo = xasprintf("%s/meminfo", machine->folder);
	machine->cgroup = xasprintf("%s/cgroup", machine->folder);
	machine->mountinfo = xasprintf("%s/mountinfo", machine->folder);
	machine->files =
		(struct memory_files){machine->meminfo, machine->cgroup, machine->mountinfo};
	put(machine, "meminfo", "MemTotal: 4096000 kB\nMemAvailable:  1024000 kB\n");
	put(machine, "cgroup", "4:memory:/a/b\n3:cpu:/\n0::/a/b\n");
	_cleanup_free_ char *mounts = xasprintf("30 20 0:27 / %s/v2 rw - cgroup2 cgroup2 rw\n"
						"31 20 0:28 / %s/v1 rw - cgroup cgroup rw,memory\n",
		machine->folder, machine->folder);
	put(machine, "mountinfo", mounts);
	*state = machine;
	return 0;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status, (void)kind, (void)walk;
	return remove(path);
}

static int remove_machine(void **state)
{
	struct machine *machine = *state;

	nftw(machine->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(machine->meminfo);
	free(machine->cgroup);
	free(machine->mountinfo);
	free(machine);
	return 0;
}

static struct memory_room read_room(const struct machine *machine)
{
	struct memory_room room;

	memory_room_read(&machine->files, &room);
	return room;
}

static void check_room(const struct machine *machine, uint64_t mib, bool is_of_cgroup)
{
	struct memory_room room = read_room(machine);

	assert_int_equal(room.bytes / MIB, mib);
	assert_int_equal(room.is_of_cgroup, is_of_cgroup);
}

static void without_limits_it_is_what_the_machine_has(void **state)
{
	check_room(*state, 1000, false);
	put(*state, "v2/a/b/memory.max", "max\n");
	put(*state, "v2/a/b/memory.current", "4096\n");
	check_room(*state, 1000, false);
}

static void the_limit_of_any_cgroup_above_counts(void **state)
{
	put_mib(*state, "v2/a/b/memory.max", 800);
	put_mib(*state, "v2/a/b/memory.current", 100);
	check_room(*state, 700, true);
	put_mib(*state, "v2/a/memory.max", 900);
	put_mib(*state, "v2/a/memory.current", 500);
	check_room(*state, 400, true);
	put_mib(*state, "v2/memory.max", 300);
	put_mib(*state, "v2/memory.current", 350);
	check_room(*state, 0, true);
}

static void memory_high_is_a_limit(void **state)
{
	put(*state, "v2/a/b/memory.max", "max\n");
	put_mib(*state, "v2/a/b/memory.high", 500);
	put_mib(*state, "v2/a/b/memory.current", 100);
	check_room(*state, 400, true);
}

static void version_1_has_limits_too(void **state)
{
	put(*state, "v1/a/b/memory.limit_in_bytes", "9223372036854771712\n");
	put_mib(*state, "v1/a/b/memory.usage_in_bytes", 100);
	check_room(*state, 1000, false);
	put_mib(*state, "v1/a/memory.limit_in_bytes", 600);
	put_mib(*state, "v1/a/memory.usage_in_bytes", 200);
	check_room(*state, 400, true);
}

static void unused_page_cache_is_free(void **state)
{
	put_mib(*state, "v2/a/b/memory.max", 800);
	put_mib(*state, "v2/a/b/memory.current", 700);
	put(*state, "v2/a/b/memory.stat", "anon 1\nfile 2\ninactive_file 314572800\n");
	check_room(*state, 400, true);
}

static void where_nobody_says_all_can_be_had(void **state)
{
	struct machine *machine = *state;
	uint64_t bytes = 0;

	unlink(machine->meminfo);
	unlink(machine->cgroup);
	struct memory_room room = read_room(machine);
	assert_true(room.bytes == UINT64_MAX);
	assert_int_equal(memory_room_take(&room, 256 * MIB, true, &bytes, NULL), 0);
	assert_int_equal(bytes, 256 * MIB);
}

static void what_is_asked_for_and_cannot_be_had_is_refused_with_the_most(void **state)
{
	struct memory_room room = read_room(*state);
	uint64_t most = (1000 * MIB - OWN) / 2, bytes = 7;
	struct why why;

	assert_int_equal(memory_room_for_tables(&room), most);
	assert_int_equal(memory_room_take(&room, 1024 * MIB, true, &bytes, &why), -ENOMEM);
	assert_int_equal(bytes, 7);
	assert_non_null(strstr(why.text, "1000 MiB are free on this machine"));
	assert_non_null(strstr(why.text, "--memory 468M"));
	assert_int_equal(memory_room_take(&room, most, true, &bytes, &why), 0);
	assert_int_equal(bytes, most);
}

static void what_is_not_asked_for_gets_what_there_is(void **state)
{
	struct memory_room room;
	uint64_t bytes = 0;
	struct why why;

	put_mib(*state, "v2/a/b/memory.max", 164);
	put_mib(*state, "v2/a/b/memory.current", 0);
	room = read_room(*state);
	assert_int_equal(memory_room_take(&room, 256 * MIB, false, &bytes, &why), 0);
	assert_int_equal(bytes, 50 * MIB);
	assert_int_equal(memory_room_take(&room, 16 * MIB, false, &bytes, &why), 0);
	assert_int_equal(bytes, 16 * MIB);
	put_mib(*state, "v2/a/b/memory.max", 70);
	room = read_room(*state);
	assert_int_equal(memory_room_take(&room, 256 * MIB, false, &bytes, &why), -ENOMEM);
	assert_non_null(strstr(why.text, "70 MiB of memory are free in this cgroup"));
	assert_non_null(strstr(why.text, "raise its limit"));
}

#define room_test(test) cmocka_unit_test_setup_teardown(test, make_machine, remove_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		room_test(without_limits_it_is_what_the_machine_has),
		room_test(the_limit_of_any_cgroup_above_counts),
		room_test(memory_high_is_a_limit),
		room_test(version_1_has_limits_too),
		room_test(unused_page_cache_is_free),
		room_test(where_nobody_says_all_can_be_had),
		room_test(what_is_asked_for_and_cannot_be_had_is_refused_with_the_most),
		room_test(what_is_not_asked_for_gets_what_there_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
