// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions are the same if they have one name: places differ between two builds of a program. */
#include "profile/diff_calls.h"

#include <string.h>

#include "profile/summary/calls.h"
#include "util/text.h"

/* Percentiles are known to a quarter, so that less than this is no change. */
#define MARKED 1.3
/* Of fewer calls the last percent is one, which chance has chosen. */
#define ENOUGH_FOR_P99 100

static struct diff_call *find(diff_calls *calls, const char *name)
{
	_cleanup_free_ char *clean = text_clean(name, false);

	vec_each (call, calls)
		if (!strcmp(call->name, clean))
			return call;
	vec_push(calls, ((struct diff_call){.name = xstrdup(clean)}));
	return &calls->at[calls->count - 1];
}

static void add(diff_calls *calls, const struct called *called, uint64_t range_ns, bool is_after)
{
	struct diff_call *call = find(calls, called->function->name);
	struct diff_calls_side *side = is_after ? &call->after : &call->before;

	*side = (struct diff_calls_side){.count = called->all.count,
		.p50_ns = call_lengths_at(&called->lengths, 500000),
		.p99_ns = call_lengths_at(&called->lengths, 990000),
		.wall_ns = called->all.wall_ns,
		.blocked_ns = called->all.part_ns[TIME_BLOCKED],
		.range_ns = range_ns};
}

int diff_calls_add(diff_calls *calls, struct recording *recording, const struct view_filter *filter,
	bool is_after, struct why *why)
{
	static const struct stack_shape nameless;
	struct selection *selection;
	called_list list = {0};
	struct tree tree;
	int error;

	if (view_filter_asks_for_waits(filter))
		return 0;
	error = selection_new(recording, filter, &selection, why);
	if (error)
		return error;
	tree_init(&tree);
	error = calls_gather(recording, selection, &nameless, &tree, &list, why);
	vec_each (called, &list)
		add(calls, called, selection_to_ns(selection) - selection_from_ns(selection),
			is_after);
	calls_clear(&list);
	tree_clear(&tree);
	selection_free(selection);
	return error;
}

void diff_calls_clear(diff_calls *calls)
{
	vec_each (call, calls)
		free(call->name);
	vec_clear(calls);
}

static double ratio(double before, double after)
{
	return before > 0 ? after / before : 0;
}

static bool is_marked(double changed)
{
	return changed > 0 && (changed >= MARKED || changed <= 1 / MARKED);
}

double diff_calls_rate(const struct diff_call *call)
{
	const struct diff_calls_side *before = &call->before, *after = &call->after;

	if (!before->range_ns || !after->range_ns)
		return 0;
	return ratio((double)before->count / (double)before->range_ns,
		(double)after->count / (double)after->range_ns);
}

bool diff_calls_changed(const struct diff_call *call)
{
	const struct diff_calls_side *before = &call->before, *after = &call->after;

	if (!before->range_ns || !after->range_ns)
		return false;
	if (!before->count || !after->count)
		return before->count != after->count;
	if (before->count >= ENOUGH_FOR_P99 && after->count >= ENOUGH_FOR_P99 &&
		is_marked(ratio((double)before->p99_ns, (double)after->p99_ns)))
		return true;
	return is_marked(ratio((double)before->p50_ns, (double)after->p50_ns)) ||
	       is_marked(diff_calls_rate(call));
}
