// SPDX-License-Identifier: GPL-2.0-or-later
/* Containers out of cgroup paths, mounts out of mountinfo, and what -G finds in made-up trees. */
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
#include <sys/wait.h>

#include "capture/cgroup.h"
#include "capture/containers.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define TASK "0123456789abcdef0123456789abcdef"
#define UID "1b4c7d0e-89ab-4cde-8f01-23456789abcd"
#define UNIT_UID "1b4c7d0e_89ab_4cde_8f01_23456789abcd"
#define PODS "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UNIT_UID ".slice"

static void the_container_is_in_the_path_of_every_engine(void **state)
{
	static const struct {
		const char *path, *container;
	} cases[] = {
		{"4:memory:/docker/" ID, ID},
		{"0::/system.slice/docker-" ID ".scope", ID},
		{"0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID
		 ".scope/container",
			ID},
		{"0::/machine.slice/libpod-payload-" ID, ID},
		{"0::/machine.slice/machine-libpod_pod_" OTHER ".slice/libpod-" ID ".scope", ID},
		{"0::/kubepods/burstable/pod" UID "/" ID, ID},
		{"0::" PODS "/cri-containerd-" ID ".scope", ID},
		{"0::" PODS "/crio-" ID ".scope", ID},
		{"0::/kubepods-burstable-pod" UNIT_UID ".slice:cri-containerd:" ID, ID},
		{"0::/../" ID, ID},
		{"0::/ecs/" TASK "/" TASK "-1234567890", TASK "-1234567890"},
		{"0::/lxc.payload.web1/system.slice/cron.service", "web1"},
		{"3:cpu:/lxc/web1/init.scope", "web1"},
		{"0::/machine.slice/machine-debian.scope/payload", "debian"},
		{"0::/machine.slice/machine-qemu\\x2d1\\x2dvm.scope/libvirt", "qemu-1-vm"},
		{"0::/machine.slice/systemd-nspawn@debian.service/payload", "debian"},
		{"0::/machine.slice/machine-debian.scope (deleted)\n", "debian"},
	};
	char container[CONTAINER_ID_ROOM];
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (!container_of_path(cases[i].path, container) ||
			strcmp(container, cases[i].container))
			fail_msg("%s: %s", cases[i].path, container);
}

static void other_paths_are_no_containers(void **state)
{
	static const char *const paths[] = {"", "/", "0::/", "0::/user.slice/session-1.scope",
		"0::/x" ID, "0::/" ID "0", "0::/x" ID "x", "0::/machine.slice", "4:cpu:/" TASK,
		"0::/machine-.scope", "0::/lxc.payload.", "0::/lxc", "0::/lxc.monitor.web1",
		"0::/machine.slice/libpod-conmon-" ID ".scope", "0::" PODS "/crio-conmon-" ID,
		"0::" PODS, "0::/ecs/" TASK "-", "0::/ecs/" TASK "-12x"};
	char container[CONTAINER_ID_ROOM];
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if (container_of_path(paths[i], container) || container[0])
			fail_msg("%s: %s", paths[i], container);
}

static void the_innermost_container_counts(void **state)
{
	char container[CONTAINER_ID_ROOM];
	(void)state;

	assert_true(
		container_of_path("/docker/" OTHER PODS "/cri-containerd-" ID ".scope", container));
	assert_string_equal(container, ID);
	assert_true(container_of_path("/lxc.payload.outer/docker-" ID ".scope", container));
	assert_string_equal(container, ID);
	assert_true(container_of_path("/docker/" ID "/lxc.payload.inner", container));
	assert_string_equal(container, "inner");
}

static void a_name_that_is_too_long_is_cut(void **state)
{
	_cleanup_free_ char *name = xmalloc(201);
	char container[CONTAINER_ID_ROOM];
	(void)state;

	memset(name, 'z', 200);
	name[200] = 0;
	_cleanup_free_ char *path = xasprintf("/lxc.payload.%s", name);
	assert_true(container_of_path(path, container));
	assert_int_equal(strlen(container), CONTAINER_ID_ROOM - 1);
}

static void ids_match_from_their_start_names_as_a_whole(void **state)
{
	(void)state;
	assert_true(container_part_matches("docker-" ID ".scope", ID));
	assert_true(container_part_matches("docker-" ID ".scope", "01234567"));
	assert_true(container_part_matches("docker-" ID ".scope", "docker-" ID ".scope"));
	assert_true(container_part_matches(ID, "containerd://" ID));
	assert_false(container_part_matches("docker-" ID ".scope", "0123456"));
	assert_false(container_part_matches("docker-" ID ".scope", "12345678"));
	assert_false(container_part_matches("docker-" ID ".scope", ""));
	assert_false(container_part_matches(ID, "docker://"));
	assert_false(container_part_matches("libpod-conmon-" ID ".scope", ID));
	assert_true(container_part_matches("lxc.payload.web1", "web1"));
	assert_true(container_part_matches("nginx.service", "nginx.service"));
	assert_false(container_part_matches("lxc.payload.web1", "web"));
	/* Eight letters of a name may all be digits of an id. */
	assert_false(container_part_matches("lxc.payload.facadefacade", "facadefa"));
}

static void pods_match_by_their_uid_with_dashes_or_underscores(void **state)
{
	static const char *const parts[] = {"pod" UID, "kubepods-pod" UNIT_UID ".slice",
		"kubepods-besteffort-pod" UNIT_UID ".slice"};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		assert_true(container_part_matches(parts[i], UID));
		assert_true(container_part_matches(parts[i], UNIT_UID));
		assert_true(container_part_matches(parts[i], "pod" UID));
		assert_true(container_part_matches(parts[i], "1b4c7d0e"));
		assert_true(container_part_matches(parts[i], "1b4c7d0e-89a"));
		assert_false(container_part_matches(parts[i], "1b4c7d0"));
		assert_false(container_part_matches(parts[i], "89ab-4cde"));
		assert_false(container_part_matches(parts[i], UID "0"));
	}
	assert_true(container_part_matches("pod" TASK, TASK));
	assert_false(container_part_matches("tripod" TASK, TASK));
}

static void a_process_that_is_gone_from_an_unknown_cgroup_has_no_container(void **state)
{
	const struct cgroup_target nowhere[] = {{0, 0}, {0, 0xfedcba9876543210}, {77, 1}};
	struct containers *containers = containers_new();
	pid_t gone = fork();
	(void)state;

	if (!gone)
		_exit(0);
	waitpid(gone, NULL, 0);
	assert_string_equal(
		containers_find(containers, (uint32_t)gone, nowhere, ARRAY_SIZE(nowhere)), "");
	assert_string_equal(containers_find(containers, (uint32_t)gone, NULL, 0), "");
	containers_free(containers);
	containers_free(NULL);
}

static void a_living_process_tells_its_container_itself(void **state)
{
	const struct cgroup_target nowhere = {77, 1};
	struct containers *containers = containers_new();
	char name[CONTAINER_ID_ROOM];
	(void)state;

	container_of_process((uint32_t)getpid(), name);
	assert_string_equal(containers_find(containers, (uint32_t)getpid(), &nowhere, 1), name);
	containers_free(containers);
}

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
		cmocka_unit_test(the_container_is_in_the_path_of_every_engine),
		cmocka_unit_test(other_paths_are_no_containers),
		cmocka_unit_test(the_innermost_container_counts),
		cmocka_unit_test(a_name_that_is_too_long_is_cut),
		cmocka_unit_test(ids_match_from_their_start_names_as_a_whole),
		cmocka_unit_test(pods_match_by_their_uid_with_dashes_or_underscores),
		cmocka_unit_test(a_process_that_is_gone_from_an_unknown_cgroup_has_no_container),
		cmocka_unit_test(a_living_process_tells_its_container_itself),
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
