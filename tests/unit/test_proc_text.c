// SPDX-License-Identifier: GPL-2.0-or-later
/* Texts as the kernel writes them, and as it does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <errno.h>

#include "host/proc_text.h"

static void effective_capabilities_are_read(void **state)
{
	uint64_t mask = 7;

	(void)state;
	assert_int_equal(proc_text_capabilities("Name:\tcat\nCapPrm:\t000001ffffffffff\n"
						"CapEff:\t000000c000000000\nCapBnd:\t0\n",
				 &mask),
		0);
	assert_true(mask == (3ULL << 38));
}

static void a_status_without_capabilities_leaves_the_output_untouched(void **state)
{
	uint64_t mask = 7;

	(void)state;
	assert_int_equal(proc_text_capabilities("Name:\tCapEff:\n", &mask), -ENOENT);
	assert_int_equal(proc_text_capabilities("CapEff:\tnone\n", &mask), -EINVAL);
	assert_int_equal(proc_text_capabilities("CapEff:\t12zz\n", &mask), -EINVAL);
	assert_int_equal(proc_text_capabilities("", &mask), -ENOENT);
	assert_int_equal(mask, 7);
}

static void the_word_in_brackets_is_the_chosen_one(void **state)
{
	char *word = NULL;

	(void)state;
	assert_int_equal(proc_text_chosen("none [integrity] confidentiality\n", &word), 0);
	assert_string_equal(word, "integrity");
	free(word);
	assert_int_equal(proc_text_chosen("none integrity", &word), -EINVAL);
	assert_int_equal(proc_text_chosen("none [integ", &word), -EINVAL);
}

static void hidden_kernel_addresses_are_noticed(void **state)
{
	(void)state;
	assert_false(proc_text_has_addresses(""));
	assert_false(proc_text_has_addresses("0000000000000000 A fixed_percpu_data\n"
					     "0000000000000000 T cafe\n"));
	assert_true(proc_text_has_addresses("0000000000000000 A fixed_percpu_data\n"
					    "ffffffff81000000 T _text\n"));
}

static void a_value_is_found_by_its_whole_name(void **state)
{
	uint64_t value = 7;

	(void)state;
	assert_int_equal(proc_text_value("total_inactive_file 5\ninactive_file 40960\n",
				 "inactive_file", &value),
		0);
	assert_int_equal(value, 40960);
	assert_int_equal(proc_text_value("inactive_file x\n", "inactive_file", &value), -EINVAL);
	assert_int_equal(proc_text_value("active 1\n", "inactive_file", &value), -ENOENT);
	assert_int_equal(value, 40960);
}

static void padded_values_are_read(void **state)
{
	uint64_t value = 0;

	(void)state;
	assert_int_equal(
		proc_text_value("MemAvailable:   24109348 kB\n", "MemAvailable:", &value), 0);
	assert_int_equal(value, 24109348);
}

#define V2_MOUNT "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1_MOUNTS                                                                                  \
	"30 25 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"                               \
	"31 30 0:27 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu\n"                     \
	"32 30 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
#define V1_CGROUPS "9:name=systemd:/\n4:memory:/batch/job\n2:cpu,cpuacct:/\n0::/\n"

static void check_folder(
	const char *cgroup, const char *mounts, const char *controller, const char *expected)
{
	char *folder = NULL;
	size_t length = 0;

	assert_int_equal(proc_text_cgroup_folder(cgroup, mounts, controller, &folder, &length), 0);
	assert_string_equal(folder, expected);
	assert_true(length <= strlen(folder));
	free(folder);
}

static void a_cgroup_is_found_in_either_version(void **state)
{
	(void)state;
	check_folder(
		"0::/user.slice/a.scope\n", V2_MOUNT, NULL, "/sys/fs/cgroup/user.slice/a.scope");
	check_folder("0::/\n", V2_MOUNT, NULL, "/sys/fs/cgroup");
	check_folder(V1_CGROUPS, V1_MOUNTS, "memory", "/sys/fs/cgroup/memory/batch/job");
}

static void a_containers_path_is_relative_to_its_part_of_the_tree(void **state)
{
	(void)state;
	check_folder("4:memory:/docker/abc/inner\n",
		"32 30 0:28 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
		"memory", "/sys/fs/cgroup/memory/inner");
	check_folder("4:memory:/docker/abc\n",
		"32 30 0:28 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
		"memory", "/sys/fs/cgroup/memory");
}

static void a_controller_that_is_not_mounted_has_no_folder(void **state)
{
	char *folder = NULL;
	size_t length = 0;

	(void)state;
	assert_int_equal(
		proc_text_cgroup_folder(V1_CGROUPS, V2_MOUNT, "memory", &folder, &length), -ENOENT);
	assert_int_equal(
		proc_text_cgroup_folder(V1_CGROUPS, V1_MOUNTS, "mem", &folder, &length), -ENOENT);
	assert_null(folder);
}

static void mounts_are_found_by_type(void **state)
{
	char *mount = NULL;

	(void)state;
	assert_int_equal(proc_text_mount(V1_MOUNTS V2_MOUNT, "cgroup2", &mount), 0);
	assert_string_equal(mount, "/sys/fs/cgroup");
	free(mount);
	mount = NULL;
	assert_int_equal(proc_text_mount(V1_MOUNTS, "cgroup2", &mount), -ENOENT);
	assert_null(mount);
}

static void damaged_mount_lines_are_passed_over(void **state)
{
	char *mount = NULL;

	(void)state;
	assert_int_equal(
		proc_text_mount("\n - \n1 2 3\n1 2 3 / /x - cgroup2\n1 2 3 / /x\n" V2_MOUNT,
			"cgroup2", &mount),
		0);
	assert_string_equal(mount, "/sys/fs/cgroup");
	free(mount);
}

static void a_missing_file_is_an_error(void **state)
{
	char *text = NULL;
	int64_t number = 7;

	(void)state;
	assert_int_equal(proc_text_read("/proc/self/no-such-file", &text), -ENOENT);
	assert_int_equal(proc_text_read("/proc", &text), -EISDIR);
	assert_int_equal(proc_text_read_number("/proc/self/cmdline", &number), -EINVAL);
	assert_null(text);
	assert_int_equal(number, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(effective_capabilities_are_read),
		cmocka_unit_test(a_status_without_capabilities_leaves_the_output_untouched),
		cmocka_unit_test(the_word_in_brackets_is_the_chosen_one),
		cmocka_unit_test(hidden_kernel_addresses_are_noticed),
		cmocka_unit_test(a_value_is_found_by_its_whole_name),
		cmocka_unit_test(padded_values_are_read),
		cmocka_unit_test(a_cgroup_is_found_in_either_version),
		cmocka_unit_test(a_containers_path_is_relative_to_its_part_of_the_tree),
		cmocka_unit_test(a_controller_that_is_not_mounted_has_no_folder),
		cmocka_unit_test(mounts_are_found_by_type),
		cmocka_unit_test(damaged_mount_lines_are_passed_over),
		cmocka_unit_test(a_missing_file_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
