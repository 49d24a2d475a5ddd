// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs that follow memory: hooks of the preloaded library, functions of allocators in processes
 * that run already, and the system calls by which address spaces grow.
 */
#include "kernel/memory.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "contract/contract.h"
#include "dwell.skel.h"
#include "host/tracepoint.h"
#include "kernel/allocators.h"
#include "kernel/private.h"
#include "kernel/programs.h"
#include "kernel/uprobes.h"
#include "symbol/outside/outside.h"
#include "symbol/outside/parser.h"
#include "util/clock.h"
#include "util/units.h"

/* As many as a bucket of the table can have; what it has more of is an error. */
#define TAKEN_AT_ONCE 512

/* Of one trap, where it cannot be measured. */
#define USUAL_TRAP_NS 1000
#define USUAL_STEPPED_NS 10000

/* In the order in which they are attached: frees before what they would miss. */
enum memory_hook { HOOK_FREED, HOOK_UNTRACKED, HOOK_SAMPLED, HOOK_PROCESS };

static const char *const hook_names[MEMORY_HOOKS] = {
	[HOOK_FREED] = "dwell_free_sampled",
	[HOOK_UNTRACKED] = "dwell_alloc_untracked",
	[HOOK_SAMPLED] = ALLOCATION_HOOK,
	[HOOK_PROCESS] = "dwell_alloc_process",
};

static const char *const call_names[MEMORY_CALLS] = {
	[MEMORY_BRK] = "sys_exit_brk",
	[MEMORY_MMAP] = "sys_exit_mmap",
	[MEMORY_MUNMAP] = "sys_exit_munmap",
	[MEMORY_MREMAP] = "sys_exit_mremap",
};

static uint32_t measure_of(const struct capture_options *options, enum measure_kind kind)
{
	for (size_t i = 0; i < options->event_count; i++)
		if (options->events[i].measure == kind &&
			options->events[i].kind == EVENT_OF_MEMORY)
			return (uint32_t)i + 1;
	return 0;
}

unsigned int memory_uses(const struct memory_options *options)
{
	if (!options->has_allocations)
		return options->has_growth ? USE_GROWTH : 0;
	return (options->library ? USE_ALLOC_HOOKS : USE_ALLOC_CALLS) |
	       (options->has_growth ? USE_GROWTH : 0);
}

void kernel_configure_memory(struct kernel *kernel)
{
	const struct capture_options *options = kernel->options;
	struct dwell *skeleton = kernel->skeleton;

	skeleton->rodata->cfg_allocated_measure = measure_of(options, MEASURE_ALLOC);
	skeleton->rodata->cfg_freed_measure = measure_of(options, MEASURE_FREED);
	skeleton->rodata->cfg_growth_measure = measure_of(options, MEASURE_GROWTH);
	skeleton->rodata->cfg_shrink_measure = measure_of(options, MEASURE_SHRINK);
	skeleton->rodata->cfg_has_allocators = options->memory.library != NULL;
	skeleton->rodata->cfg_allocation_period = options->memory.period_bytes;
	if (options->memory.has_allocations)
		bpf_map__set_max_entries(skeleton->maps.allocations, kernel->sizes.allocations);
}

/* Our own library: it is read here, as our own program is. */
static int find_hooks(struct kernel *kernel, struct outside *outside, struct why *why)
{
	const char *path = kernel->options->memory.library;

	kernel->library_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (kernel->library_fd < 0)
		return why_set(why, -errno, "cannot open %s: %s", path, strerror(errno));
	for (size_t i = 0; i < MEMORY_HOOKS; i++) {
		int error = parser_function(outside->parsers, kernel->library_fd, hook_names[i],
			&kernel->hook_offsets[i]);
		if (error)
			return why_set(why, -EIO, "there is no %s in %s: %s", hook_names[i], path,
				strerror(-error));
	}
	return 0;
}

static int find_calls(struct kernel *kernel, struct why *why)
{
	struct tracepoint tracepoint = {0};
	int error = tracepoint_read("syscalls", "sys_enter_brk", &tracepoint, why);

	kernel->brk_id = tracepoint.id;
	tracepoint_clear(&tracepoint);
	for (size_t i = 0; i < MEMORY_CALLS && !error; i++) {
		error = tracepoint_read("syscalls", call_names[i], &tracepoint, why);
		kernel->call_ids[i] = tracepoint.id;
		tracepoint_clear(&tracepoint);
	}
	return error;
}

int kernel_find_memory(struct kernel *kernel, struct outside *outside, struct why *why)
{
	const struct memory_options *options = &kernel->options->memory;
	int error = 0;

	if (options->has_growth)
		error = find_calls(kernel, why);
	if (!error && options->has_allocations && options->library)
		error = find_hooks(kernel, outside, why);
	if (!error && options->has_allocations && !options->library)
		error = allocators_find(kernel->options->ids, kernel->options->id_count, outside,
			&kernel->allocators, why);
	return error;
}

static int attach_one(struct kernel *kernel, struct bpf_program *program, int fd, uint64_t offset,
	const char *name, struct why *why)
{
	struct uprobes probes = {.program = program, .fd = fd, .has_multi = kernel->has_multi};
	struct uprobe probe = {.offset = offset};

	vec_push(&probes.places, probe);
	int error = uprobes_attach(&probes, kernel, name, why);
	vec_clear(&probes.places);
	return error;
}

static int attach_hooks(struct kernel *kernel, struct why *why)
{
	struct bpf_program *programs[MEMORY_HOOKS] = {
		[HOOK_FREED] = kernel->skeleton->progs.on_block_freed,
		[HOOK_UNTRACKED] = kernel->skeleton->progs.on_block_untracked,
		[HOOK_SAMPLED] = kernel->skeleton->progs.on_block,
		[HOOK_PROCESS] = kernel->skeleton->progs.on_allocator,
	};
	int error = 0;

	for (size_t i = 0; i < MEMORY_HOOKS && !error; i++)
		error = attach_one(kernel, programs[i], kernel->library_fd, kernel->hook_offsets[i],
			hook_names[i], why);
	return error;
}

static struct bpf_program *program_of(const struct kernel *kernel, enum allocator_role role)
{
	switch (role) {
	case ALLOCATOR_FREES:
		return kernel->skeleton->progs.on_free;
	case ALLOCATOR_RETURNS:
		return kernel->skeleton->progs.on_allocated;
	case ALLOCATOR_CALLED:
		return kernel->skeleton->progs.on_allocate;
	default:
		return kernel->skeleton->progs.on_allocate_only;
	}
}

/* Of one file in one process, the places of one role. */
static int attach_role(struct kernel *kernel, const struct allocator *allocator,
	struct bpf_program *program, enum allocator_role role, bool is_counted, struct why *why)
{
	struct uprobes probes = {.program = program,
		.fd = allocator->fd,
		.is_return = role == ALLOCATOR_RETURNS,
		.has_multi = kernel->has_multi,
		.pid = allocator->pid};
	int error = 0;

	vec_each (place, &allocator->places)
		if (place->role == role) {
			struct uprobe probe = {.offset = place->offset,
				.cookie = is_counted ? place->is_dear : place->call};
			vec_push(&probes.places, probe);
		}
	if (probes.places.count)
		error = uprobes_attach(&probes, kernel, allocator->path, why);
	vec_clear(&probes.places);
	return error;
}

static int attach_allocators(struct kernel *kernel, struct why *why)
{
	int error = 0;

	for (unsigned int role = 0; role < ALLOCATOR_ROLES && !error; role++)
		vec_each (allocator, &kernel->allocators)
			if (!error)
				error = attach_role(kernel, allocator,
					program_of(kernel, (enum allocator_role)role),
					(enum allocator_role)role, false, why);
	return error;
}

static int attach_calls(struct kernel *kernel, struct why *why)
{
	int error =
		kernel_attach_tracepoint(kernel, kernel->skeleton->progs.on_brk, kernel->brk_id, 0);

	for (size_t i = 0; i < MEMORY_CALLS && !error; i++)
		error = kernel_attach_tracepoint(
			kernel, kernel->skeleton->progs.on_memory_call, kernel->call_ids[i], i);
	return error ? why_set(why, error,
			       "cannot watch how memory grows: %s; see dwell check, or record "
			       "without it",
			       strerror(-error))
		     : 0;
}

int kernel_attach_memory(struct kernel *kernel, struct why *why)
{
	const struct memory_options *options = &kernel->options->memory;
	int error = 0;

	if (options->has_growth)
		error = attach_calls(kernel, why);
	if (!error && options->has_allocations)
		error = options->library ? attach_hooks(kernel, why)
					 : attach_allocators(kernel, why);
	return error;
}

/* Of the links that were added since, detached again: they are the last ones. */
static void take_back(struct kernel *kernel, size_t links, size_t fds)
{
	while (kernel->links.count > links)
		bpf_link__destroy(kernel->links.at[--kernel->links.count]);
	while (kernel->link_fds.count > fds)
		close(kernel->link_fds.at[--kernel->link_fds.count]);
}

int kernel_count_allocator_calls(struct kernel *kernel, void (*wait)(void *context), void *context,
	struct allocator_calls *ret, struct why *why)
{
	const volatile __u64 *calls = &kernel->skeleton->bss->allocator_calls;
	const volatile __u64 *dear = &kernel->skeleton->bss->dear_allocator_calls;
	struct bpf_program *program = kernel->skeleton->progs.on_allocator_call;
	size_t links = kernel->links.count, fds = kernel->link_fds.count;
	struct allocator_calls before;
	int error = 0;

	/* Beginnings only: each of them would have its return. */
	for (unsigned int role = 0; role < ALLOCATOR_ROLES && !error; role++)
		vec_each (allocator, &kernel->allocators)
			if (!error && role != ALLOCATOR_RETURNS)
				error = attach_role(kernel, allocator, program,
					(enum allocator_role)role, true, why);
	before = (struct allocator_calls){*calls, *dear};
	if (!error)
		wait(context);
	*ret = (struct allocator_calls){*calls - before.all, *dear - before.dear};
	take_back(kernel, links, fds);
	return error;
}

/* Traps of a round, of which the quickest one counts: others share this CPU. */
#define TRAPS 400
#define TRAP_ROUNDS 5

/* Watched for a moment, to see what that costs where the kernel does the first instruction's work.
 */
__attribute__((noinline)) static void watched_call(void)
{
	__asm__ volatile("nop");
}

/* The same of an instruction that it steps. */
__attribute__((naked, noinline)) static void stepped_call(void)
{
#ifdef __x86_64__
	__asm__ volatile("test %eax, %eax\n\tret");
#else
	__asm__ volatile("ret");
#endif
}

struct own_place {
	uint64_t address;
	uint64_t offset; /* in our own file; 0: not found */
};

/* The first object is the program itself. */
static int find_own_place(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct own_place *place = context;

	(void)bytes;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t at = place->address - info->dlpi_addr;
		if (segment->p_type == PT_LOAD && at >= segment->p_vaddr &&
			at - segment->p_vaddr < segment->p_filesz)
			place->offset = at - segment->p_vaddr + segment->p_offset;
	}
	return 1;
}

uint64_t kernel_trap_ns(struct kernel *kernel, bool is_stepped)
{
	void (*watched)(void) = is_stepped ? stepped_call : watched_call;
	struct own_place place = {.address = (uintptr_t)watched};
	size_t links = kernel->links.count, fds = kernel->link_fds.count;
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	uint64_t least = UINT64_MAX;

	dl_iterate_phdr(find_own_place, &place);
	if (fd < 0 || !place.offset)
		return is_stepped ? USUAL_STEPPED_NS : USUAL_TRAP_NS;
	if (!attach_one(kernel, kernel->skeleton->progs.on_allocator_call, fd, place.offset, "",
		    NULL)) {
		for (size_t round = 0; round < TRAP_ROUNDS; round++) {
			uint64_t begun = clock_ns(CLOCK_THREAD_CPUTIME_ID);
			for (size_t i = 0; i < TRAPS; i++)
				watched();
			uint64_t took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun;
			least = took < least ? took : least;
		}
	}
	take_back(kernel, links, fds);
	return least != UINT64_MAX ? least / TRAPS : is_stepped ? USUAL_STEPPED_NS : USUAL_TRAP_NS;
}

static void add_allocations(const struct kernel *kernel, uint32_t count, void *context)
{
	const struct allocation_key *keys = (const struct allocation_key *)kernel->keys;
	const struct allocation *blocks = (const struct allocation *)kernel->sums;
	kernel_allocations *rows = context;

	_Static_assert(
		sizeof(*keys) <= sizeof(*kernel->keys) && sizeof(*blocks) <= sizeof(*kernel->sums),
		"a batch fits the room for rows of time");
	for (uint32_t i = 0; i < count; i++)
		vec_push(rows, ((struct kernel_allocation){keys[i], blocks[i]}));
}

int kernel_take_allocations(struct kernel *kernel, kernel_allocations *ret)
{
	if (!kernel->options->memory.has_allocations)
		return 0;
	return kernel_empty_table(kernel, bpf_map__fd(kernel->skeleton->maps.allocations),
		kernel->sums, add_allocations, ret);
}

uint32_t kernel_allocation_room(const struct kernel *kernel)
{
	return kernel->sizes.allocations;
}

/* Deleted one by one behind the walk: nobody writes what is of a process that is gone. */
int kernel_take_allocations_of(
	struct kernel *kernel, kernel_image_fn is_wanted, void *context, kernel_allocations *ret)
{
	int fd = bpf_map__fd(kernel->skeleton->maps.allocations), error;
	size_t first = ret->count;
	uint32_t position = 0;
	void *from = NULL;

	do {
		struct allocation_key keys[TAKEN_AT_ONCE];
		struct allocation blocks[TAKEN_AT_ONCE];
		uint32_t count = TAKEN_AT_ONCE;
		error = bpf_map_lookup_batch(fd, from, &position, keys, blocks, &count, NULL);
		if (error && error != -ENOENT)
			break;
		for (uint32_t i = 0; i < count; i++)
			if (is_wanted(keys[i].image, context))
				vec_push(ret, ((struct kernel_allocation){keys[i], blocks[i]}));
		from = &position;
	} while (!error);
	for (size_t i = first; i < ret->count; i++)
		bpf_map_delete_elem(fd, &ret->at[i].key);
	return error == -ENOENT ? 0 : error;
}

enum preload_kind kernel_allocator_of(const struct kernel *kernel, uint32_t image)
{
	uint32_t kind = 0;

	if (bpf_map__lookup_elem(kernel->skeleton->maps.allocators, &image, sizeof(image), &kind,
		    sizeof(kind), 0))
		return PRELOAD_SILENT;
	return kind == PRELOAD_WORKS ? PRELOAD_WORKS : PRELOAD_SHADOWED;
}

void kernel_memory_counts(const struct kernel *kernel, uint64_t *ret_untracked, uint64_t *ret_odd)
{
	*ret_untracked =
		__atomic_load_n(&kernel->skeleton->bss->untracked_blocks, __ATOMIC_RELAXED);
	*ret_odd = __atomic_load_n(&kernel->skeleton->bss->odd_values, __ATOMIC_RELAXED);
}

void kernel_free_memory(struct kernel *kernel)
{
	mem_close_fd(&kernel->library_fd);
	allocators_clear(&kernel->allocators);
}
