// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel can do, by doing it small: each hook is a program of two instructions that the
 * verifier accepts or not, each table one of the smallest size. A try that fails for want of rights
 * says nothing about the kernel; then only BTF is asked, and the rest is unknown.
 */
#include "check/check_parts.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>

#include "host/proc_text.h"
#include "kernel/programs.h"
#include "kernel/uprobes.h"
#include "util/text.h"

#define EVENT_SOURCES "/sys/bus/event_source/devices"
#define BTF_PATH "/sys/kernel/btf/vmlinux"

static const struct bpf_insn return_zero[] = {
	{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
	{.code = BPF_JMP | BPF_EXIT},
};

static void add_btf(struct check *check)
{
	if (access(BTF_PATH, R_OK)) {
		bool is_absent = errno == ENOENT;
		facts_add(check->facts, FACT_NEEDED, FACT_MISSING, "BTF",
			"%s %s: programs cannot be fitted to this kernel", BTF_PATH,
			is_absent ? "is not there" : "cannot be read");
		facts_fix(check->facts, "%s",
			is_absent ? "boot a kernel with CONFIG_DEBUG_INFO_BTF=y (stock Debian, "
				    "Fedora, Ubuntu have it)"
				  : "sudo dwell ...");
		return;
	}
	check->btf = btf__parse(BTF_PATH, NULL);
	if (!check->btf)
		facts_add(check->facts, FACT_NEEDED, FACT_MISSING, "BTF", "%s cannot be parsed: %s",
			BTF_PATH, strerror(errno));
	else
		facts_add(check->facts, FACT_NEEDED, FACT_OK, "BTF",
			"programs can be fitted to this kernel");
}

static void add_refused_bpf(struct check *check, int error)
{
	bool lacks_rights = !check_holds(check, CAP_BPF);

	if (error == ENOSYS) {
		facts_add(check->facts, FACT_NEEDED, FACT_MISSING, "bpf(2)",
			"this kernel has no BPF system call");
		facts_fix(check->facts, "boot a kernel with CONFIG_BPF_SYSCALL=y");
	} else if (lacks_rights) {
		facts_add(check->facts, FACT_NEEDED, FACT_UNKNOWN, "bpf(2)",
			"there, but refused to this user");
	} else if (error == EPERM) {
		facts_add(check->facts, FACT_NEEDED, FACT_MISSING, "bpf(2)",
			"refused in spite of the capabilities: a seccomp filter, a security module "
			"or RLIMIT_MEMLOCK stands before it");
		facts_is_permission(check->facts);
		facts_fix(check->facts,
			"in a container: --security-opt seccomp=unconfined; else ulimit -l "
			"unlimited");
	} else {
		facts_add(check->facts, FACT_NEEDED, FACT_MISSING, "bpf(2)",
			"a table of one row cannot be made: %s", strerror(error));
	}
}

static void add_bpf(struct check *check)
{
	_cleanup_close_ int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "dwell_try", 4, 8, 1, NULL);

	if (fd < 0) {
		add_refused_bpf(check, errno);
		return;
	}
	check->can_create_maps = true;
	check->can_load =
		check->btf && check_holds(check, CAP_BPF) && check_holds(check, CAP_PERFMON);
	facts_add(check->facts, FACT_NEEDED, FACT_OK, "bpf(2)", "the BPF system call works");
}

/* Loads a tracing program on the BTF id; 0 or -errno, the verifier's words in log. */
static int try_tracing(enum bpf_attach_type type, int btf_id, const struct bpf_insn *code,
	size_t length, char *log, size_t log_bytes)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = type,
		.attach_btf_id = (__u32)btf_id, .log_buf = log, .log_size = (__u32)log_bytes,
		.log_level = log ? 1 : 0);
	_cleanup_close_ int fd =
		bpf_prog_load(BPF_PROG_TYPE_TRACING, "dwell_try", "GPL", code, length, &opts);

	return fd < 0 ? -errno : 0;
}

static void add_hook(struct check *check, const struct program *program)
{
	int id = programs_find_hook(check->btf, program->hook);
	int error = 0;
	char name[64];

	snprintf(name, sizeof(name), "tp_btf %s", program->hook);
	if (!check->btf) {
		facts_add(check->facts, FACT_NEEDED, FACT_UNKNOWN, name,
			"cannot be looked up without BTF");
		return;
	}
	if (id > 0 && check->can_load)
		error = try_tracing(
			BPF_TRACE_RAW_TP, id, return_zero, ARRAY_SIZE(return_zero), NULL, 0);
	if (id > 0 && !error) {
		facts_add(check->facts, FACT_NEEDED, FACT_OK, name, "%s%s", program->gives,
			check->can_load ? "" : " (in BTF, not tried)");
		return;
	}
	facts_add(check->facts, FACT_NEEDED, FACT_MISSING, name, "%s: %s",
		id > 0 ? "a program on it is refused" : "this kernel does not have it",
		id > 0 ? strerror(-error) : "its events cannot be seen");
	facts_fix(check->facts, "boot a kernel of 6.1 or later with CONFIG_BPF_EVENTS=y");
}

/* Tracepoints that give wakers their names; without them waits still have their chains. */
static void add_waker_hooks(struct check *check)
{
	const struct program *program;
	char missing[256] = "";

	if (!check->btf)
		return;
	for (size_t i = 0; (program = programs_at(i)); i++)
		if (program->use == USE_WAKERS && program->gives &&
			programs_find_hook(check->btf, program->hook) <= 0) {
			size_t length = strlen(missing);
			snprintf(missing + length, sizeof(missing) - length, "%s%s",
				length ? ", " : "", program->gives);
		}
	if (!missing[0]) {
		facts_add(check->facts, FACT_HELPFUL, FACT_OK, "names of wakers",
			"interrupts, timers, disks and work queues are told apart");
		return;
	}
	facts_add(check->facts, FACT_HELPFUL, FACT_LIMITED, "names of wakers",
		"not of %s: this kernel has no tracepoint for them", missing);
	facts_fix(check->facts, "boot a kernel with CONFIG_BPF_EVENTS=y and its usual drivers");
}

/* The thread's state at the switch itself; read later it races with the waker. */
static void add_previous_state(struct check *check)
{
	int id = programs_find_hook(check->btf, "sched_switch");
	const struct btf_type *type = id > 0 ? btf__type_by_id(check->btf, (__u32)id) : NULL;

	while (type && !btf_is_func_proto(type))
		type = btf_is_typedef(type) || btf_is_ptr(type) || btf_is_mod(type)
			       ? btf__type_by_id(check->btf, type->type)
			       : NULL;
	/* void *data, bool preempt, prev, next, unsigned int prev_state */
	if (!type)
		facts_add(check->facts, FACT_NEEDED, FACT_UNKNOWN, "sched_switch prev_state",
			"cannot be looked up");
	else if (btf_vlen(type) >= 5)
		facts_add(check->facts, FACT_NEEDED, FACT_OK, "sched_switch prev_state",
			"blocked and preempted are told apart without a race");
	else
		facts_add(check->facts, FACT_NEEDED, FACT_MISSING, "sched_switch prev_state",
			"blocked and preempted cannot be told apart without a race");
	if (type && btf_vlen(type) < 5)
		facts_fix(check->facts, "boot a kernel of 6.1 or later");
}

static bool has_iterator(const struct check *check)
{
	int id = btf__find_by_name_kind(check->btf, "bpf_iter_task", BTF_KIND_FUNC);

	return id > 0 &&
	       !try_tracing(BPF_TRACE_ITER, id, return_zero, ARRAY_SIZE(return_zero), NULL, 0);
}

static bool has_task_storage(const struct check *check)
{
	(void)check;
	return libbpf_probe_bpf_map_type(BPF_MAP_TYPE_TASK_STORAGE, NULL) == 1;
}

static bool has_ring(const struct check *check)
{
	(void)check;
	return libbpf_probe_bpf_map_type(BPF_MAP_TYPE_RINGBUF, NULL) == 1;
}

static bool has_drainable_hash(const struct check *check)
{
	_cleanup_close_ int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "dwell_try", 8, 8, 4, NULL);
	uint64_t keys[4], values[4], at;
	__u32 count = ARRAY_SIZE(keys);

	(void)check;
	if (fd < 0)
		return false;
	/* An empty table answers "no entry"; a kernel without the call "not supported". */
	return !bpf_map_lookup_and_delete_batch(fd, NULL, &at, keys, values, &count, NULL) ||
	       errno == ENOENT;
}

static bool has_mmapable_array(const struct check *check)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	_cleanup_close_ int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "dwell_try", 4, 8, 1, &opts);

	(void)check;
	return fd >= 0;
}

static bool has_run_on_cpu(const struct check *check)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU,
		.cpu = (__u32)sched_getcpu());
	_cleanup_close_ int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "dwell_try", "GPL",
		return_zero, ARRAY_SIZE(return_zero), NULL);

	(void)check;
	return fd >= 0 && !bpf_prog_test_run_opts(fd, &opts);
}

static const struct {
	const char *name;
	bool (*is_there)(const struct check *check);
	const char *with, *without;
} abilities[] = {
	{"task storage", has_task_storage, "each thread's books are kept with the thread",
		"threads' books cannot be kept"},
	{"task iterator", has_iterator, "threads asleep all through a recording are counted",
		"threads that sleep all through a recording cannot be counted"},
	{"hash table, batch drain", has_drainable_hash, "sums are kept and drained in the kernel",
		"sums cannot be drained in time"},
	{"ring buffer", has_ring, "new stacks and threads reach dwell",
		"new stacks and threads cannot reach dwell"},
	{"mmapable array", has_mmapable_array, "tables are flipped without a system call",
		"tables cannot be flipped"},
	{"program run on one CPU", has_run_on_cpu, "a drained table is known to be at rest",
		"a table cannot be drained without losing sums"},
};

static void add_abilities(struct check *check)
{
	for (size_t i = 0; i < ARRAY_SIZE(abilities); i++) {
		if (!check->can_load) {
			facts_add(check->facts, FACT_NEEDED, FACT_UNKNOWN, abilities[i].name,
				"cannot be tried without the above");
			continue;
		}
		bool is_there = abilities[i].is_there(check);
		facts_add(check->facts, FACT_NEEDED, is_there ? FACT_OK : FACT_MISSING,
			abilities[i].name, "%s",
			is_there ? abilities[i].with : abilities[i].without);
		if (!is_there)
			facts_fix(check->facts, "boot a kernel of 6.1 or later");
	}
}

static const struct {
	enum bpf_func_id id;
	const char *name;
} helpers[] = {
	{BPF_FUNC_get_stack, "bpf_get_stack"},
	{BPF_FUNC_get_task_stack, "bpf_get_task_stack"},
	{BPF_FUNC_task_pt_regs, "bpf_task_pt_regs"},
	{BPF_FUNC_probe_read_user, "bpf_probe_read_user"},
	{BPF_FUNC_get_current_task_btf, "bpf_get_current_task_btf"},
	{BPF_FUNC_task_storage_get, "bpf_task_storage_get"},
	{BPF_FUNC_ringbuf_output, "bpf_ringbuf_output"},
	{BPF_FUNC_find_vma, "bpf_find_vma"},
};

/*
 * A call with whatever is in the registers: the verifier first asks whether the helper exists for
 * this kind of program and only then looks at the arguments. libbpf_probe_bpf_helper() does not do
 * tracing programs.
 */
static bool has_helper(const struct check *check, enum bpf_func_id id)
{
	const struct bpf_insn code[] = {
		{.code = BPF_JMP | BPF_CALL, .imm = (int)id},
		return_zero[0],
		return_zero[1],
	};
	char log[4096] = "";
	int hook = programs_find_hook(check->btf, "sched_switch");

	if (!try_tracing(BPF_TRACE_RAW_TP, hook, code, ARRAY_SIZE(code), log, sizeof(log)))
		return true;
	return !strstr(log, "unknown func") && !strstr(log, "invalid func") &&
	       !strstr(log, "cannot use helper");
}

static bool can_try_helpers(const struct check *check)
{
	return check->can_load && programs_find_hook(check->btf, "sched_switch") > 0;
}

static void add_helpers(struct check *check)
{
	char missing[256] = "";

	if (!can_try_helpers(check)) {
		facts_add(check->facts, FACT_NEEDED, FACT_UNKNOWN, "helper functions",
			"cannot be tried without the above");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(helpers); i++) {
		size_t used = strlen(missing);
		if (!has_helper(check, helpers[i].id))
			snprintf(missing + used, sizeof(missing) - used, "%s%s", used ? ", " : "",
				helpers[i].name);
	}
	facts_add(check->facts, FACT_NEEDED, missing[0] ? FACT_MISSING : FACT_OK,
		"helper functions", "%s%s",
		missing[0] ? "programs cannot be loaded without "
			   : "for stacks, storage and records: all there",
		missing);
	if (missing[0])
		facts_fix(check->facts, "boot a kernel of 6.1 or later");
}

/* Lockdown takes bpf_probe_read_kernel away, and may be in force where its file cannot be seen. */
static void add_lockdown(struct check *check)
{
	_cleanup_free_ char *text = NULL, *mode = NULL;
	bool is_tried = can_try_helpers(check);
	bool reads_kernel = is_tried && has_helper(check, BPF_FUNC_probe_read_kernel);

	if (!proc_text_read("/sys/kernel/security/lockdown", &text))
		proc_text_chosen(text, &mode);
	if ((mode && !strcmp(mode, "confidentiality")) || (is_tried && !reads_kernel)) {
		facts_add(check->facts, FACT_NEEDED, FACT_MISSING, "no lockdown",
			"lockdown is \"confidentiality\": programs may not read kernel memory");
		facts_fix(check->facts, "boot with lockdown=integrity (or without lockdown=)");
	} else if (mode || reads_kernel) {
		_cleanup_free_ char *clean = mode ? text_clean(mode, false) : NULL;
		facts_add(check->facts, FACT_NEEDED, FACT_OK, "no lockdown",
			"lockdown is %s%s%s: programs may read kernel memory", clean ? "\"" : "",
			clean ? clean : "off", clean ? "\"" : "");
	} else {
		facts_add(check->facts, FACT_NEEDED, FACT_UNKNOWN, "no lockdown",
			"cannot be read here, and not tried");
	}
}

void check_kernel_needed(struct check *check)
{
	const struct program *program;

	add_btf(check);
	add_bpf(check);
	for (size_t i = 0; (program = programs_at(i)); i++)
		if (program->use == USE_BOOKS)
			add_hook(check, program);
	add_previous_state(check);
	add_abilities(check);
	add_helpers(check);
	add_lockdown(check);
	add_waker_hooks(check);
}

/* Opens and closes a sampling event: 0 or -errno. Without rights only for this thread's user code.
 */
static int try_event(const struct check *check, uint32_t type, uint64_t config)
{
	bool is_wide = check_holds(check, CAP_PERFMON);
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = type,
		.config = config,
		.freq = 1,
		.sample_freq = 99,
		.disabled = 1,
		.exclude_kernel = !is_wide,
		.exclude_hv = 1,
	};
	_cleanup_close_ int fd = (int)syscall(SYS_perf_event_open, &attr, is_wide ? -1 : 0,
		is_wide ? sched_getcpu() : -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : 0;
}

static void add_clocks(struct check *check)
{
	int clock = try_event(check, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	int cycles = try_event(check, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	bool is_refused = cycles == -EPERM || cycles == -EACCES;

	facts_add(check->facts, FACT_HELPFUL, clock ? FACT_MISSING : FACT_OK, "cpu-clock event",
		"%s%s%s",
		clock ? "no on-CPU samples without a PMU: " : "on-CPU samples without a PMU",
		clock ? strerror(-clock) : "", clock ? " (running times stay exact)" : "");
	if (clock)
		facts_fix(check->facts, "sudo sysctl kernel.perf_event_paranoid=1, or run as root");
	if (!cycles)
		facts_add(
			check->facts, FACT_HELPFUL, FACT_OK, "PMU", "on-CPU samples by CPU cycles");
	else
		facts_add(check->facts, FACT_HELPFUL, is_refused ? FACT_UNKNOWN : FACT_MISSING,
			"PMU",
			"%s: on-CPU samples come by cpu-clock and miss code that runs with "
			"interrupts off",
			is_refused ? "refused to this user"
				   : "no cycle counter (usual in virtual machines)");
}

/* Hooks of -e, --alloc and dwell calls, which no other recording needs. */
static void add_event_hooks(struct check *check)
{
	bool has_uprobes = !access(EVENT_SOURCES "/uprobe/type", F_OK);
	bool has_kprobes = !access(EVENT_SOURCES "/kprobe/type", F_OK);

	if (!has_uprobes)
		facts_add(check->facts, FACT_HELPFUL, FACT_MISSING, "uprobes",
			"functions of programs (-e uprobe:, usdt:, dwell calls) and --alloc cannot "
			"be watched");
	else if (check->can_load)
		facts_add(check->facts, FACT_HELPFUL, uprobes_have_multi() ? FACT_OK : FACT_LIMITED,
			"uprobes", "%s",
			uprobes_have_multi() ? "functions of programs can be watched, many at once"
					     : "functions of programs can be watched, up to 16 of "
					       "an event at once (more from Linux 6.6 on)");
	facts_add(check->facts, FACT_HELPFUL, has_kprobes ? FACT_OK : FACT_MISSING, "kprobes", "%s",
		has_kprobes ? "functions of the kernel can be watched (-e kprobe:, dwell calls k:)"
			    : "functions of this kernel cannot be watched; its tracepoints and "
			      "system calls can");
}

void check_kernel_helpful(struct check *check)
{
	int64_t jit;

	if (check->can_load) {
		bool is_there = libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_PERF_EVENT, NULL) == 1;
		facts_add(check->facts, FACT_HELPFUL, is_there ? FACT_OK : FACT_MISSING,
			"programs on samples", "%s",
			is_there ? "on-CPU samples are summed in the kernel"
				 : "no on-CPU stacks (running times stay exact)");
	}
	add_clocks(check);
	add_event_hooks(check);
	if (proc_text_read_number("/proc/sys/net/core/bpf_jit_enable", &jit))
		return;
	facts_add(check->facts, FACT_HELPFUL, jit ? FACT_OK : FACT_LIMITED, "BPF compiler", "%s",
		jit ? "programs run as machine code"
		    : "off: programs are interpreted and cost several times as much");
	if (!jit)
		facts_fix(check->facts, "sudo sysctl net.core.bpf_jit_enable=1");
}
