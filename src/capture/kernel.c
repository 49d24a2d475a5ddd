// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads, configures and talks to the programs of bpf/. Tables come in pairs: `active` is the one
 * that the programs fill. Flipping makes the other one active, waits until nobody can still be
 * writing to the old one, and empties it.
 */
#include "capture/kernel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "capture/cgroup.h"
#include "capture/glob.h"
#include "capture/kernel_chains.h"
#include "capture/sizes.h"
#include "dwell.skel.h"
#include "util/clock.h"

#define BATCH_ROWS 8192
/* Room for 5,000 requests; they are read as they come. */
#define WANTS_BYTES (256 << 10)

struct kernel {
	struct dwell *skeleton;
	struct table_sizes sizes;
	uint32_t sample_hz;
	const char *sample_event;
	int cpus;
	int active;
	struct unwind_areas areas; /* mapped when first asked for */
	VEC(struct bpf_link *) links;
	struct sum_key *keys; /* BATCH_ROWS */
	struct sum *sums;
	uint32_t depth;
	char *waits; /* BATCH_ROWS values */
};

static int drop_print(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level != LIBBPF_WARN || !getenv("DWELL_DEBUG"))
		return 0;
	return vfprintf(stderr, format, args);
}

/* The initial pid namespace's fixed number (PROC_PID_INIT_INO). */
#define INITIAL_PID_NAMESPACE 0xEFFFFFFCU

static int configure_namespace(struct dwell *skeleton, struct why *why)
{
	struct stat status;

	if (stat("/proc/self/ns/pid", &status))
		return why_set(why, -errno, "cannot read /proc/self/ns/pid; mount /proc");
	if (status.st_ino != INITIAL_PID_NAMESPACE)
		skeleton->rodata->cfg_pid_namespace = (uint32_t)status.st_ino;
	skeleton->rodata->cfg_self_pid = (uint32_t)getpid();
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

static int configure(struct kernel *kernel, const struct capture_options *options,
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
	int error = configure_namespace(skeleton, why);
	return error ? error : configure_target(skeleton, options, why);
}

static int load(struct kernel *kernel, const struct capture_options *options, struct why *why)
{
	int error = dwell__load(kernel->skeleton);
	uint8_t yes = 1;

	if (error == -ENOMEM)
		return why_set(
			why, error, "no memory for the tables; give them less: --memory 64M");
	if (error == -EPERM || error == -EACCES)
		return why_set(
			why, -EPERM, "the kernel refuses to load the programs; see dwell check");
	if (error)
		return why_set(why, -ENOTSUP,
			"the kernel cannot run the programs (%s); see dwell check, or "
			"DWELL_DEBUG=1 for the kernel's words",
			strerror(-error));
	for (size_t i = 0; i < options->id_count; i++)
		bpf_map__update_elem(kernel->skeleton->maps.target_ids, &options->ids[i],
			sizeof(uint32_t), &yes, sizeof(yes), BPF_ANY);
	return 0;
}

int kernel_new(const struct capture_options *options, const struct kernel_symbols *symbols,
	struct kernel **ret, struct why *why)
{
	struct kernel *kernel = xcalloc(1, sizeof(*kernel));
	int error;

	libbpf_set_print(drop_print);
	kernel->cpus = libbpf_num_possible_cpus();
	kernel->sample_hz = options->sample_hz;
	kernel->sample_event = "";
	kernel->depth = options->has_stacks ? options->depth : 0;
	kernel->sizes = sizes_of_memory(options->memory_bytes, kernel->depth);
	kernel->waits = xcalloc(BATCH_ROWS, kernel->sizes.wait_bytes + 1);
	kernel->keys = xcalloc(BATCH_ROWS, sizeof(*kernel->keys));
	kernel->sums = xcalloc(BATCH_ROWS, sizeof(*kernel->sums));
	kernel->skeleton = dwell__open();
	if (!kernel->skeleton)
		error = why_set(why, -ENOTSUP, "cannot open the programs: %s; see dwell check",
			strerror(errno));
	else
		error = configure(kernel, options, symbols, why);
	if (!error)
		error = load(kernel, options, why);
	if (error) {
		kernel_free(kernel);
		return error;
	}
	*ret = kernel;
	return 0;
}

void kernel_detach(struct kernel *kernel)
{
	vec_each (link, &kernel->links)
		bpf_link__destroy(*link);
	vec_clear(&kernel->links);
}

static size_t map_bytes(const struct bpf_map *map)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map);

	return (bytes + page - 1) / page * page;
}

static void *map_array(const struct bpf_map *map)
{
	void *at =
		mmap(NULL, map_bytes(map), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return at == MAP_FAILED ? NULL : at;
}

static void unmap_areas(struct kernel *kernel)
{
	struct unwind_areas *areas = &kernel->areas;

	if (areas->rows)
		munmap(areas->rows, map_bytes(kernel->skeleton->maps.unwind_rows));
	if (areas->pages)
		munmap(areas->pages, map_bytes(kernel->skeleton->maps.unwind_pages));
	if (areas->rules)
		munmap(areas->rules, map_bytes(kernel->skeleton->maps.unwind_rules));
	if (areas->vmas)
		munmap(areas->vmas, map_bytes(kernel->skeleton->maps.unwind_vmas));
}

int kernel_unwind_areas(struct kernel *kernel, struct unwind_areas *ret, struct why *why)
{
	struct dwell *skeleton = kernel->skeleton;
	struct unwind_areas *areas = &kernel->areas;

	if (!kernel->sizes.unwind_row_blocks)
		return -ENOTSUP;
	if (!areas->rows) {
		areas->rows = map_array(skeleton->maps.unwind_rows);
		areas->pages = map_array(skeleton->maps.unwind_pages);
		areas->rules = map_array(skeleton->maps.unwind_rules);
		areas->vmas = map_array(skeleton->maps.unwind_vmas);
		areas->row_room = kernel->sizes.unwind_row_blocks * UNWIND_BLOCK_WORDS;
		areas->page_room = kernel->sizes.unwind_page_blocks * UNWIND_BLOCK_WORDS;
		areas->rule_room = UNWIND_MAX_RULES;
		areas->vma_room = kernel->sizes.unwind_vma_blocks * UNWIND_BLOCK_VMAS;
		areas->processes_fd = bpf_map__fd(skeleton->maps.unwind_processes);
	}
	if (!areas->rows || !areas->pages || !areas->rules || !areas->vmas)
		return why_set(why, -ENOMEM, "cannot map the unwind tables: %s", strerror(errno));
	*ret = *areas;
	return 0;
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
	unmap_areas(kernel);
	dwell__destroy(kernel->skeleton);
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

static int open_clock(uint32_t type, uint64_t config, uint32_t hz, int cpu)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
		.type = type,
		.config = config,
		.freq = 1,
		.sample_freq = hz,
		.sample_type = PERF_SAMPLE_IP};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* One sampling event for each CPU that is online: hardware cycles if there is a PMU. */
static int attach_samples(struct kernel *kernel, struct why *why)
{
	uint32_t type = PERF_TYPE_HARDWARE;
	uint64_t config = PERF_COUNT_HW_CPU_CYCLES;
	int probe = open_clock(type, config, kernel->sample_hz, 0);

	kernel->sample_event = "cycles";
	if (probe >= 0) {
		close(probe);
	} else {
		type = PERF_TYPE_SOFTWARE;
		config = PERF_COUNT_SW_CPU_CLOCK;
		kernel->sample_event = "cpu-clock";
	}
	for (int cpu = 0; cpu < kernel->cpus; cpu++) {
		int fd = open_clock(type, config, kernel->sample_hz, cpu);
		if (fd < 0 && (errno == ENODEV || errno == ENXIO))
			continue;
		struct bpf_link *link = fd < 0 ? NULL
					       : bpf_program__attach_perf_event(
							 kernel->skeleton->progs.on_sample, fd);
		if (!link) {
			int error = errno;
			if (fd >= 0)
				close(fd);
			return why_set(why, error == EACCES ? -EPERM : -ENOTSUP,
				"cannot sample CPU %d: %s; see dwell check, or record without: -F "
				"0",
				cpu, strerror(error));
		}
		vec_push(&kernel->links, link);
	}
	return 0;
}

int kernel_attach(struct kernel *kernel, struct why *why)
{
	struct dwell *skeleton = kernel->skeleton;
	/* Births last: a thread that is announced as new must not die unseen. */
	struct bpf_program *const programs[] = {skeleton->progs.on_switch,
		skeleton->progs.on_waking, skeleton->progs.on_rename, skeleton->progs.on_exec,
		skeleton->progs.on_new_thread};
	struct bpf_program *optional;

	/* What names wakers, before there are wakes to name. */
	for (size_t i = 0; (optional = chains_program(skeleton, i)); i++) {
		int error = bpf_program__autoload(optional) ? attach(kernel, optional, why) : 0;
		if (error)
			return error;
	}
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		int error = attach(kernel, programs[i], why);
		if (error)
			return error;
	}
	return kernel->sample_hz ? attach_samples(kernel, why) : 0;
}

const char *kernel_sample_event(const struct kernel *kernel)
{
	return kernel->sample_event;
}

uint64_t kernel_table_bytes(const struct kernel *kernel)
{
	return sizes_bytes(&kernel->sizes);
}

int kernel_records_fd(const struct kernel *kernel)
{
	return bpf_map__fd(kernel->skeleton->maps.records);
}

/* Opens a task iterator; a negative errno if that fails. */
static int open_iterator(struct bpf_program *program)
{
	struct bpf_link *link = bpf_program__attach_iter(program, NULL);

	if (!link)
		return -errno;
	int fd = bpf_iter_create(bpf_link__fd(link));
	int error = -errno;
	bpf_link__destroy(link);
	return fd < 0 ? error : fd;
}

/* Reads rows of `size` bytes to the end of the file; reads may end within a row. */
static int read_rows(
	int fd, size_t size, void (*each)(void *context, const void *row), void *context)
{
	char bytes[64 * sizeof(struct thread_now)];
	size_t held = 0;

	for (;;) {
		ssize_t got = read(fd, bytes + held, sizeof(bytes) - held);

		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (got <= 0)
			return got < 0 ? -errno : 0;
		held += (size_t)got;
		size_t whole = held / size * size;
		for (size_t at = 0; at < whole; at += size)
			each(context, bytes + at);
		held -= whole;
		memmove(bytes, bytes + whole, held);
	}
}

struct start_reader {
	void (*each)(void *context, const struct record_thread *thread);
	void *context;
};

static void give_thread(void *context, const void *row)
{
	const struct start_reader *reader = context;
	struct record_thread thread;

	memcpy(&thread, row, sizeof(thread));
	reader->each(reader->context, &thread);
}

int kernel_read_start(struct kernel *kernel,
	void (*each)(void *context, const struct record_thread *thread), void *context,
	struct why *why)
{
	_cleanup_close_ int fd = open_iterator(kernel->skeleton->progs.on_start);
	struct start_reader reader = {.each = each, .context = context};
	int error = fd < 0 ? fd : read_rows(fd, sizeof(struct record_thread), give_thread, &reader);

	if (error)
		return why_set(why, fd < 0 ? -ENOTSUP : error,
			"cannot iterate over threads: %s; see dwell check", strerror(-error));
	return 0;
}

static void keep_thread(void *context, const void *row)
{
	kernel_threads *threads = context;
	struct thread_now now;

	memcpy(&now, row, sizeof(now));
	vec_push(threads, now);
}

int kernel_read_threads(struct kernel *kernel, kernel_threads *ret)
{
	_cleanup_close_ int fd = open_iterator(kernel->skeleton->progs.on_read);

	return fd < 0 ? fd : read_rows(fd, sizeof(struct thread_now), keep_thread, ret);
}

static void keep_sleeper(void *context, const void *row)
{
	kernel_sleepers *sleepers = context;
	struct record_sleeper sleeper;

	memcpy(&sleeper, row, sizeof(sleeper));
	vec_push(sleepers, sleeper);
}

int kernel_read_sleepers(struct kernel *kernel, kernel_sleepers *ret)
{
	_cleanup_close_ int fd = open_iterator(kernel->skeleton->progs.on_sleepers);

	return fd < 0 ? fd : read_rows(fd, sizeof(struct record_sleeper), keep_sleeper, ret);
}

int kernel_repair(struct kernel *kernel, const struct repair *repairs, const uint32_t *threads,
	size_t count, void (*each)(void *context, const void *serial), void *context)
{
	int map = bpf_map__fd(kernel->skeleton->maps.repairs);

	for (size_t i = 0; i < count; i++)
		bpf_map_update_elem(map, &threads[i], &repairs[i], BPF_ANY);
	_cleanup_close_ int fd = open_iterator(kernel->skeleton->progs.on_repair);
	int error = fd < 0 ? fd : read_rows(fd, sizeof(uint32_t), each, context);
	for (size_t i = 0; i < count; i++)
		bpf_map_delete_elem(map, &threads[i]);
	return error;
}

uint32_t kernel_lacking(const struct kernel *kernel)
{
	return __atomic_load_n(&kernel->skeleton->bss->stacks_lacking, __ATOMIC_RELAXED);
}

void kernel_set_window(struct kernel *kernel, uint64_t start_ns, uint64_t end_ns)
{
	__atomic_store_n(&kernel->skeleton->data->window_end, end_ns, __ATOMIC_SEQ_CST);
	__atomic_store_n(&kernel->skeleton->data->window_start, start_ns, __ATOMIC_SEQ_CST);
}

int kernel_barrier(struct kernel *kernel)
{
	int fd = bpf_program__fd(kernel->skeleton->progs.on_barrier);

	for (int cpu = 0; cpu < kernel->cpus; cpu++) {
		LIBBPF_OPTS(bpf_test_run_opts, run, .flags = BPF_F_TEST_RUN_ON_CPU,
			.cpu = (uint32_t)cpu);
		int error = bpf_prog_test_run_opts(fd, &run);
		/* A CPU that is offline runs nothing. */
		if (error && error != -ENXIO)
			return error;
	}
	return 0;
}

double kernel_fill(const struct kernel *kernel)
{
	const volatile uint64_t *used = (const volatile uint64_t *)kernel->skeleton->bss->rows_used;
	const volatile uint64_t *waits =
		(const volatile uint64_t *)kernel->skeleton->bss->waits_used;
	double rows_fill = (double)used[kernel->active] / (double)kernel->sizes.rows;
	double waits_fill =
		kernel->depth ? (double)waits[kernel->active] / (double)kernel->sizes.wait_rows : 0;

	return rows_fill > waits_fill ? rows_fill : waits_fill;
}

/* Moves all rows of a table to the end of `rows`. */
static int drain(struct kernel *kernel, struct bpf_map *table, kernel_rows *rows)
{
	int fd = bpf_map__fd(table);
	uint32_t position = 0;
	void *from = NULL;
	int error;

	do {
		uint32_t count = BATCH_ROWS;
		error = bpf_map_lookup_and_delete_batch(
			fd, from, &position, kernel->keys, kernel->sums, &count, NULL);
		if (error && error != -ENOENT)
			return error;
		vec_reserve(rows, rows->count + count);
		for (uint32_t i = 0; i < count; i++) {
			struct kernel_row row = {.key = kernel->keys[i], .sum = kernel->sums[i]};
			vec_push(rows, row);
		}
		from = &position;
	} while (!error);
	return 0;
}

/* Moves all rows of a table of waits to the end of `waits`: length of the value, key, value. */
static int drain_waits(struct kernel *kernel, struct bpf_map *table, kernel_waits *waits)
{
	uint64_t bytes = kernel->sizes.wait_bytes;
	int fd = bpf_map__fd(table);
	uint32_t position = 0;
	void *from = NULL;
	int error;

	do {
		uint32_t count = BATCH_ROWS;
		error = bpf_map_lookup_and_delete_batch(
			fd, from, &position, kernel->keys, kernel->waits, &count, NULL);
		if (error && error != -ENOENT)
			return error;
		for (uint32_t i = 0; i < count; i++) {
			vec_append(waits, (const char *)&bytes, sizeof(bytes));
			vec_append(waits, (const char *)&kernel->keys[i], sizeof(*kernel->keys));
			vec_append(waits, kernel->waits + i * bytes, bytes);
		}
		from = &position;
	} while (!error);
	return 0;
}

bool kernel_next_wait(const kernel_waits *waits, size_t *offset, struct kernel_wait *ret)
{
	uint64_t bytes;

	if (*offset + sizeof(bytes) + sizeof(ret->key) > waits->count)
		return false;
	memcpy(&bytes, waits->at + *offset, sizeof(bytes));
	*offset += sizeof(bytes);
	memcpy(&ret->key, waits->at + *offset, sizeof(ret->key));
	*offset += sizeof(ret->key);
	memset(&ret->row, 0, sizeof(ret->row));
	memcpy(&ret->row, waits->at + *offset, bytes);
	*offset += bytes;
	return true;
}

int kernel_flip(struct kernel *kernel, kernel_rows *rows, kernel_waits *waits, uint64_t *ret_ns)
{
	struct dwell *skeleton = kernel->skeleton;
	int old = kernel->active;

	kernel->active = !old;
	__atomic_store_n(&skeleton->bss->active_table, (uint32_t)!old, __ATOMIC_SEQ_CST);
	*ret_ns = clock_monotonic_ns();
	int error = kernel_barrier(kernel);
	if (!error)
		error = drain(kernel, old ? skeleton->maps.sums_1 : skeleton->maps.sums_0, rows);
	if (!error)
		error = drain(
			kernel, old ? skeleton->maps.coarse_1 : skeleton->maps.coarse_0, rows);
	if (!error && kernel->depth)
		error = drain_waits(
			kernel, old ? skeleton->maps.waits_1 : skeleton->maps.waits_0, waits);
	skeleton->bss->rows_used[old] = 0;
	skeleton->bss->waits_used[old] = 0;
	return error;
}

void kernel_counters(const struct kernel *kernel, uint64_t ret[static COUNTERS])
{
	struct bpf_map *map = kernel->skeleton->maps.cpus;
	size_t each = (bpf_map__value_size(map) + 7) / 8;
	_cleanup_free_ uint64_t *values = xcalloc((size_t)kernel->cpus * each, sizeof(uint64_t));
	uint32_t zero = 0;

	memset(ret, 0, COUNTERS * sizeof(*ret));
	if (bpf_map__lookup_elem(map, &zero, sizeof(zero), values,
		    (size_t)kernel->cpus * each * sizeof(uint64_t), 0))
		return;
	/* The counters are the first thing in each CPU's block. */
	for (int cpu = 0; cpu < kernel->cpus; cpu++)
		for (size_t i = 0; i < COUNTERS; i++)
			ret[i] += values[(size_t)cpu * each + i];
}
