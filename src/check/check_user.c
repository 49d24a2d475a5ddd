// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rights: each capability by name. CAP_SYS_ADMIN stands for CAP_BPF, CAP_PERFMON and
 * CAP_CHECKPOINT_RESTORE only, and none of a user namespace's capabilities counts for bpf(2)
 * (capable(), not ns_capable(), in kernel/bpf/syscall.c).
 */
#include "check/check_parts.h"

#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>

#include "host/proc_text.h"
#include "util/open_files.h"

/* PROC_USER_INIT_INO of include/linux/proc_ns.h: fixed by the kernel for the first namespace. */
#define INITIAL_USER_NAMESPACE_INODE 0xEFFFFFFDU

static bool has_bit(const struct check *check, int capability)
{
	return check->capabilities & (1ULL << capability);
}

static bool has_right(const struct check *check, int capability)
{
	bool admin_will_do = capability == CAP_BPF || capability == CAP_PERFMON ||
			     capability == CAP_CHECKPOINT_RESTORE;

	return has_bit(check, capability) || (admin_will_do && has_bit(check, CAP_SYS_ADMIN));
}

bool check_holds(const struct check *check, int capability)
{
	return check->is_initial_user_namespace && has_right(check, capability);
}

/* Its own path, so that the command can be pasted; another than "dwell" when renamed. */
static char *setcap_command(void)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[length > 0 ? length : 0] = 0;
	return xasprintf("sudo dwell ..., or once: sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace,"
			 "cap_syslog,cap_sys_nice,cap_dac_read_search,cap_checkpoint_restore=ep %s",
		length > 0 ? path : "./dwell");
}

static void add_right(struct check *check, enum fact_group group, int capability, const char *name,
	const char *with, const char *without)
{
	bool by_admin = !has_bit(check, capability);

	if (check_holds(check, capability))
		facts_add(check->facts, group, FACT_OK, name, "%s%s", with,
			by_admin ? " (held as CAP_SYS_ADMIN)" : "");
	else if (has_right(check, capability))
		facts_add(check->facts, group, FACT_LIMITED, name,
			"held, but only inside this user namespace: %s", without);
	else {
		facts_add(check->facts, group, FACT_MISSING, name, "%s", without);
		facts_fix(check->facts, "%s", check->setcap);
	}
	facts_is_permission(check->facts);
}

static int read_rights(struct check *check)
{
	_cleanup_free_ char *status = NULL;
	struct stat space;
	int error = proc_text_read("/proc/self/status", &status);

	check->setcap = setcap_command();
	check->is_initial_user_namespace =
		stat("/proc/self/ns/user", &space) || space.st_ino == INITIAL_USER_NAMESPACE_INODE;
	return error ? error : proc_text_capabilities(status, &check->capabilities);
}

static void add_open_files(struct check *check)
{
	uint64_t most = open_files_most(), needed = open_files_needed();

	if (most >= needed) {
		facts_add(check->facts, FACT_NEEDED, FACT_OK, "RLIMIT_NOFILE",
			"a recording needs %" PRIu64 " open files, and may have them", needed);
		return;
	}
	facts_add(check->facts, FACT_NEEDED, FACT_MISSING, "RLIMIT_NOFILE",
		"a recording needs %" PRIu64 " open files, and may have %" PRIu64, needed, most);
	facts_fix(check->facts, "ulimit -n 4096 (as root, before dwell)");
}

void check_rights_needed(struct check *check)
{
	if (read_rights(check)) {
		facts_add(check->facts, FACT_NEEDED, FACT_MISSING, "/proc",
			"not mounted: neither rights nor threads can be read");
		facts_fix(check->facts, "sudo mount -t proc proc /proc");
		return;
	}
	add_right(check, FACT_NEEDED, CAP_BPF, "CAP_BPF", "dwell may load programs and tables",
		"dwell may not load programs and tables");
	add_right(check, FACT_NEEDED, CAP_PERFMON, "CAP_PERFMON",
		"programs may watch the scheduler", "programs may not watch the scheduler");
	add_open_files(check);
	if (check->is_initial_user_namespace) {
		facts_add(check->facts, FACT_NEEDED, FACT_OK, "initial user namespace",
			"capabilities held here count");
		return;
	}
	facts_add(check->facts, FACT_NEEDED, FACT_MISSING, "initial user namespace",
		"this is another one, whose capabilities do not count for bpf(2)");
	facts_is_permission(check->facts);
	facts_fix(check->facts, "run dwell on the host, or in a container without user namespace");
}

/* Trying is the only way: a cgroup without real-time budget refuses in spite of the capability. */
static bool can_be_realtime(void)
{
	struct sched_param former, first = {.sched_priority = 1};
	int policy = sched_getscheduler(0);

	if (policy < 0 || sched_getparam(0, &former) || sched_setscheduler(0, SCHED_FIFO, &first))
		return false;
	sched_setscheduler(0, policy, &former);
	return true;
}

static void add_priority(struct check *check)
{
	if (can_be_realtime()) {
		facts_add(check->facts, FACT_HELPFUL, FACT_OK, "CAP_SYS_NICE",
			"the recorder runs in time on a busy machine (SCHED_FIFO)");
		return;
	}
	if (check_holds(check, CAP_SYS_NICE)) {
		facts_add(check->facts, FACT_HELPFUL, FACT_LIMITED, "CAP_SYS_NICE",
			"held, but SCHED_FIFO is refused (no real-time budget in this cgroup): the "
			"recorder runs at nice -20 and may be late on a busy machine");
		return;
	}
	add_right(check, FACT_HELPFUL, CAP_SYS_NICE, "CAP_SYS_NICE", "",
		"the recorder may be late on a busy machine, tables may overflow");
}

void check_rights_helpful(struct check *check)
{
	add_right(check, FACT_HELPFUL, CAP_SYS_PTRACE, "CAP_SYS_PTRACE",
		"user frames of all users' processes get names",
		"user frames of other users' processes stay without names");
	add_right(check, FACT_HELPFUL, CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH",
		"symbols are read from programs of all users",
		"symbols of programs that this user may not read are missing");
	/* Links below /proc/PID/map_files lead to it (proc_map_files_get_link() in fs/proc/base.c).
	 */
	add_right(check, FACT_HELPFUL, CAP_CHECKPOINT_RESTORE, "CAP_CHECKPOINT_RESTORE",
		"programs that were deleted or replaced can be read while they run",
		"user stacks end at programs and libraries that were deleted or replaced");
	add_right(check, FACT_HELPFUL, CAP_SYSLOG, "CAP_SYSLOG", "kernel addresses may be seen",
		"kernel addresses may be hidden (see kptr_restrict)");
	add_priority(check);
}
