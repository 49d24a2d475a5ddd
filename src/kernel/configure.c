// SPDX-License-Identifier: GPL-2.0-or-later
/* Everything that has to be said before the programs are loaded, but what follows wakers. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "host/cgroup.h"
#include "host/proc_text.h"
#include "kernel/direct_map.h"
#include "kernel/event_attach.h"
#include "kernel/glob.h"
#include "kernel/configure_awaited.h"
#include "kernel/configure_chains.h"
#include "kernel/lessons.h"
#include "kernel/private.h"
#include "kernel/programs.h"
#include "kernel/uprobes.h"
#include "dwell.skel.h"
#include "util/clock.h"

/* Room for 5,000 requests; they are read as they come. */
#define WANTS_BYTES (256 << 10)
/* As many as the programs have room for: they take no more. */
#define GATHERED_MOST 256

/* The initial pid namespace's fixed number (PROC_PID_INIT_INO). */
#define INITIAL_PID_NAMESPACE 0xEFFFFFFCU

static int configure_namespace(const struct kernel *kernel, struct why *why)
{
	struct dwell *skeleton = kernel->skeleton;
	struct stat status;

	if (stat("/proc/self/ns/pid", &status))
		return why_set(why, -errno, "cannot read /proc/self/ns/pid; mount /proc");
	if (status.st_ino != INITIAL_PID_NAMESPACE)
		skeleton->rodata->cfg_pid_namespace = (uint32_t)status.st_ino;
	skeleton->rodata->cfg_self_pid = (uint32_t)getpid();
	skeleton->rodata->cfg_command_pid = kernel->options->command_pid;
	return 0;
}

static int configure_target(const struct kernel *kernel, struct why *why)
{
	const struct capture_options *options = kernel->options;
	struct dwell *skeleton = kernel->skeleton;
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

int kernel_make_map(struct bpf_map *map, int inner_fd)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = bpf_map__map_flags(map),
		.inner_map_fd = inner_fd < 0 ? 0 : (uint32_t)inner_fd);
	_cleanup_close_ int fd =
		bpf_map_create(bpf_map__type(map), bpf_map__name(map), bpf_map__key_size(map),
			bpf_map__value_size(map), bpf_map__max_entries(map), &options);

	return fd < 0 ? fd : bpf_map__reuse_fd(map, fd);
}

/* The table of all chunks, which is told by one what they are like. */
static int make_chunk_table(struct bpf_map *map)
{
	LIBBPF_OPTS(bpf_map_create_opts, chunk, .map_flags = BPF_F_MMAPABLE);
	_cleanup_close_ int like = bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_chunk",
		sizeof(uint32_t), UNWIND_CHUNK_BYTES, 1, &chunk);

	return like < 0 ? like : kernel_make_map(map, like);
}

int kernel_make_unwind_tables(struct kernel *kernel)
{
	struct dwell *skeleton = kernel->skeleton;
	const struct table_sizes *most = &kernel->most;
	struct bpf_map *made[] = {skeleton->maps.unwind_rules, skeleton->maps.unwind_processes,
		skeleton->maps.unwind_wants};
	int error;

	if (kernel->options->user_stacks != USER_STACKS_TABLE) {
		bpf_map__set_autocreate(skeleton->maps.unwind_steps, false);
		sizes_drop_unwinding(&kernel->sizes);
		sizes_drop_unwinding(&kernel->most);
		return 0;
	}
	skeleton->rodata->cfg_page_chunks = most->unwind_row_chunks;
	skeleton->rodata->cfg_vma_chunks = most->unwind_row_chunks + most->unwind_page_chunks;
	bpf_map__set_max_entries(skeleton->maps.unwind_chunks,
		most->unwind_row_chunks + most->unwind_page_chunks + most->unwind_vma_chunks);
	bpf_map__set_max_entries(skeleton->maps.unwind_rules, UNWIND_MAX_RULES);
	bpf_map__set_max_entries(skeleton->maps.unwind_processes, kernel->sizes.unwind_processes);
	bpf_map__set_max_entries(skeleton->maps.unwind_wants, WANTS_BYTES);
	bpf_map__set_max_entries(skeleton->maps.repairs, KERNEL_MAX_REPAIRS);
	error = make_chunk_table(skeleton->maps.unwind_chunks);
	for (size_t i = 0; i < ARRAY_SIZE(made) && !error; i++)
		error = kernel_make_map(made[i], -1);
	return error;
}

/* Where many places can be one link, programs are loaded for that. */
static void load_for_multi(struct kernel *kernel)
{
	struct dwell *skeleton = kernel->skeleton;
	struct bpf_program *programs[] = {skeleton->progs.on_call, skeleton->progs.on_block,
		skeleton->progs.on_block_freed, skeleton->progs.on_block_untracked,
		skeleton->progs.on_allocator, skeleton->progs.on_allocate,
		skeleton->progs.on_allocated, skeleton->progs.on_allocate_only,
		skeleton->progs.on_free, skeleton->progs.on_allocator_call};

	kernel->has_multi = uprobes_have_multi();
	for (size_t i = 0; i < ARRAY_SIZE(programs) && kernel->has_multi; i++)
		uprobes_load_for_multi(programs[i]);
}

/* What programs that can be interrupted share. */
static void configure_claims(struct kernel *kernel)
{
	struct dwell *skeleton = kernel->skeleton;

	memcpy((void *)skeleton->rodata->cfg_event_rules, kernel->plan.rules,
		sizeof(kernel->plan.rules));
	load_for_multi(kernel);
	bpf_map__set_max_entries(skeleton->maps.cpus, CPU_LEVELS + CONTRACT_EVENT_SLOTS);
	bpf_map__set_max_entries(skeleton->maps.walks,
		bpf_map__max_entries(skeleton->maps.walks) + CONTRACT_EVENT_SLOTS);
}

/* Beyond seven eighths only rows without stacks are made, of which there are few. */
static void configure_events(struct kernel *kernel)
{
	struct dwell *skeleton = kernel->skeleton;
	uint32_t rows = kernel->sizes.event_rows;

	bool has_allocations = kernel->options->memory.has_allocations;

	bpf_map__set_autocreate(skeleton->maps.allocations, has_allocations);
	bpf_map__set_autocreate(skeleton->maps.allocators, has_allocations);
	bpf_map__set_autocreate(skeleton->maps.allocating_threads, has_allocations);
	bpf_map__set_autocreate(skeleton->maps.growing_threads, kernel->options->memory.has_growth);
	if (kernel_has_claims(kernel))
		configure_claims(kernel);
	kernel_configure_calls(kernel);
	if (!kernel->options->event_count)
		return;
	kernel_configure_memory(kernel);
	skeleton->rodata->cfg_event_rows = rows - rows / 8;
	skeleton->rodata->cfg_event_seen_mask = kernel->sizes.event_seen - 1;
	bpf_map__set_max_entries(skeleton->maps.event_seen, kernel->sizes.event_seen);
	bpf_map__set_max_entries(skeleton->maps.event_records, kernel->sizes.event_ring_bytes);
	bpf_map__set_max_entries(skeleton->maps.events_0, rows);
	bpf_map__set_max_entries(skeleton->maps.events_1, rows);
}

/* The kernel bounds what its unwinder gives. */
static void set_max_frames(struct dwell *skeleton)
{
	int64_t frames;

	if (!proc_text_read_number("/proc/sys/kernel/perf_event_max_stack", &frames) &&
		frames < CONTRACT_MAX_FRAMES)
		skeleton->rodata->cfg_max_frames = (uint32_t)frames;
}

/* What all CPUs let go at once when tables are flipped must find room in a half full one. */
static uint32_t gathered_rows(const struct kernel *kernel)
{
	uint32_t room = kernel->sizes.rows / 8 / (uint32_t)kernel->cpus, rows = 1;

	while (rows * 2 <= room && rows < GATHERED_MOST)
		rows *= 2;
	return rows;
}

static int read_types(void *context)
{
	struct kernel *kernel = context;

	kernel->types = btf__load_vmlinux_btf();
	return 0;
}

void kernel_read_types(struct kernel *kernel)
{
	background_begin(&kernel->type_reader, read_types, kernel);
}

void kernel_forget_types(struct kernel *kernel)
{
	background_end(&kernel->type_reader);
	btf__free(kernel->types);
	kernel->types = NULL;
}

int kernel_configure(struct kernel *kernel, struct why *why)
{
	const struct capture_options *options = kernel->options;
	struct dwell *skeleton = kernel->skeleton;
	unsigned int uses = USE_BOOKS | USE_QUEUES | (options->sample_hz ? USE_SAMPLES : 0) |
			    (options->user_stacks == USER_STACKS_TABLE ? USE_SLEEPERS : 0) |
			    events_uses(options->events, options->event_count) |
			    memory_uses(&options->memory) | calls_uses(&kernel->calls);

	skeleton->rodata->cfg_user_threads = options->has_user_threads;
	skeleton->rodata->cfg_kernel_threads = options->has_kernel_threads;
	skeleton->rodata->cfg_user_stacks = options->user_stacks;
	skeleton->rodata->cfg_stacks = options->has_stacks;
	skeleton->rodata->cfg_time_stacks = options->has_time_stacks;
	skeleton->rodata->cfg_skip_self = !options->has_self;
	skeleton->rodata->cfg_slice_ns = options->slice_ns;
	skeleton->rodata->cfg_min_wait_ns = options->min_wait_ns;
	skeleton->rodata->cfg_max_wait_ns = options->max_wait_ns;
	set_max_frames(skeleton);
	background_end(&kernel->type_reader);
	direct_map_configure(skeleton, kernel->has_loads);
	skeleton->rodata->cfg_audit_every = options->audit_every;
	skeleton->rodata->cfg_has_budget =
		options->budget > 0 && options->has_stacks && options->has_time_stacks;
	skeleton->rodata->cfg_burst_seed = clock_monotonic_ns();
	skeleton->rodata->cfg_seen_mask = kernel->sizes.seen - 1;
	skeleton->rodata->cfg_ring_for_stacks = kernel->sizes.ring_bytes / 4 * 3;
	bpf_map__set_max_entries(skeleton->maps.seen, kernel->sizes.seen);
	skeleton->rodata->cfg_gathered_mask = gathered_rows(kernel) - 1;
	bpf_map__set_max_entries(skeleton->maps.records, kernel->sizes.ring_bytes);
	uses |= chains_configure(skeleton, options, kernel->depth, &kernel->sizes);
	uses |= awaited_configure(skeleton, options, &kernel->sizes);
	if (!lessons_configure(skeleton, options, kernel->sizes.lesson_ring_bytes))
		kernel->sizes.lesson_ring_bytes = 0;
	uses |= kernel->sizes.lesson_ring_bytes ? USE_RULES : 0;
	configure_events(kernel);
	kernel->uses = uses;
	programs_choose(skeleton->obj, uses, kernel->types);
	kernel_forget_types(kernel);
	int error = configure_namespace(kernel, why);
	return error ? error : configure_target(kernel, why);
}
