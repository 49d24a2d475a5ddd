// SPDX-License-Identifier: GPL-2.0-or-later
/* Everything that has to be said before the programs are loaded, but what follows wakers. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <sys/stat.h>

#include "capture/cgroup.h"
#include "capture/glob.h"
#include "capture/kernel_chains.h"
#include "capture/kernel_private.h"
#include "dwell.skel.h"

/* Room for 5,000 requests; they are read as they come. */
#define WANTS_BYTES (256 << 10)

/* The initial pid namespace's fixed number (PROC_PID_INIT_INO). */
#define INITIAL_PID_NAMESPACE 0xEFFFFFFCU

static int configure_namespace(
	struct dwell *skeleton, const struct capture_options *options, struct why *why)
{
	struct stat status;

	if (stat("/proc/self/ns/pid", &status))
		return why_set(why, -errno, "cannot read /proc/self/ns/pid; mount /proc");
	if (status.st_ino != INITIAL_PID_NAMESPACE)
		skeleton->rodata->cfg_pid_namespace = (uint32_t)status.st_ino;
	skeleton->rodata->cfg_self_pid = (uint32_t)getpid();
	skeleton->rodata->cfg_command_pid = options->command_pid;
	return 0;
}

static int configure_target(
	struct dwell *skeleton, const struct capture_options *options, struct why *why)
{
	struct cgroup_target cgroup;
	struct glob glob;
	int error;

	skeleton->rodata->cfg_target_kind = options->target;
	if (options->target == TARGET_COMM) {
		if (!glob_compile(options->comm_glob, &glob))
			return why_set(why, -EINVAL, "the name %s is too long for a thread's",
				options->comm_glob);
		for (size_t i = 0; i < ARRAY_SIZE(glob.step); i++)
			skeleton->rodata->cfg_glob_step[i] = glob.step[i];
		skeleton->rodata->cfg_glob_star = glob.star;
		skeleton->rodata->cfg_glob_accept = glob.accept;
	}
	if (options->target == TARGET_CGROUP) {
		error = cgroup_find(options->cgroup, &cgroup, why);
		if (error)
			return error;
		skeleton->rodata->cfg_cgroup_id = cgroup.id;
		skeleton->rodata->cfg_cgroup_hierarchy = cgroup.hierarchy;
	}
	if (options->id_count)
		bpf_map__set_max_entries(skeleton->maps.target_ids, (uint32_t)options->id_count);
	return 0;
}

static void configure_unwinding(struct kernel *kernel, const struct capture_options *options)
{
	struct dwell *skeleton = kernel->skeleton;
	const struct table_sizes *sizes = &kernel->sizes;

	if (options->user_stacks != USER_STACKS_TABLE) {
		sizes_drop_unwinding(&kernel->sizes);
		bpf_program__set_autoload(skeleton->progs.on_sleepers, false);
		bpf_program__set_autoload(skeleton->progs.on_repair, false);
		return;
	}
	bpf_map__set_max_entries(skeleton->maps.unwind_rows, sizes->unwind_row_blocks);
	bpf_map__set_max_entries(skeleton->maps.unwind_pages, sizes->unwind_page_blocks);
	bpf_map__set_max_entries(skeleton->maps.unwind_vmas, sizes->unwind_vma_blocks);
	bpf_map__set_max_entries(skeleton->maps.unwind_rules, UNWIND_MAX_RULES);
	bpf_map__set_max_entries(skeleton->maps.unwind_processes, sizes->unwind_processes);
	bpf_map__set_max_entries(skeleton->maps.unwind_wants, WANTS_BYTES);
	bpf_map__set_max_entries(skeleton->maps.repairs, KERNEL_MAX_REPAIRS);
}

int kernel_configure(struct kernel *kernel, const struct capture_options *options,
	const struct kernel_symbols *symbols, struct why *why)
{
	struct dwell *skeleton = kernel->skeleton;
	struct kernel_symbol schedule;

	skeleton->rodata->cfg_user_threads = options->has_user_threads;
	skeleton->rodata->cfg_kernel_threads = options->has_kernel_threads;
	skeleton->rodata->cfg_user_stacks = options->user_stacks;
	skeleton->rodata->cfg_stacks = options->has_stacks;
	skeleton->rodata->cfg_skip_self = !options->has_self;
	skeleton->rodata->cfg_slice_ns = options->slice_ns;
	skeleton->rodata->cfg_min_wait_ns = options->min_wait_ns;
	skeleton->rodata->cfg_max_wait_ns = options->max_wait_ns;
	if (symbols && kernel_symbols_named(symbols, "__schedule", &schedule)) {
		skeleton->rodata->cfg_schedule_start = schedule.start;
		skeleton->rodata->cfg_schedule_end = schedule.end;
	}
	skeleton->rodata->cfg_seen_mask = kernel->sizes.seen - 1;
	skeleton->rodata->cfg_ring_for_stacks = kernel->sizes.ring_bytes / 4 * 3;
	bpf_map__set_max_entries(skeleton->maps.seen, kernel->sizes.seen);
	bpf_map__set_max_entries(skeleton->maps.sums_0, kernel->sizes.rows);
	bpf_map__set_max_entries(skeleton->maps.sums_1, kernel->sizes.rows);
	bpf_map__set_max_entries(skeleton->maps.coarse_0, kernel->sizes.coarse_rows);
	bpf_map__set_max_entries(skeleton->maps.coarse_1, kernel->sizes.coarse_rows);
	bpf_map__set_max_entries(skeleton->maps.records, kernel->sizes.ring_bytes);
	chains_configure(skeleton, options, kernel->depth, &kernel->sizes, symbols);
	configure_unwinding(kernel, options);
	if (!options->sample_hz)
		bpf_program__set_autoload(skeleton->progs.on_sample, false);
	int error = configure_namespace(skeleton, options, why);
	return error ? error : configure_target(skeleton, options, why);
}
