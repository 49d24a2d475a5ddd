// SPDX-License-Identifier: GPL-2.0-or-later
/* The programs of calls: configured, attached, and their two pairs of tables emptied in turn. */
#include "kernel/calls.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "kernel/call_kernel.h"
#include "kernel/private.h"
#include "kernel/programs.h"
#include "kernel/uprobes.h"
#include "dwell.skel.h"

#define ATTACH_KPROBE_MULTI 42
/* Without multi, each place is a link that the kernel takes its time to undo. */
#define MOST_KERNEL_LINKS 16
#define MOST_USER_LINKS 48

unsigned int calls_uses(const struct call_plan *plan)
{
	unsigned int uses = 0;

	vec_each (function, &plan->functions)
		uses |= function->kind == CALL_OF_SYSTEM   ? USE_SYSTEM_CALLS
			: function->kind == CALL_OF_KERNEL ? USE_KERNEL_CALLS
							   : USE_USER_CALLS;
	return uses;
}

const struct call_function *kernel_call_functions(const struct kernel *kernel, size_t *ret_count)
{
	*ret_count = kernel->calls.functions.count;
	return kernel->calls.functions.at;
}

size_t kernel_calls_left_out(const struct kernel *kernel)
{
	return kernel->calls.left_out;
}

/* Which functions system calls are, and by which rules. */
static void configure_system_calls(struct kernel *kernel)
{
	struct dwell *skeleton = kernel->skeleton;

	for (size_t i = 0; i < kernel->calls.functions.count; i++) {
		const struct call_function *function = &kernel->calls.functions.at[i];
		if (function->kind != CALL_OF_SYSTEM)
			continue;
		skeleton->rodata->cfg_call_of_system[function->offset] = (uint16_t)(i + 1);
		skeleton->rodata->cfg_call_rule_of_system[function->offset] = function->rule;
	}
}

static void load_for_multi(struct kernel *kernel)
{
	struct dwell *skeleton = kernel->skeleton;
	struct bpf_program *programs[] = {skeleton->progs.on_call_begin,
		skeleton->progs.on_call_return, skeleton->progs.on_call_leave};
	struct bpf_program *kernels[] = {
		skeleton->progs.on_kernel_begin, skeleton->progs.on_kernel_return};

	for (size_t i = 0; i < ARRAY_SIZE(programs) && kernel->has_multi; i++)
		uprobes_load_for_multi(programs[i]);
	kernel->has_kernel_multi =
		calls_uses(&kernel->calls) & USE_KERNEL_CALLS && call_kernel_has_multi();
	for (size_t i = 0; i < ARRAY_SIZE(kernels) && kernel->has_kernel_multi; i++)
		bpf_program__set_expected_attach_type(
			kernels[i], (enum bpf_attach_type)ATTACH_KPROBE_MULTI);
}

void kernel_configure_calls(struct kernel *kernel)
{
	struct dwell *skeleton = kernel->skeleton;
	const struct table_sizes *sizes = &kernel->sizes;
	bool has_calls = kernel->calls.functions.count;

	bpf_map__set_autocreate(skeleton->maps.calls_0, has_calls);
	bpf_map__set_autocreate(skeleton->maps.calls_1, has_calls);
	bpf_map__set_autocreate(skeleton->maps.slow_0, has_calls);
	bpf_map__set_autocreate(skeleton->maps.slow_1, has_calls);
	bpf_map__set_autocreate(skeleton->maps.slow_scratch, has_calls);
	if (!has_calls)
		return;
	skeleton->rodata->cfg_has_calls = true;
	skeleton->rodata->cfg_call_books_mask = sizes->call_books - 1;
	skeleton->rodata->cfg_call_rows = sizes->call_rows - sizes->call_rows / 8;
	skeleton->rodata->cfg_slow_rows = sizes->slow_rows - sizes->slow_rows / 8;
	bpf_map__set_max_entries(skeleton->maps.call_books, sizes->call_books);
	bpf_map__set_max_entries(skeleton->maps.calls_0, sizes->call_rows);
	bpf_map__set_max_entries(skeleton->maps.calls_1, sizes->call_rows);
	bpf_map__set_max_entries(skeleton->maps.slow_0, sizes->slow_rows);
	bpf_map__set_max_entries(skeleton->maps.slow_1, sizes->slow_rows);
	bpf_map__set_value_size(skeleton->maps.slow_0, sizes->slow_bytes);
	bpf_map__set_value_size(skeleton->maps.slow_1, sizes->slow_bytes);
	configure_system_calls(kernel);
	load_for_multi(kernel);
}

static struct bpf_program *program_of(const struct kernel *kernel, enum call_probe probe)
{
	switch (probe) {
	case CALL_PROBE_RETURN:
		return kernel->skeleton->progs.on_call_return;
	case CALL_PROBE_LEAVE:
		return kernel->skeleton->progs.on_call_leave;
	default:
		return kernel->skeleton->progs.on_call_begin;
	}
}

/* All places of one kind in one file. */
static int attach_places(struct kernel *kernel, int fd, enum call_probe probe, struct why *why)
{
	struct uprobes probes = {.program = program_of(kernel, probe),
		.fd = fd,
		.is_return = probe == CALL_PROBE_RETURN,
		.has_multi = kernel->has_multi,
		.most_links = MOST_USER_LINKS,
		.pid = kernel->calls.safety.only_pid};
	const char *text = "";
	int error = 0;

	vec_each (place, &kernel->calls.places)
		if (place->fd == fd && place->probe == probe) {
			struct uprobe uprobe = {.offset = place->offset,
				.semaphore = place->semaphore,
				.cookie = place->cookie};
			vec_push(&probes.places, uprobe);
			text = kernel->calls.functions.at[place->function].name;
		}
	if (probes.places.count)
		error = uprobes_attach(&probes, kernel, text, why);
	vec_clear(&probes.places);
	return error;
}

static int say_refused(const char *name, int error, struct why *why)
{
	if (error == EPERM || error == EACCES)
		return why_set(
			why, -EPERM, "the kernel does not let us watch %s; see dwell check", name);
	return why_set(why, -ENOTSUP, "cannot watch %s: %s; not every function can be watched",
		name, strerror(error));
}

static int attach_kernel_one(
	struct kernel *kernel, uint32_t number, bool is_return, struct why *why)
{
	const struct call_function *function = &kernel->calls.functions.at[number];
	LIBBPF_OPTS(bpf_kprobe_opts, options,
		.bpf_cookie = CONTRACT_CALL_COOKIE(number, function->rule), .retprobe = is_return);
	struct bpf_program *program = is_return ? kernel->skeleton->progs.on_kernel_return
						: kernel->skeleton->progs.on_kernel_begin;
	struct bpf_link *link =
		bpf_program__attach_kprobe_opts(program, function->name + strlen("k:"), &options);

	if (!link)
		return say_refused(function->name, errno, why);
	vec_push(&kernel->links, link);
	return 0;
}

/* All of them by one link. */
static int attach_kernel_multi(struct kernel *kernel, bool is_return, struct why *why)
{
	size_t count = kernel->calls.functions.count;
	_cleanup_free_ const char **names = xcalloc(count + 1, sizeof(*names));
	_cleanup_free_ __u64 *cookies = xcalloc(count + 1, sizeof(*cookies));
	LIBBPF_OPTS(bpf_kprobe_multi_opts, options, .syms = names, .cookies = cookies,
		.retprobe = is_return);
	struct bpf_program *program = is_return ? kernel->skeleton->progs.on_kernel_return
						: kernel->skeleton->progs.on_kernel_begin;
	const char *first = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct call_function *function = &kernel->calls.functions.at[i];
		if (function->kind != CALL_OF_KERNEL)
			continue;
		first = first ? first : function->name;
		names[options.cnt] = function->name + strlen("k:");
		cookies[options.cnt++] = CONTRACT_CALL_COOKIE(i, function->rule);
	}
	struct bpf_link *link = bpf_program__attach_kprobe_multi_opts(program, NULL, &options);
	if (!link)
		return say_refused(first, errno, why);
	vec_push(&kernel->links, link);
	return 0;
}

static int attach_kernel(struct kernel *kernel, bool is_return, struct why *why)
{
	size_t count = 0;
	int error = 0;

	if (!(calls_uses(&kernel->calls) & USE_KERNEL_CALLS))
		return 0;
	if (kernel->has_kernel_multi)
		return attach_kernel_multi(kernel, is_return, why);
	for (uint32_t i = 0; i < kernel->calls.functions.count && !error; i++) {
		if (kernel->calls.functions.at[i].kind != CALL_OF_KERNEL)
			continue;
		if (++count > MOST_KERNEL_LINKS)
			return why_set(why, -E2BIG,
				"this kernel would need seconds to give up more than %d of its "
				"functions again (it has no kprobe_multi); give a pattern that "
				"fits fewer",
				MOST_KERNEL_LINKS);
		error = attach_kernel_one(kernel, i, is_return, why);
	}
	return error;
}

static int attach_system(struct kernel *kernel, struct bpf_program *program, struct why *why)
{
	struct bpf_link *link;

	if (!(calls_uses(&kernel->calls) & USE_SYSTEM_CALLS))
		return 0;
	link = bpf_program__attach(program);
	if (!link)
		return say_refused("system calls", errno, why);
	vec_push(&kernel->links, link);
	return 0;
}

/* Of all that are asked for: each takes its time to be undone. */
static int check_links(const struct kernel *kernel, struct why *why)
{
	if (kernel->has_multi || kernel->calls.places.count <= MOST_USER_LINKS)
		return 0;
	return why_set(why, -E2BIG,
		"the calls that are asked for begin and end at %zu places, and this kernel would "
		"need seconds to give up more than %d of them again; ask for fewer, or use Linux "
		"6.6 or newer",
		kernel->calls.places.count, MOST_USER_LINKS);
}

/* Ends before beginnings: no call that is known lacks its end. */
int kernel_attach_calls(struct kernel *kernel, struct why *why)
{
	int error = check_links(kernel, why);

	for (unsigned int probe = 0; probe < CALL_PROBES && !error; probe++)
		vec_each (fd, &kernel->calls.fds)
			if (!error)
				error = attach_places(kernel, *fd, (enum call_probe)probe, why);
	if (!error)
		error = attach_kernel(kernel, true, why);
	if (!error)
		error = attach_kernel(kernel, false, why);
	if (!error)
		error = attach_system(kernel, kernel->skeleton->progs.on_system_return, why);
	if (!error)
		error = attach_system(kernel, kernel->skeleton->progs.on_system_call, why);
	return error;
}

uint64_t kernel_calls_begun(const struct kernel *kernel, uint64_t *ret_all)
{
	*ret_all = __atomic_load_n(&kernel->skeleton->bss->all_calls_begun, __ATOMIC_RELAXED);
	return __atomic_load_n(&kernel->skeleton->bss->calls_begun, __ATOMIC_RELAXED);
}

void kernel_set_slow(struct kernel *kernel, uint32_t function, uint64_t from_ns)
{
	__atomic_store_n(
		&kernel->skeleton->bss->call_slow_from[function], from_ns, __ATOMIC_RELAXED);
}

void kernel_call_counts(const struct kernel *kernel, uint32_t function, struct call_counts *ret)
{
	*ret = kernel->skeleton->bss->call_counts[function];
}

void kernel_call_losses(const struct kernel *kernel, uint64_t *ret_bare, uint64_t *ret_bare_waits,
	uint64_t *ret_lost_waits)
{
	const struct dwell__bss *bss = kernel->skeleton->bss;

	*ret_bare = __atomic_load_n(&bss->bare_calls, __ATOMIC_RELAXED);
	*ret_bare_waits = __atomic_load_n(&bss->bare_slow_waits, __ATOMIC_RELAXED);
	*ret_lost_waits = __atomic_load_n(&bss->lost_slow_waits, __ATOMIC_RELAXED);
}

double kernel_calls_fill(const struct kernel *kernel)
{
	const volatile uint64_t *calls =
		(const volatile uint64_t *)kernel->skeleton->bss->call_rows_used;
	const volatile uint64_t *slow =
		(const volatile uint64_t *)kernel->skeleton->bss->slow_rows_used;

	if (!kernel->calls.functions.count)
		return 0;
	double of_calls = (double)calls[kernel->active_events] / (double)kernel->sizes.call_rows;
	double of_slow = (double)slow[kernel->active_events] / (double)kernel->sizes.slow_rows;
	return of_calls > of_slow ? of_calls : of_slow;
}

static void add_calls(const struct kernel *kernel, uint32_t count, void *context)
{
	const struct call_key *keys = (const struct call_key *)kernel->keys;
	const struct call_sum *sums = (const struct call_sum *)kernel->call_values;
	kernel_calls *rows = context;

	_Static_assert(sizeof(*keys) <= sizeof(*kernel->keys), "a batch of keys fits");
	for (uint32_t i = 0; i < count; i++)
		vec_push(rows, ((struct kernel_call){keys[i], sums[i]}));
}

static void add_slow(const struct kernel *kernel, uint32_t count, void *context)
{
	const struct slow_key *keys = (const struct slow_key *)kernel->keys;
	kernel_slow_rows *rows = context;

	_Static_assert(sizeof(*keys) <= sizeof(*kernel->keys), "a batch of keys fits");
	for (uint32_t i = 0; i < count; i++) {
		struct call_entry row = {.key = keys[i]};
		memcpy(&row.sum, kernel->call_values + (size_t)i * kernel->sizes.slow_bytes,
			kernel->sizes.slow_bytes);
		vec_push(rows, row);
	}
}

int kernel_empty_calls(struct kernel *kernel, uint32_t table, struct kernel_call_rows *rows)
{
	struct dwell *skeleton = kernel->skeleton;
	int error;

	if (!kernel->calls.functions.count)
		return 0;
	/* What slow calls waited for first: calls without it are known, it without them is too
	 * much. */
	error = kernel_empty_table(kernel,
		bpf_map__fd(table ? skeleton->maps.slow_1 : skeleton->maps.slow_0),
		kernel->call_values, add_slow, &rows->slow);
	if (!error)
		error = kernel_empty_table(kernel,
			bpf_map__fd(table ? skeleton->maps.calls_1 : skeleton->maps.calls_0),
			kernel->call_values, add_calls, &rows->calls);
	if (!error)
		skeleton->bss->call_rows_used[table] = skeleton->bss->slow_rows_used[table] = 0;
	return error;
}
