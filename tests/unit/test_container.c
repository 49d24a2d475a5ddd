// SPDX-License-Identifier: GPL-2.0-or-later
/* Containers out of cgroup paths, and of processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "container_ids.h"
#include "host/containers.h"

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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
