// SPDX-License-Identifier: GPL-2.0-or-later
/* Says when the loader has to be waited for, and whose stacks are walked from outside. */
#include "capture/unwinding.h"

#include <errno.h>
#include <string.h>

#include "capture/sleepers.h"
#include "util/clock.h"
#include "util/units.h"

/* With thousands of files to read a recording starts without the last ones. */
#define TABLES_WAIT_NS (20 * NS_PER_S)
#define STOP_CHECK_NS (50 * NS_PER_MS)
#define LAST_TABLES_NS (100 * NS_PER_MS)
#define REPAIR_EVERY_NS (250 * NS_PER_MS)

struct unwinding {
	const struct capture_options *options;
	struct kernel *kernel;
	struct loader *loader;
	struct unwind_areas areas;
	uint32_t lacking; /* stacks without tables, when they were last looked for */
	bool has_lacking;
	uint64_t next_repair_ns;
	uint64_t took_ns;
	VEC(uint64_t *) sleepers; /* struct record_stack each, to be named when there is time */
};

int unwinding_new(struct kernel *kernel, const struct capture_options *options,
	struct unwinding **ret, struct why *why)
{
	struct unwinding *unwinding = xcalloc(1, sizeof(*unwinding));
	struct loader_options loading = {
		.wants_fd = kernel_wants_fd(kernel), .has_cache = options->has_cache};
	int error = kernel_unwind_areas(kernel, &loading.areas, why);

	unwinding->options = options;
	unwinding->kernel = kernel;
	unwinding->areas = loading.areas;
	if (!error)
		error = loader_new(&loading, &unwinding->loader, why);
	if (error) {
		unwinding_free(unwinding);
		return error;
	}
	*ret = unwinding;
	return 0;
}

void unwinding_free(struct unwinding *unwinding)
{
	if (!unwinding)
		return;
	vec_each (record, &unwinding->sleepers)
		free(*record);
	vec_clear(&unwinding->sleepers);
	loader_free(unwinding->loader);
	free(unwinding);
}

static int wait_for_tables(struct unwinding *unwinding, struct why *why)
{
	uint64_t begun_ns = clock_monotonic_ns(), until_ns = begun_ns + TABLES_WAIT_NS;

	while (!loader_wait(unwinding->loader, STOP_CHECK_NS) && clock_monotonic_ns() < until_ns) {
		int error = capture_go_on(unwinding->options, why);
		if (error)
			return error;
	}
	unwinding->took_ns += clock_monotonic_ns() - begun_ns;
	return 0;
}

int unwinding_warm(struct unwinding *unwinding, bool everything, struct why *why)
{
	const struct capture_options *options = unwinding->options;

	uint64_t begun_ns = clock_monotonic_ns();
	if (everything)
		loader_warm_all(unwinding->loader);
	for (size_t i = 0; i < options->id_count; i++)
		loader_warm(unwinding->loader, options->ids[i]);
	/* A command most likely uses the libraries that its shell uses. */
	if (options->target == TARGET_COMMAND)
		loader_warm(unwinding->loader, (uint32_t)getppid());
	unwinding->took_ns += clock_monotonic_ns() - begun_ns;
	return wait_for_tables(unwinding, why);
}

static void take_sleeper(void *context, const struct walk *walk)
{
	struct unwinding *unwinding = context;

	_Static_assert(offsetof(struct walk, frames) == offsetof(struct record_stack, frames),
		"a walk begins like its record");
	size_t bytes = sizeof(struct record_stack) + walk->depth * sizeof(uint64_t);
	uint64_t *record = xmalloc(bytes);
	memcpy(record, walk, bytes);
	vec_push(&unwinding->sleepers, record);
}

void unwinding_name(struct unwinding *unwinding, struct namer *namer)
{
	vec_each (slot, &unwinding->sleepers) {
		const struct record_stack *record = (const void *)*slot;
		namer_add_stack(namer, record, sizeof(*record) + record->depth * sizeof(uint64_t));
		free(*slot);
	}
	vec_clear(&unwinding->sleepers);
}

int unwinding_start(struct unwinding *unwinding, struct namer *namer, struct why *why)
{
	int error = wait_for_tables(unwinding, why);

	if (error)
		return error;
	kernel_set_tables_ready(unwinding->kernel);
	namer_set_started(namer);
	unwinding->lacking = kernel_lacking(unwinding->kernel);
	error = sleepers_walk(unwinding->kernel, &unwinding->areas, take_sleeper, unwinding);
	return error ? why_set(why, error, "cannot read the stacks of sleeping threads: %s",
			       strerror(-error))
		     : 0;
}

void unwinding_repair(struct unwinding *unwinding, bool is_last)
{
	uint64_t now = clock_monotonic_ns();
	uint32_t lacking;

	if (!is_last && now < unwinding->next_repair_ns)
		return;
	lacking = kernel_lacking(unwinding->kernel);
	/* Once more after the last one was noticed: the tables may have come since. */
	if (lacking == unwinding->lacking && !unwinding->has_lacking)
		return;
	if (is_last)
		loader_wait(unwinding->loader, LAST_TABLES_NS);
	unwinding->has_lacking = lacking != unwinding->lacking;
	unwinding->lacking = lacking;
	sleepers_walk(unwinding->kernel, &unwinding->areas, take_sleeper, unwinding);
	uint64_t done = clock_monotonic_ns();
	unwinding->next_repair_ns = done + REPAIR_EVERY_NS + 50 * (done - now);
}

struct loader *unwinding_loader(struct unwinding *unwinding)
{
	return unwinding->loader;
}

uint64_t unwinding_mapped_bytes(const struct unwinding *unwinding)
{
	return unwind_areas_bytes(&unwinding->areas);
}

uint64_t unwinding_took_ns(const struct unwinding *unwinding)
{
	return unwinding->took_ns;
}
