// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Settings and limits of the machine, and what they do to a recording. Limits are those that bind
 * this process: the tightest of its cgroup and all above it.
 */
#include "check/check_parts.h"
#include "kernel/sizes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "kernel/options.h"
#include "kernel/memory_room.h"
#include "host/proc_text.h"
#include "contract/contract.h"
#include "util/units.h"

/* PROC_PID_INIT_INO of include/linux/proc_ns.h: fixed by the kernel for the first namespace. */
#define INITIAL_PID_NAMESPACE_INODE 0xEFFFFFFCU

static void add_kernel_addresses(struct check *check)
{
	_cleanup_free_ char *kallsyms = NULL;
	int64_t restricted = 0;

	proc_text_read_number("/proc/sys/kernel/kptr_restrict", &restricted);
	if (!proc_text_read("/proc/kallsyms", &kallsyms) && proc_text_has_addresses(kallsyms)) {
		facts_add(check->facts, FACT_HELPFUL, FACT_OK, "kptr_restrict",
			"%d: /proc/kallsyms shows addresses, kernel frames get names",
			(int)restricted);
		return;
	}
	facts_add(check->facts, FACT_HELPFUL, FACT_MISSING, "kptr_restrict",
		"%d: /proc/kallsyms %s, kernel frames stay without names", (int)restricted,
		kallsyms ? "hides addresses from this user" : "cannot be read");
	if (restricted > 1)
		facts_fix(check->facts, "sudo sysctl kernel.kptr_restrict=1, and CAP_SYSLOG");
	else
		facts_fix(check->facts, "run as root, or give dwell CAP_SYSLOG (above)");
}

static void add_paranoia(struct check *check)
{
	int64_t level;
	bool is_exempt = check_holds(check, CAP_PERFMON);

	if (proc_text_read_number("/proc/sys/kernel/perf_event_paranoid", &level)) {
		facts_add(check->facts, FACT_HELPFUL, FACT_MISSING, "perf_event_paranoid",
			"this kernel has no perf events: no on-CPU samples");
		return;
	}
	bool is_open = is_exempt || level < 0;
	facts_add(check->facts, FACT_HELPFUL, is_open ? FACT_OK : FACT_LIMITED,
		"perf_event_paranoid", "%d: %s", (int)level,
		is_exempt ? "does not matter with CAP_PERFMON"
		: is_open ? "all users may sample all CPUs"
			  : "without CAP_PERFMON samples of all CPUs are refused");
	if (!is_open)
		facts_fix(check->facts, "give dwell CAP_PERFMON (above), or "
					"sudo sysctl kernel.perf_event_paranoid=-1");
}

static void add_stack_limit(struct check *check)
{
	int64_t frames;

	if (proc_text_read_number("/proc/sys/kernel/perf_event_max_stack", &frames)) {
		facts_add(check->facts, FACT_HELPFUL, FACT_UNKNOWN, "perf_event_max_stack",
			"cannot be read: stacks may be cut at a limit of the kernel's");
		return;
	}
	bool is_enough = frames >= CONTRACT_MAX_FRAMES;
	facts_add(check->facts, FACT_HELPFUL, is_enough ? FACT_OK : FACT_LIMITED,
		"perf_event_max_stack", "%d: deeper stacks are cut (and counted)",
		(int)(is_enough ? CONTRACT_MAX_FRAMES : frames));
	if (!is_enough)
		facts_fix(check->facts, "sudo sysctl kernel.perf_event_max_stack=%d",
			CONTRACT_MAX_FRAMES);
}

void check_settings(struct check *check)
{
	add_kernel_addresses(check);
	add_paranoia(check);
	add_stack_limit(check);
}

/* Returns what the tables get of what is left; 0: nothing. */
static uint64_t add_memory_limit(struct check *check, uint64_t memory_bytes)
{
	struct memory_room room;
	uint64_t bytes = 0;
	char want[UNITS_ROOM], left[UNITS_ROOM], get[UNITS_ROOM];
	struct why why;

	memory_room_read(&memory_files_of_proc, &room);
	units_bytes(memory_bytes, want);
	units_bytes(room.bytes, left);
	if (room.bytes == UINT64_MAX) {
		facts_add(check->facts, FACT_HELPFUL, FACT_UNKNOWN, "memory",
			"/proc does not say what is free; tables take up to %s", want);
		return memory_bytes;
	}
	if (memory_room_take(&room, memory_bytes, false, &bytes, &why)) {
		facts_add(check->facts, FACT_NEEDED, FACT_MISSING, "memory", "%s", why.text);
		return 0;
	}
	bool fits = bytes == memory_bytes;
	facts_add(check->facts, FACT_HELPFUL, fits ? FACT_OK : FACT_LIMITED, "memory",
		"%s free %s; tables take up to %s%s%s", left, memory_room_place(&room),
		units_bytes(bytes, get), fits ? "" : " instead of ", fits ? "" : want);
	if (!fits)
		facts_fix(check->facts, room.is_of_cgroup ? "raise the limit of this cgroup"
							  : "end what takes the memory");
	return bytes;
}

static int try_sums(uint32_t rows, uint32_t value_bytes)
{
	return bpf_map_create(
		BPF_MAP_TYPE_HASH, "dwell_try", sizeof(struct sum_key), value_bytes, rows, NULL);
}

/* The tables of sums, which are nearly all that a recording takes: 0 or -errno. */
static int try_tables(const struct table_sizes *sizes)
{
	const uint32_t rows[] = {sizes->rows, sizes->rows, sizes->coarse_rows, sizes->coarse_rows,
		sizes->wait_rows, sizes->wait_rows};
	const uint32_t bytes[] = {sizeof(struct sum), sizeof(struct sum), sizeof(struct sum),
		sizeof(struct sum), sizes->wait_bytes, sizes->wait_bytes};
	int error = 0, fds[ARRAY_SIZE(rows)];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fds[i] = error ? -1 : try_sums(rows[i], bytes[i]);
		if (!error && fds[i] < 0)
			error = -errno;
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		mem_close_fd(&fds[i]);
	return error;
}

/* Only kernels that charge tables to locked memory refuse them with EPERM here. */
static void add_locked_memory(struct check *check, uint64_t memory_bytes, int error)
{
	struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
	char room[UNITS_ROOM];

	getrlimit(RLIMIT_MEMLOCK, &limit);
	const char *size =
		limit.rlim_cur == RLIM_INFINITY ? "unlimited" : units_bytes(limit.rlim_cur, room);
	if (error != -EPERM) {
		facts_add(check->facts, FACT_HELPFUL, FACT_OK, "RLIMIT_MEMLOCK", "%s: %s", size,
			limit.rlim_cur < memory_bytes ? "tables do not count against it here"
						      : "enough for all tables");
		return;
	}
	facts_add(check->facts, FACT_HELPFUL, FACT_LIMITED, "RLIMIT_MEMLOCK",
		"%s: bounds the tables on this kernel, and CAP_SYS_RESOURCE, which could raise it, "
		"is missing",
		size);
	facts_fix(check->facts, "ulimit -l unlimited (as root, before dwell)");
}

static void add_tables(struct check *check, uint64_t memory_bytes)
{
	struct table_sizes sizes = sizes_of_memory(memory_bytes, CAPTURE_DEFAULT_DEPTH, false);
	char want[UNITS_ROOM];
	int error;

	units_bytes(sizes_bytes(&sizes), want);
	if (!check->can_create_maps || !memory_bytes) {
		facts_add(check->facts, FACT_HELPFUL, FACT_UNKNOWN, "own tables",
			"%s, not tried: %s", want,
			memory_bytes ? "tables are refused to this user" : "not enough memory");
		return;
	}
	error = try_tables(&sizes);
	facts_add(check->facts, FACT_HELPFUL, error ? FACT_LIMITED : FACT_OK, "own tables",
		"%s of tables %s%s", want, error ? "cannot be made: " : "were made and given back",
		error ? strerror(-error) : "");
	if (error)
		facts_fix(check->facts, "dwell record --memory 64M");
	add_locked_memory(check, memory_bytes, error);
}

void check_memory(struct check *check, uint64_t memory_bytes)
{
	add_tables(check, add_memory_limit(check, memory_bytes));
}

static void add_cgroups(struct check *check)
{
	_cleanup_free_ char *mountinfo = NULL, *v1 = NULL, *v2 = NULL;

	if (proc_text_read("/proc/self/mountinfo", &mountinfo)) {
		facts_add(check->facts, FACT_MACHINE, FACT_UNKNOWN, "cgroups",
			"/proc/self/mountinfo cannot be read: -G may not find its cgroup");
		return;
	}
	proc_text_mount(mountinfo, "cgroup", &v1);
	proc_text_mount(mountinfo, "cgroup2", &v2);
	if (v1 || v2) {
		facts_add(check->facts, FACT_MACHINE, FACT_OK, "cgroups", "%s: -G takes %s",
			v1 && v2 ? "v1 and v2"
			: v1     ? "v1"
				 : "v2",
			v1 ? "those of any hierarchy with a controller" : "any of them");
		return;
	}
	facts_add(check->facts, FACT_MACHINE, FACT_MISSING, "cgroups",
		"none mounted: -G cannot find its cgroup");
	facts_fix(check->facts, "sudo mount -t cgroup2 none /sys/fs/cgroup");
}

static void add_pid_namespace(struct check *check)
{
	struct stat space;

	if (stat("/proc/self/ns/pid", &space))
		facts_add(check->facts, FACT_MACHINE, FACT_UNKNOWN, "pid namespace",
			"cannot be read (is /proc mounted?)");
	else if (space.st_ino == INITIAL_PID_NAMESPACE_INODE)
		facts_add(check->facts, FACT_MACHINE, FACT_OK, "pid namespace",
			"the first one: -a means all threads of the machine");
	else {
		facts_add(check->facts, FACT_MACHINE, FACT_LIMITED, "pid namespace",
			"a container's: -a means the threads of this namespace");
		facts_fix(check->facts, "run dwell on the host, or in a container with --pid=host");
	}
}

static void add_tracefs(struct check *check)
{
	_cleanup_free_ char *mountinfo = NULL, *where = NULL;

	if (!proc_text_read("/proc/self/mountinfo", &mountinfo) &&
		!proc_text_mount(mountinfo, "tracefs", &where)) {
		facts_add(check->facts, FACT_MACHINE, FACT_OK, "tracefs",
			"mounted: tracepoints can be counted (-e), and growth of memory");
		return;
	}
	facts_add(check->facts, FACT_MACHINE, FACT_MISSING, "tracefs",
		"not mounted: tracepoints cannot be counted (-e), nor growth of memory; all else "
		"can");
	facts_fix(check->facts, "sudo mount -t tracefs tracefs /sys/kernel/tracing");
}

static void add_cpus(struct check *check)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	int possible = libbpf_num_possible_cpus();

	facts_add(check->facts, FACT_MACHINE, FACT_OK, "CPUs", "%ld online, room for %d in tables",
		online, possible > 0 ? possible : (int)online);
}

/*
 * Reading user memory from an interrupt can deadlock kernels from 5.19 on until commit d319f344
 * (6.4, and stable releases of June 2023). That cannot be tried out, so the release has to tell.
 */
static void add_user_reads(struct check *check)
{
	unsigned int major = 0, minor = 0, patch = 0;
	struct utsname name;

	if (uname(&name) || sscanf(name.release, "%u.%u.%u", &major, &minor, &patch) < 2)
		return;
	bool may_hang = (major == 5 && minor == 19) ||
			(major == 6 && (minor == 0 || minor == 2 || (minor == 1 && patch < 36) ||
					       (minor == 3 && patch < 10)));
	if (!may_hang) {
		facts_add(check->facts, FACT_MACHINE, FACT_OK, "user stacks of samples",
			"safe to walk from an interrupt");
		return;
	}
	facts_add(check->facts, FACT_MACHINE, FACT_LIMITED, "user stacks of samples",
		"release %s may hang when they are walked from an interrupt, unless it has commit "
		"d319f344",
		name.release);
	facts_fix(check->facts, "update the kernel, or record with -F 0 and without -e cpu-clock");
}

void check_machine(struct check *check)
{
	add_user_reads(check);
	add_cpus(check);
	add_cgroups(check);
	add_pid_namespace(check);
	add_tracefs(check);
}
