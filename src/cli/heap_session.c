// SPDX-License-Identifier: GPL-2.0-or-later
/* Libraries that a user preloads come behind ours, which hands everything on to them. */
#include "cli/heap_session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "host/preload_file.h"
#include "host/preload_refusal.h"
#include "util/mem.h"
#include "util/text.h"

int heap_session_prepare(
	struct heap_session *heap, struct record_options *options, const char *program)
{
	struct memory_options *memory = &options->capture.memory;
	const char *refusal = program ? preload_refusal(program) : NULL;
	const char *others = getenv("LD_PRELOAD");
	struct why why;

	if (!memory->has_allocations)
		return 0;
	if (refusal)
		return fail(STATUS_COMMAND_FAILED,
			"--alloc: %s %s, and no library can be put into it; start it without "
			"--alloc, "
			"and watch it when it runs: dwell record --alloc -p PID, or --growth -p "
			"PID",
			program, refusal);
	if (preload_file_make(&heap->library, &why))
		return fail(STATUS_COMMAND_FAILED, "%s", why.text);
	memory->library = heap->library;
	heap->preload = xasprintf("LD_PRELOAD=%s%s%s", heap->library,
		others && others[0] ? ":" : "", others ? others : "");
	heap->period = xasprintf("DWELL_ALLOC_PERIOD=%" PRIu64, memory->period_bytes);
	heap->variables[0] = heap->preload;
	heap->variables[1] = heap->period;
	return 0;
}

void heap_session_clear(struct heap_session *heap)
{
	free(heap->library);
	free(heap->preload);
	free(heap->period);
	*heap = (struct heap_session){0};
}

void heap_session_say_price(const struct capture *capture)
{
	const struct capture_price *price = capture_price(capture);

	if (price)
		fail(0,
			"--alloc: %" PRIu64
			" calls of the allocator a second; watching them takes some "
			"%.1f %% of the process's CPU time on top (%.2f us each trap)",
			price->calls_per_s, 100 * price->share, (double)price->trap_ns / 1e3);
}

void heap_session_say(struct capture *capture)
{
	const char *exe;
	uint64_t count = capture_unwatched(capture, &exe);

	if (!count)
		return;
	_cleanup_free_ char *name = text_clean(exe, false);
	fail(0,
		"--alloc: the allocations of %" PRIu64
		" process%s were not seen%s%s: static or set-uid, "
		"or with an allocator of %s own; --alloc -p PID watches one that runs",
		count, count == 1 ? "" : "es", name[0] ? ", as those of " : "", name,
		count == 1 ? "its" : "their");
}
