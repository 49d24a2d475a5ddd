// SPDX-License-Identifier: GPL-2.0-or-later
/* Loads, attaches and unloads the programs of bpf/, and the small things that are said to them. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>

#include "kernel/configure_chains.h"
#include "kernel/direct_map.h"
#include "kernel/lessons.h"
#include "kernel/makers.h"
#include "kernel/open.h"
#include "kernel/private.h"
#include "kernel/programs.h"
#include "kernel/target_threads.h"
#include "dwell.skel.h"
#include "util/clock.h"
#include "util/urgency.h"

/* A program and its subprograms; the kernel allows 256 (BPF_MAX_SUBPROGS). */
#define CODE_PARTS 256

static int drop_print(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level != LIBBPF_WARN || !getenv("DWELL_DEBUG"))
		return 0;
	return vfprintf(stderr, format, args);
}

static int say_failure(const struct capture_options *options, int error, struct why *why)
{
	if (error == -ENOMEM)
		return why_set(why, error,
			"the kernel has no memory for the tables; give them less: --memory %lluM",
			(unsigned long long)(options->memory_bytes / 2 > CAPTURE_MIN_MEMORY
						     ? options->memory_bytes / 2 >> 20
						     : CAPTURE_MIN_MEMORY >> 20));
	if (error == -EPERM || error == -EACCES)
		return why_set(
			why, -EPERM, "the kernel refuses to load the programs; see dwell check");
	return why_set(why, -ENOTSUP,
		"the kernel cannot run the programs (%s); see dwell check, or "
		"DWELL_DEBUG=1 for the kernel's words",
		strerror(-error));
}

/*
 * A thread's first wake is seen by on_first_wake, which leaves it to on_waking. Should a kernel
 * think that they are of different kinds, only the causes of births are missing.
 */
static void join_wakes(const struct dwell *skeleton)
{
	struct bpf_program *first = skeleton->progs.on_first_wake;
	int waking = bpf_program__fd(skeleton->progs.on_waking), zero = 0;

	if (bpf_program__fd(first) >= 0 && bpf_map__update_elem(skeleton->maps.wake_programs, &zero,
						   sizeof(zero), &waking, sizeof(waking), BPF_ANY))
		bpf_program__unload(first);
}

static int load(struct kernel *kernel, const struct capture_options *options, struct why *why)
{
	int error = dwell__load(kernel->skeleton);
	uint8_t yes = 1;

	if (error)
		return say_failure(options, error, why);
	join_wakes(kernel->skeleton);
	for (size_t i = 0; i < options->id_count && !error; i++)
		error = bpf_map__update_elem(kernel->skeleton->maps.target_ids, &options->ids[i],
			sizeof(uint32_t), &yes, sizeof(yes), BPF_ANY);
	return error ? why_set(why, error, "cannot tell the kernel side its targets: %s",
			       strerror(-error))
		     : 0;
}

static int start_lessons(
	struct kernel *kernel, const struct kernel_symbols *symbols, struct why *why)
{
	int error = lessons_new(kernel->skeleton, symbols, &kernel->text, &kernel->lessons);

	return error ? why_set(why, error, "cannot map the tables of kernel stacks: %s",
			       strerror(-error))
		     : 0;
}

void kernel_learn(struct kernel *kernel)
{
	if (kernel->lessons)
		lessons_take(kernel->lessons);
}

/* Those who have CAP_SYS_ADMIN without CAP_BPF have nobody left who could make tables. */
static bool can_grow(struct helpers *makers)
{
	const struct makers_order order = {.rows = 1, .bytes = sizeof(struct sum)};
	int fd = makers ? makers_make(makers, &order) : -1;

	mem_close_fd(&fd);
	return fd >= 0;
}

/*
 * What somebody asks for is there from the start, and so is all where nothing can grow: of what is
 * usual a target may need a part.
 */
static void set_sizes(struct kernel *kernel)
{
	const struct capture_options *options = kernel->options;
	struct sizes_target target = {
		.cpus = (uint32_t)kernel->cpus, .threads = target_threads(options)};

	kernel->most =
		sizes_of_memory(options->memory_bytes, kernel->depth, options->event_count > 0);
	if (!options->has_awaited || !options->has_stacks)
		sizes_drop_awaited(&kernel->most);
	if (options->memory.has_allocations)
		sizes_add_allocations(&kernel->most, options->memory_bytes);
	if (options->calls.count)
		sizes_add_calls(
			&kernel->most, options->memory_bytes, kernel->depth, target.threads);
	kernel->sizes = kernel->most;
	if (!options->is_memory_asked && can_grow(kernel->makers))
		kernel->sizes = sizes_to_begin(&kernel->most, &target);
}

int kernel_new(const struct capture_options *options, struct helpers *makers, struct kernel **ret,
	struct why *why)
{
	struct kernel *kernel = xcalloc(1, sizeof(*kernel));
	int error = 0;

	libbpf_set_print(drop_print);
	kernel->cpus = libbpf_num_possible_cpus();
	kernel->sample_event = "";
	kernel->depth = options->has_stacks ? options->depth : 0;
	kernel->options = options;
	kernel->makers = makers;
	kernel->library_fd = -1;
	memset(kernel->sets, -1, sizeof(kernel->sets));
	for (int i = 0; i < KERNEL_SLOTS / 2 * TABLE_KINDS; i++)
		kernel->sets[i / TABLE_KINDS].rows[i % TABLE_KINDS] = 0;
	kernel->other_set = 1;
	set_sizes(kernel);
	kernel->waits = xcalloc(KERNEL_BATCH_ROWS, kernel->sizes.wait_bytes + 1);
	kernel->keys = xcalloc(KERNEL_BATCH_ROWS, sizeof(*kernel->keys));
	kernel->sums = xcalloc(KERNEL_BATCH_ROWS, sizeof(*kernel->sums));
	if (options->calls.count)
		kernel->call_values = xcalloc(KERNEL_BATCH_ROWS, sizeof(struct slow_sum));
	kernel_read_types(kernel);
	kernel->has_loads = programs_have_loads();
	kernel->skeleton = programs_open(kernel->has_loads);
	if (!kernel->skeleton)
		error = why_set(why, -ENOTSUP, "cannot open the programs: %s; see dwell check",
			strerror(errno));
	else if ((error = kernel_make_unwind_tables(kernel)) || (error = kernel_make_set(kernel)))
		error = say_failure(options, error, why);
	if (error) {
		kernel_free(kernel);
		return error;
	}
	*ret = kernel;
	return 0;
}

int kernel_load(struct kernel *kernel, struct why *why)
{
	int error = kernel_configure(kernel, why);

	if (!error)
		error = load(kernel, kernel->options, why);
	if (!error)
		direct_map_find(kernel->skeleton);
	return error;
}

int kernel_set_symbols(struct kernel *kernel, const struct kernel_symbols *symbols, struct why *why)
{
	struct dwell *skeleton = kernel->skeleton;

	kernel_text_find(symbols, &kernel->text);
	skeleton->data_text->text_schedule[0] = kernel->text.schedule.start;
	skeleton->data_text->text_schedule[1] = kernel->text.schedule.end;
	if (kernel->depth)
		kernel->uses &= ~chains_set_text(skeleton, kernel->options, &kernel->text);
	int error = kernel->sizes.lesson_ring_bytes ? start_lessons(kernel, symbols, why) : 0;
	if (!kernel->lessons)
		kernel->uses &= ~USE_RULES;
	programs_keep(skeleton->obj, kernel->uses);
	return error;
}

/* The kernel writes no more than the room it is given, and how many there were. */
static void add_program(int fd, struct own_code *ret)
{
	uint64_t starts[CODE_PARTS] = {0};
	uint32_t bytes[CODE_PARTS] = {0};
	struct bpf_prog_info info = {.jited_ksyms = (uintptr_t)starts,
		.nr_jited_ksyms = CODE_PARTS,
		.jited_func_lens = (uintptr_t)bytes,
		.nr_jited_func_lens = CODE_PARTS};
	uint32_t length = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &length))
		return;
	for (uint32_t i = 0; i < CODE_PARTS && i < info.nr_jited_ksyms; i++)
		own_code_add(ret, starts[i], bytes[i]);
}

void kernel_own_code(const struct kernel *kernel, struct own_code *ret)
{
	struct bpf_program *program;

	bpf_object__for_each_program(
		program, kernel->skeleton->obj) if (bpf_program__fd(program) >= 0)
		add_program(bpf_program__fd(program), ret);
}

static void *destroy_links(void *context)
{
	struct kernel *kernel = context;

	vec_each (link, &kernel->links)
		bpf_link__destroy(*link);
	vec_clear(&kernel->links);
	vec_each (fd, &kernel->link_fds)
		close(*fd);
	vec_clear(&kernel->link_fds);
	return NULL;
}

void kernel_begin_detach(struct kernel *kernel)
{
	if (!kernel->is_detaching)
		kernel->is_detaching =
			!pthread_create(&kernel->detacher, NULL, destroy_links, kernel);
	if (kernel->is_detaching)
		urgency_share(kernel->detacher);
}

void kernel_detach(struct kernel *kernel)
{
	if (kernel->is_detaching)
		pthread_join(kernel->detacher, NULL);
	kernel->is_detaching = false;
	destroy_links(kernel);
}

int kernel_wants_fd(const struct kernel *kernel)
{
	return bpf_map__fd(kernel->skeleton->maps.unwind_wants);
}

void kernel_set_tables_ready(struct kernel *kernel)
{
	__atomic_store_n(&kernel->skeleton->bss->tables_are_ready, 1, __ATOMIC_SEQ_CST);
}

void kernel_free(struct kernel *kernel)
{
	if (!kernel)
		return;
	kernel_detach(kernel);
	lessons_free(kernel->lessons);
	kernel_unmap_areas(kernel);
	kernel_free_sets(kernel);
	dwell__destroy(kernel->skeleton);
	event_plan_clear(&kernel->plan);
	call_plan_clear(&kernel->calls);
	free(kernel->call_values);
	kernel_free_memory(kernel);
	kernel_forget_types(kernel);
	free(kernel->keys);
	free(kernel->sums);
	free(kernel->waits);
	free(kernel);
}

static int attach(struct kernel *kernel, struct bpf_program *program, struct why *why)
{
	struct bpf_link *link = bpf_program__attach(program);

	if (!link)
		return why_set(why, -ENOTSUP, "cannot attach %s: %s; see dwell check",
			bpf_program__name(program), strerror(errno));
	vec_push(&kernel->links, link);
	return 0;
}

static int open_perf(struct perf_event_attr *attr, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int kernel_attach_perf(struct kernel *kernel, struct bpf_program *program,
	struct perf_event_attr *attr, uint64_t cookie, struct perf_failure *ret)
{
	LIBBPF_OPTS(bpf_perf_event_opts, options, .bpf_cookie = cookie);

	for (int cpu = 0; cpu < kernel->cpus; cpu++) {
		int fd = open_perf(attr, cpu);
		if (fd < 0 && (errno == ENODEV || errno == ENXIO))
			continue;
		struct bpf_link *link =
			fd < 0 ? NULL : bpf_program__attach_perf_event_opts(program, fd, &options);
		if (!link) {
			*ret = (struct perf_failure){.cpu = cpu, .error = errno};
			if (fd >= 0)
				close(fd);
			return ret->error == EACCES ? -EPERM : -ENOTSUP;
		}
		vec_push(&kernel->links, link);
	}
	return 0;
}

/* Hardware cycles if there is a PMU. */
static int attach_samples(struct kernel *kernel, struct why *why)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.freq = 1,
		.sample_freq = kernel->options->sample_hz,
		.sample_type = PERF_SAMPLE_IP};
	struct perf_failure failure;
	int error, probe = open_perf(&attr, 0);

	kernel->sample_event = "cycles";
	if (probe >= 0) {
		close(probe);
	} else {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
		kernel->sample_event = "cpu-clock";
	}
	error = kernel_attach_perf(kernel, kernel->skeleton->progs.on_sample, &attr, 0, &failure);
	return error ? why_set(why, error,
			       "cannot sample CPU %d: %s; see dwell check, or record without: -F 0",
			       failure.cpu, strerror(failure.error))
		     : 0;
}

int kernel_attach(struct kernel *kernel, struct why *why)
{
	struct bpf_program *program;
	size_t index = 0;
	int error = kernel_settle_set(kernel);

	if (!error)
		error = kernel_settle_areas(kernel);
	if (error)
		return why_set(why, error, "cannot put the tables in place: %s", strerror(-error));
	while ((program = programs_next(kernel->skeleton->obj, &index))) {
		error = attach(kernel, program, why);
		if (error)
			return error;
	}
	return kernel->options->sample_hz ? attach_samples(kernel, why) : 0;
}

const char *kernel_sample_event(const struct kernel *kernel)
{
	return kernel->sample_event;
}

uint64_t kernel_table_bytes(const struct kernel *kernel)
{
	const struct dwell *skeleton = kernel->skeleton;
	uint64_t of_cpu = bpf_map__value_size(skeleton->maps.gathered);
	struct table_sizes now = kernel->sizes;

	if (kernel->sizes.lesson_ring_bytes)
		of_cpu += bpf_map__value_size(skeleton->maps.lesson_rooms);
	now.unwind_row_chunks = kernel->chunked[UNWIND_ROWS].count;
	now.unwind_page_chunks = kernel->chunked[UNWIND_PAGES].count;
	now.unwind_vma_chunks = kernel->chunked[UNWIND_VMAS].count;
	/* While they grow there is a second set for a moment. */
	const struct table_set *set = &kernel->sets[!kernel->other_set];
	now.rows = set->rows[TABLE_SUMS];
	now.coarse_rows = set->rows[TABLE_COARSE];
	now.wait_rows = set->rows[TABLE_WAITS];
	return sizes_bytes(&now) + (uint64_t)kernel->cpus * of_cpu;
}

uint64_t kernel_mapped_bytes(const struct kernel *kernel)
{
	const struct table_sizes *sizes = &kernel->sizes;
	uint64_t chunks = 0, rings = sizes->ring_bytes + sizes->event_ring_bytes;

	for (size_t i = 0; i < UNWIND_AREAS; i++)
		chunks += kernel->chunked[i].count;
	if (kernel->lessons)
		rings += sizes->lesson_ring_bytes;
	if (sizes->unwind_processes)
		rings += bpf_map__max_entries(kernel->skeleton->maps.unwind_wants);
	/* A ring is mapped twice, one behind the other. */
	return chunks * UNWIND_CHUNK_BYTES + 2 * rings +
	       (chunks ? UNWIND_MAX_RULES * sizeof(struct unwind_rule) : 0);
}

int kernel_records_fd(const struct kernel *kernel)
{
	return bpf_map__fd(kernel->skeleton->maps.records);
}

int kernel_event_records_fd(const struct kernel *kernel)
{
	return kernel->options->event_count ? bpf_map__fd(kernel->skeleton->maps.event_records)
					    : -1;
}

uint32_t kernel_lacking(const struct kernel *kernel)
{
	return __atomic_load_n(&kernel->skeleton->bss->stacks_lacking, __ATOMIC_RELAXED);
}

/* Runs a program of the window, here and now. */
static int run_program(const struct bpf_program *program, uint64_t ahead_ns, uint64_t length_ns)
{
	uint64_t arguments[] = {ahead_ns, length_ns};
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = arguments, .ctx_size_in = sizeof(arguments));

	return bpf_prog_test_run_opts(bpf_program__fd(program), &run);
}

int kernel_open_window(struct kernel *kernel, uint64_t ahead_ns, uint64_t length_ns,
	uint64_t *ret_start_ns, struct why *why)
{
	int error = run_program(kernel->skeleton->progs.on_open, ahead_ns, length_ns);

	*ret_start_ns = __atomic_load_n(&kernel->skeleton->data->window_start, __ATOMIC_RELAXED);
	return error ? why_set(why, error, "cannot begin to record: %s", strerror(-error)) : 0;
}

int kernel_close_window(struct kernel *kernel, uint64_t ahead_ns, uint64_t *ret_end_ns)
{
	int error = run_program(kernel->skeleton->progs.on_close, ahead_ns, 0);

	*ret_end_ns =
		error ? clock_monotonic_ns()
		      : __atomic_load_n(&kernel->skeleton->data->window_end, __ATOMIC_RELAXED);
	return error;
}

/* Runs the barrier on a CPU, or here for one that is offline and runs nothing. */
static int run_barrier(const struct kernel *kernel, uint32_t cpu, uint64_t table)
{
	uint64_t arguments[] = {table, 0};
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = arguments, .ctx_size_in = sizeof(arguments),
		.flags = BPF_F_TEST_RUN_ON_CPU, .cpu = cpu);
	int fd = bpf_program__fd(kernel->skeleton->progs.on_barrier);
	int error = bpf_prog_test_run_opts(fd, &run);

	if (error != -ENXIO || !table)
		return error == -ENXIO ? 0 : error;
	arguments[1] = cpu + 1;
	run.flags = 0;
	run.cpu = 0;
	error = bpf_prog_test_run_opts(fd, &run);
	if (error)
		return error;
	/* It may have come back meanwhile. */
	arguments[1] = 0;
	run.flags = BPF_F_TEST_RUN_ON_CPU;
	run.cpu = cpu;
	error = bpf_prog_test_run_opts(fd, &run);
	return error == -ENXIO ? 0 : error;
}

/* On every CPU; rows that it has gathered go into the table, counted from 1, if that is not 0. */
static int run_on_all(struct kernel *kernel, uint64_t table)
{
	for (int cpu = 0; cpu < kernel->cpus; cpu++) {
		int error = run_barrier(kernel, (uint32_t)cpu, table);
		if (error)
			return error;
	}
	return 0;
}

int kernel_barrier(struct kernel *kernel)
{
	return run_on_all(kernel, 0);
}

int kernel_let_go(struct kernel *kernel, int table)
{
	return run_on_all(kernel, (uint64_t)table + 1);
}
