// SPDX-License-Identifier: GPL-2.0-or-later
/* Everything else of a recording goes on without this: nobody pays who does not ask for it. */
#include "capture/capture_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>

#include "capture/capture_private.h"
#include "capture/process_time.h"
#include "capture/resident.h"
#include "util/units.h"

/* How long calls are counted. */
#define PRICE_NS (200 * NS_PER_MS)
/* Of one call, the mean of an allocation's two traps and a free's one, with what the programs do
 * there: traps are measured, the rest was (docs/decisions.md). */
#define TRAPS_EACH 1.5
#define WORK_EACH_NS 400

/* Of the room for blocks: if more is taken, processes that are gone make room. */
#define TRIMMED_PART 2

static uint32_t measure_of(const struct capture *capture, enum measure_kind kind)
{
	for (size_t i = 0; i < capture->options.event_count; i++)
		if (capture->options.events[i].kind == EVENT_OF_MEMORY &&
			capture->options.events[i].measure == kind)
			return (uint32_t)i + 1;
	return 0;
}

void capture_begin_heap(struct capture *capture)
{
	const struct books_measures measures = {
		.allocated = measure_of(capture, MEASURE_ALLOC),
		.freed = measure_of(capture, MEASURE_FREED),
		.live = measure_of(capture, MEASURE_LIVE),
		.leaks = measure_of(capture, MEASURE_LEAKS),
	};

	books_set_heap(capture->books, &measures);
	if (capture->options.memory.library)
		namer_set_hook(capture->namer, capture->options.memory.library, ALLOCATION_HOOK);
}

int capture_end_heap(struct capture *capture)
{
	kernel_allocations blocks = {0};
	int error = kernel_take_allocations(capture->kernel, &blocks);

	if (!error)
		books_add_heap(capture->books, &blocks, capture->end_ns);
	vec_clear(&blocks);
	return error;
}

static bool is_gone(uint32_t image, void *context)
{
	return map64_find(context, image) != NULL;
}

void capture_trim_heap(struct capture *capture)
{
	struct map64 gone = {0};
	kernel_allocations blocks = {0};

	if (!books_has_more_blocks(
		    capture->books, kernel_allocation_room(capture->kernel) / TRIMMED_PART))
		return;
	books_find_gone(capture->books, &gone);
	/* What could not be walked to its end is right as far as it went. */
	if (gone.count)
		kernel_take_allocations_of(capture->kernel, is_gone, &gone, &blocks);
	books_add_gone(capture->books, &blocks);
	vec_clear(&blocks);
	map64_clear(&gone);
}

/* What is resident now was so at the end of slices that ended no longer ago. */
#define STILL_TRUE_NS (500 * NS_PER_MS)

void capture_write_resident(struct capture *capture)
{
	uint32_t first = capture->looked_at_slice, last = capture->last_slice;
	uint64_t most = STILL_TRUE_NS / capture->options.slice_ns + 1;

	if (!capture->options.memory.has_growth)
		return;
	/* Nobody knows it of others if dwell was held up. */
	if (last - first > most)
		first = last - (uint32_t)most;
	resident_write(capture->books, capture->writer, first, last);
	capture->looked_at_slice = capture->last_slice;
}

struct counting {
	const struct capture_options *options;
	uint64_t wall_ns;
	uint64_t cpu_ns; /* of the processes meanwhile */
};

/* Only what is between its beginning and end is counted: probes take long to come and go. */
static void wait_and_look(void *context)
{
	struct counting *counting = context;
	struct timespec pause = {.tv_nsec = PRICE_NS};
	struct process_time before, after;

	process_time_read(counting->options, &before);
	nanosleep(&pause, NULL);
	process_time_read(counting->options, &after);
	counting->cpu_ns = process_time_between(&before, &after);
	counting->wall_ns = after.at_ns - before.at_ns;
}

int capture_price_allocations(struct capture *capture, struct why *why)
{
	const struct capture_options *options = &capture->options;
	struct capture_price *price = &capture->price;
	struct counting counting = {.options = options};
	struct allocator_calls calls;

	if (!options->memory.has_allocations || options->memory.library)
		return 0;
	price->trap_ns = kernel_trap_ns(capture->kernel, false);
	uint64_t stepped_ns = kernel_trap_ns(capture->kernel, true);
	int error = kernel_count_allocator_calls(
		capture->kernel, wait_and_look, &counting, &calls, why);
	if (error)
		return error;
	/* What counting took is not the process's own. A tick of the clock is the least: nobody
	 * who calls has used no time. */
	double more_ns = stepped_ns > price->trap_ns
				 ? (double)calls.dear * (double)(stepped_ns - price->trap_ns)
				 : 0;
	double own_ns =
		(double)counting.cpu_ns - (double)calls.all * (double)price->trap_ns - more_ns;
	double cost_ns =
		(double)calls.all * (TRAPS_EACH * (double)price->trap_ns + WORK_EACH_NS) + more_ns;
	/* Of a call, all that is waited for. */
	price->trap_ns = calls.all ? price->trap_ns + (uint64_t)(more_ns / (double)calls.all)
				   : price->trap_ns;
	double tick_ns = (double)process_time_tick_ns();
	price->calls_per_s = (uint64_t)((double)calls.all * NS_PER_S / (double)counting.wall_ns);
	price->share = cost_ns / (own_ns > tick_ns ? own_ns : tick_ns);
	if (price->share <= options->memory.most_cost)
		return 0;
	return why_set(why, -EDQUOT,
		"--alloc: %s calls its allocator %" PRIu64
		" times a second, and watching each call "
		"would take %.0f %% of its CPU time on top; --overhead allows %.0f %%. Cheaper: "
		"start "
		"it by dwell record --alloc -- COMMAND, or see who asks the kernel for memory: "
		"--growth",
		options->target_text, price->calls_per_s, 100 * price->share,
		100 * options->memory.most_cost);
}

struct unwatched {
	const struct kernel *kernel;
	uint64_t count;
	const char *exe;
};

static void count_unwatched(uint32_t image, const char *exe, void *context)
{
	struct unwatched *unwatched = context;

	if (kernel_allocator_of(unwatched->kernel, image) == PRELOAD_WORKS)
		return;
	if (!unwatched->count++)
		unwatched->exe = exe;
}

uint64_t capture_unwatched(struct capture *capture, const char **ret_exe)
{
	struct unwatched unwatched = {.kernel = capture->kernel, .exe = ""};

	if (capture->options.memory.library)
		books_each_program(capture->books, count_unwatched, &unwatched);
	if (ret_exe)
		*ret_exe = unwatched.exe;
	return unwatched.count;
}

const struct capture_price *capture_price(const struct capture *capture)
{
	return capture->price.calls_per_s ? &capture->price : NULL;
}
