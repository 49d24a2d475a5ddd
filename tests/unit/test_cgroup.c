// SPDX-License-Identifier: GPL-2.0-or-later
/* Cgroups: mounts out of mountinfo, and what -G finds in made-up trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "container_ids.h"
#include "host/cgroup.h"

/* What name_to_handle_at() gives can be opened again, where that is allowed. */
static void a_cgroup_is_found_by_its_id(void **state)
{
	struct cgroup_mounts mounts = {0};
	struct cgroup_target target;
	struct why why;
	(void)state;

	cgroup_mounts_read(&mounts);
	vec_each (mount, &mounts.list) {
		_cleanup_free_ char *path = NULL;
		if (mount->is_opaque || cgroup_find(mount->path, &target, &why))
			continue;
		assert_int_equal(target.hierarchy, mount->hierarchy);
		int error = cgroup_path(&mounts, &target, &path);
		if (geteuid() == 0 && !error)
			assert_string_equal(path, mount->path);
		else
			assert_true(error == -EPERM || error == -ENOENT);
	}
	cgroup_mounts_clear(&mounts);
	target = (struct cgroup_target){0, 1};
	assert_int_equal(cgroup_path(&mounts, &target, NULL), -ENOENT);
}

#define OWN "9:name=systemd:/\n4:cpu,cpuacct:/a:b\n3:memory:/\n5:blkio,name=own:/\n0::/\n"

static void mounts_have_the_numbers_of_their_hierarchies(void **state)
{
	static const char text[] =
		"30 25 0:26 / /cg rw - tmpfs tmpfs rw,mode=755\n"
		"31 30 0:29 / /cg/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
		"32 30 0:28 / /cg/cpu,cpuacct rw shared:9 master:1 - cgroup cgroup rw,cpu,cpuacct\n"
		"33 30 0:31 / /cg/own rw - cgroup cgroup rw,blkio,name=own\n"
		"34 30 0:27 / /cg/unified rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
	struct cgroup_mounts mounts = {0};
	(void)state;

	cgroup_mounts_parse(&mounts, text, OWN);
	assert_int_equal(mounts.list.count, 4);
	assert_false(mounts.is_part);
	assert_string_equal(mounts.list.at[0].path, "/cg/unified");
	assert_int_equal(mounts.list.at[0].hierarchy, 0);
	assert_false(mounts.list.at[0].is_opaque);
	assert_string_equal(mounts.list.at[1].path, "/cg/cpu,cpuacct");
	assert_int_equal(mounts.list.at[1].hierarchy, 4);
	assert_true(mounts.list.at[1].device == makedev(0, 28));
	assert_int_equal(mounts.list.at[2].hierarchy, 5);
	assert_false(mounts.list.at[2].is_opaque);
	assert_int_equal(mounts.list.at[3].hierarchy, 9);
	assert_true(mounts.list.at[3].is_opaque);
	cgroup_mounts_clear(&mounts);
}

static void escapes_in_mount_points_are_undone(void **state)
{
	struct cgroup_mounts mounts = {0};
	(void)state;

	cgroup_mounts_parse(&mounts,
		"1 2 0:3 / /a\\040b\\134c\\011\\012d\\9\\04 rw - cgroup2 none rw\n", "0::/\n");
	assert_int_equal(mounts.list.count, 1);
	assert_string_equal(mounts.list.at[0].path, "/a b\\c\t\nd\\9\\04");
	cgroup_mounts_clear(&mounts);
}

static void a_mount_of_a_part_of_the_tree_is_known_as_one(void **state)
{
	struct cgroup_mounts mounts = {0};
	(void)state;

	cgroup_mounts_parse(&mounts,
		"1 2 0:3 /docker/" ID " /narrow ro - cgroup cgroup rw,memory\n"
		"1 2 0:3 / /wide ro - cgroup cgroup rw,memory\n"
		"1 2 0:3 /../.. /widest ro - cgroup cgroup rw,memory\n",
		OWN);
	assert_int_equal(mounts.list.count, 3);
	assert_false(mounts.is_part);
	assert_string_equal(mounts.list.at[0].path, "/widest");
	assert_string_equal(mounts.list.at[1].path, "/wide");
	cgroup_mounts_clear(&mounts);
	cgroup_mounts_parse(
		&mounts, "1 2 0:3 /docker/" ID " /narrow ro - cgroup cgroup rw,memory\n", OWN);
	assert_true(mounts.is_part);
	cgroup_mounts_clear(&mounts);
}

static void broken_lines_are_passed_over(void **state)
{
	static const char text[] = "\n - \n1 2 3\n1 2 0:3 / /x\n1 2 0:3 / /x - cgroup2\n"
				   "1 2 x:3 / /x rw - cgroup2 none rw\n"
				   "1 2 0: / /x rw - cgroup2 none rw\n"
				   "1 2 0:3x / /x rw - cgroup2 none rw\n"
				   "1 2 0:3 / /x rw - cgroup none rw,rdma\n"
				   "1 2 0:3 / /x rw - cgroup none\n"
				   "1 2 0:3 / /x rw - cgroup2x none rw\n"
				   "1 2 0:4 / /y rw - cgroup2 none rw";
	static const char own[] = "\nx\n:\n::\n1\n1:\n1:rdma\n99999999999:rdma:/\n-3:rdma:/\n"
				  "0:rdma:/\n2::/\n";
	struct cgroup_mounts mounts = {0};
	(void)state;

	cgroup_mounts_parse(&mounts, text, own);
	assert_int_equal(mounts.list.count, 1);
	assert_string_equal(mounts.list.at[0].path, "/y");
	cgroup_mounts_clear(&mounts);
	cgroup_mounts_parse(&mounts, "", "");
	assert_int_equal(mounts.list.count, 0);
}

/* Two made-up hierarchies: of version 2 in one folder, of version 1 in one on another device. */
struct trees {
	char unified[64], memory[64];
	struct cgroup_mounts mounts;
};

static void add_mount(struct trees *trees, const char *path, const char *root, const char *type)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	_cleanup_free_ char *line = xasprintf("1 2 %u:%u %s %s rw - %s none rw,memory\n",
		major(status.st_dev), minor(status.st_dev), root, path, type);
	cgroup_mounts_parse(&trees->mounts, line, OWN);
}

static int set_up(void **state)
{
	struct trees *trees = xcalloc(1, sizeof(*trees));

	strcpy(trees->unified, "/tmp/dwell-cgroup.XXXXXX");
	strcpy(trees->memory, "/dev/shm/dwell-cgroup.XXXXXX");
	*state = trees;
	if (!mkdtemp(trees->unified) || !mkdtemp(trees->memory))
		return -1;
	add_mount(trees, trees->unified, "/", "cgroup2");
	add_mount(trees, trees->memory, "/", "cgroup");
	return 0;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *ftw)
{
	(void)status;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static int tear_down(void **state)
{
	struct trees *trees = *state;

	nftw(trees->unified, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	nftw(trees->memory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	cgroup_mounts_clear(&trees->mounts);
	free(trees);
	return 0;
}

static void make_group(const char *tree, const char *path)
{
	_cleanup_free_ char *full = xasprintf("%s%s", tree, path);

	for (char *slash = full + strlen(tree) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		mkdir(full, 0700);
		*slash = '/';
	}
	mkdir(full, 0700);
	_cleanup_free_ char *file = xasprintf("%s/cgroup.procs", full);
	FILE *out = fopen(file, "w");
	assert_non_null(out);
	fclose(out);
}

/* The folder found must be that below the tree. */
static void expect(struct trees *trees, const char *name, const char *tree, const char *path)
{
	const struct cgroup_mount *mount = NULL;
	_cleanup_free_ char *found = NULL, *wanted = xasprintf("%s%s", tree, path);
	struct stat left, right;
	struct why why = {0};
	int error = cgroup_find_folder(&trees->mounts, name, &mount, &found, &why);

	if (error)
		fail_msg("%s: %s", name, why.text);
	assert_string_equal(mount->path, tree);
	assert_int_equal(stat(found, &left) | stat(wanted, &right), 0);
	if (left.st_ino != right.st_ino)
		fail_msg("%s: %s, not %s", name, found, wanted);
}

static void expect_error(struct trees *trees, const char *name, int error, const char *words)
{
	const struct cgroup_mount *mount = NULL;
	char *path = NULL;
	struct why why = {0};

	assert_int_equal(cgroup_find_folder(&trees->mounts, name, &mount, &path, &why), error);
	assert_null(mount);
	assert_null(path);
	if (!strstr(why.text, words))
		fail_msg("no %s in: %s", words, why.text);
}

static void a_path_is_found_as_the_system_and_as_the_kernel_write_it(void **state)
{
	struct trees *trees = *state;

	make_group(trees->unified, "/system.slice/nginx.service");
	make_group(trees->memory, "/batch/job");
	_cleanup_free_ char *full = xasprintf("%s/batch/job", trees->memory);
	_cleanup_free_ char *link = xasprintf("%s/link", trees->unified);
	expect(trees, full, trees->memory, "/batch/job");
	expect(trees, "system.slice/nginx.service", trees->unified, "/system.slice/nginx.service");
	expect(trees, "/system.slice/nginx.service", trees->unified, "/system.slice/nginx.service");
	expect(trees, "/batch/job/", trees->memory, "/batch/job");
	expect(trees, "nginx.service", trees->unified, "/system.slice/nginx.service");
	/* As /sys/fs/cgroup/memory may be a link. */
	assert_int_equal(symlink(full, link), 0);
	expect(trees, link, trees->memory, "/batch/job");
}

static void version_2_comes_before_version_1(void **state)
{
	struct trees *trees = *state;

	make_group(trees->memory, "/both");
	make_group(trees->memory, "/docker/" ID);
	expect(trees, "both", trees->memory, "/both");
	expect(trees, ID, trees->memory, "/docker/" ID);
	make_group(trees->unified, "/both");
	make_group(trees->unified, "/system.slice/docker-" ID ".scope");
	expect(trees, "both", trees->unified, "/both");
	expect(trees, ID, trees->unified, "/system.slice/docker-" ID ".scope");
}

static void what_is_no_cgroup_is_not_found(void **state)
{
	struct trees *trees = *state;
	struct trees none = {0};

	make_group(trees->unified, "/system.slice/docker-" ID ".scope");
	_cleanup_free_ char *file = xasprintf("%s/system.slice/cgroup.procs", trees->unified);
	expect_error(trees, "", -EINVAL, "empty");
	expect_error(trees, "/no/such/cgroup", -ENOENT, "/no/such/cgroup");
	expect_error(trees, "/proc", -ENOENT, "/proc");
	expect_error(trees, "../../proc", -ENOENT, "proc");
	expect_error(trees, file, -ENOENT, "cgroup.procs");
	expect_error(trees, "system", -ENOENT, "system");
	expect_error(trees, "0123", -ENOENT, "8 digits");
	expect_error(trees, OTHER, -ENOENT, OTHER);
	expect_error(&none, ID, -ENOENT, "mounted");
}

static void of_a_pod_and_its_containers_the_outermost_is_taken(void **state)
{
	struct trees *trees = *state;

	make_group(trees->unified, PODS "/cri-containerd-" ID ".scope");
	make_group(trees->unified, PODS "/cri-containerd-" OTHER ".scope");
	make_group(trees->unified, "/docker/" TASK "/docker/x");
	expect(trees, UID, trees->unified, PODS);
	expect(trees, "1b4c7d0e", trees->unified, PODS);
	expect(trees, "containerd://" ID, trees->unified, PODS "/cri-containerd-" ID ".scope");
	make_group(trees->unified,
		PODS "/cri-containerd-" ID ".scope/system.slice/docker-" ID ".scope");
	expect(trees, ID, trees->unified, PODS "/cri-containerd-" ID ".scope");
}

static void several_matches_apart_are_named(void **state)
{
	struct trees *trees = *state;

	make_group(trees->unified, "/a/docker-" ID ".scope");
	make_group(trees->unified, "/b/docker-01234567" OTHER);
	make_group(trees->unified, "/b/01234567" TASK TASK);
	expect(trees, "01234567", trees->unified, "/a/docker-" ID ".scope");
	make_group(trees->unified, "/b/docker-0123456789abcdee" TASK "0000000000000000.scope");
	expect_error(trees, "01234567", -EINVAL, "/a/docker-" ID ".scope");
	expect_error(trees, "01234567", -EINVAL, "/b/docker-0123456789abcdee" TASK);
	expect_error(trees, "01234567", -EINVAL, "2 cgroups");
	expect(trees, "0123456789abcdef", trees->unified, "/a/docker-" ID ".scope");
}

static void a_monitor_does_not_stand_for_its_container(void **state)
{
	struct trees *trees = *state;

	make_group(trees->unified, "/machine.slice/libpod-conmon-" ID ".scope");
	make_group(trees->unified, "/machine.slice/libpod-" ID ".scope/container");
	make_group(trees->unified, "/lxc.monitor.web1");
	make_group(trees->unified, "/lxc.payload.web1");
	expect(trees, ID, trees->unified, "/machine.slice/libpod-" ID ".scope");
	expect(trees, "web1", trees->unified, "/lxc.payload.web1");
}

static void a_container_that_sees_a_part_says_so(void **state)
{
	struct trees *trees = *state;

	cgroup_mounts_clear(&trees->mounts);
	add_mount(trees, trees->memory, "/docker/" ID, "cgroup");
	make_group(trees->memory, "/inner");
	expect(trees, "/docker/" ID "/inner", trees->memory, "/inner");
	expect(trees, "/docker/" ID, trees->memory, "");
	expect(trees, "inner", trees->memory, "/inner");
	expect(trees, "/", trees->memory, "");
	expect_error(trees, OTHER, -ENOENT, "--cgroupns=host");
}

static void a_hierarchy_without_a_controller_is_refused_by_name(void **state)
{
	struct trees *trees = *state;

	make_group(trees->memory, "/docker/" ID);
	_cleanup_free_ char *full = xasprintf("%s/docker", trees->memory);
	trees->mounts.list.at[1].is_opaque = true;
	expect_error(trees, full, -EINVAL, "without a controller");
	expect_error(trees, "docker", -EINVAL, "without a controller");
	expect_error(trees, ID, -ENOENT, ID);
	make_group(trees->unified, "/docker");
	expect(trees, "docker", trees->unified, "/docker");
}

static void a_mount_that_is_hidden_is_not_looked_through(void **state)
{
	struct trees *trees = *state;

	make_group(trees->unified, "/docker/" ID);
	trees->mounts.list.at[0].device = makedev(0, 0xfffff);
	expect_error(trees, ID, -ENOENT, ID);
	expect_error(trees, "docker", -ENOENT, "docker");
}

#define WITH_TREES(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cgroup_is_found_by_its_id),
		cmocka_unit_test(mounts_have_the_numbers_of_their_hierarchies),
		cmocka_unit_test(escapes_in_mount_points_are_undone),
		cmocka_unit_test(a_mount_of_a_part_of_the_tree_is_known_as_one),
		cmocka_unit_test(broken_lines_are_passed_over),
		WITH_TREES(a_path_is_found_as_the_system_and_as_the_kernel_write_it),
		WITH_TREES(version_2_comes_before_version_1),
		WITH_TREES(what_is_no_cgroup_is_not_found),
		WITH_TREES(of_a_pod_and_its_containers_the_outermost_is_taken),
		WITH_TREES(several_matches_apart_are_named),
		WITH_TREES(a_monitor_does_not_stand_for_its_container),
		WITH_TREES(a_container_that_sees_a_part_says_so),
		WITH_TREES(a_hierarchy_without_a_controller_is_refused_by_name),
		WITH_TREES(a_mount_that_is_hidden_is_not_looked_through),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
