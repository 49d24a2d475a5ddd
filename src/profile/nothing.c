// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Filters of time that leave nothing. One walk over the rows of the threads and the range that are
 * asked for tells what there is; each filter is then held against that.
 */
#include "profile/nothing.h"

#include <stdlib.h>
#include <string.h>

#include "profile/selection.h"
#include "util/text.h"
#include "util/units.h"

/* As many as fit a line. */
#define MOST_NAMED 4
#define MOST_TEXT 40

/* What there is. */
struct stock {
	uint64_t state_ns[TIME_STATES];
	uint64_t reason_ns[REASONS];
	char letters[16];
	bool has_band[CONTRACT_BANDS];
	uint64_t longest_ns;
	uint64_t idle_ns;
	uint64_t busy_ns;
	VEC(uint64_t) thing_ns; /* by thing */
};

static int add_row(const struct selection_row *row, void *context)
{
	struct stock *stock = context;
	const struct rec_sum *sum = &row->row->sum;
	size_t letters = strlen(stock->letters);

	if (sum->state >= TIME_STATES)
		return 0;
	stock->state_ns[sum->state] += row->ns;
	*(row->idle == IDLE_NOT ? &stock->busy_ns : &stock->idle_ns) += row->ns;
	if (sum->state == TIME_RUNNING)
		return 0;
	if (row->max_ns > stock->longest_ns)
		stock->longest_ns = row->max_ns;
	stock->has_band[sum->band < CONTRACT_BANDS ? sum->band : CONTRACT_BANDS - 1] = true;
	if (sum->state != TIME_BLOCKED)
		return 0;
	stock->reason_ns[row->reason] += row->ns;
	if (row->called != row->reason)
		stock->reason_ns[row->called] += row->ns;
	if (sum->task_letter && !strchr(stock->letters, sum->task_letter) &&
		letters + 1 < sizeof(stock->letters))
		stock->letters[letters] = sum->task_letter;
	if (row->thing == REC_NONE)
		return 0;
	while (stock->thing_ns.count <= row->thing)
		vec_push(&stock->thing_ns, 0);
	stock->thing_ns.at[row->thing] += row->ns;
	return 0;
}

/* A filter that asks for the same threads and the same range, and for nothing else. */
static struct view_filter without_time(const struct view_filter *filter)
{
	struct view_filter open = *filter;

	open.min_band = 0;
	open.max_band = CONTRACT_BANDS - 1;
	open.states = VIEW_ALL_STATES;
	memset(open.letters, 0, sizeof(open.letters));
	open.reasons = VIEW_ALL_REASONS;
	open.thing_pattern = NULL;
	open.idle = IDLE_SHOW;
	return open;
}

static bool put_states(FILE *out, const struct view_filter *filter, const struct stock *stock)
{
	bool is_first = true;

	for (unsigned int i = 0; i < TIME_STATES; i++)
		if (filter->states & 1u << i && stock->state_ns[i])
			return false;
	fputs("no time of that state (--state); there is ", out);
	for (unsigned int i = 0; i < TIME_STATES; i++)
		if (stock->state_ns[i]) {
			char room[UNITS_ROOM];
			fprintf(out, "%s%s %s", is_first ? "" : ", ",
				state_name((enum time_state)i),
				units_duration(stock->state_ns[i], room));
			is_first = false;
		}
	return true;
}

static bool put_letters(FILE *out, const struct view_filter *filter, const struct stock *stock)
{
	/* Other states that were asked for along with it may have time. */
	if (!filter->letters[0] || strpbrk(filter->letters, stock->letters))
		return false;
	for (unsigned int i = 0; i < TIME_STATES; i++)
		if (i != TIME_BLOCKED && filter->states & 1u << i && stock->state_ns[i])
			return false;
	fprintf(out, "nothing is blocked in state %s (--state)", filter->letters);
	for (size_t i = 0; stock->letters[i]; i++)
		fprintf(out, "%s%c", i ? ", " : "; there is ", stock->letters[i]);
	return true;
}

static bool put_bands(FILE *out, const struct view_filter *filter, const struct stock *stock)
{
	char room[UNITS_ROOM];

	if (!filter->min_band && filter->max_band == CONTRACT_BANDS - 1)
		return false;
	for (unsigned int i = filter->min_band; i <= filter->max_band; i++)
		if (stock->has_band[i])
			return false;
	if (filter->min_band)
		fprintf(out, "no wait is as long as %s (-m)%s",
			units_duration(band_start_ns(filter->min_band), room),
			filter->max_band < CONTRACT_BANDS - 1 ? " and shorter than -M" : "");
	else
		fprintf(out, "no wait is shorter than %s (-M)",
			units_duration(band_start_ns(filter->max_band + 1), room));
	if (stock->longest_ns)
		fprintf(out, "; the longest is %s", units_duration(stock->longest_ns, room));
	return true;
}

static bool put_reasons(FILE *out, const struct view_filter *filter, const struct stock *stock)
{
	uint64_t left[REASONS];
	char room[UNITS_ROOM];
	bool is_first = true;

	if (filter->reasons == VIEW_ALL_REASONS)
		return false;
	for (unsigned int i = 0; i < REASONS; i++)
		if (filter->reasons & 1u << i && stock->reason_ns[i])
			return false;
	fputs("no time in ", out);
	for (unsigned int i = 0; i < REASONS; i++)
		if (filter->reasons & 1u << i) {
			fprintf(out, "%s%s", is_first ? "" : " or ", reason_name((enum reason)i));
			is_first = false;
		}
	fputs(" (--reason)", out);
	memcpy(left, stock->reason_ns, sizeof(left));
	for (size_t named = 0; named < MOST_NAMED; named++) {
		unsigned int best = 0;
		for (unsigned int i = 1; i < REASONS; i++)
			if (left[i] > left[best])
				best = i;
		if (!left[best])
			break;
		fprintf(out, "%s%s %s", named ? ", " : "; there is ",
			reason_name((enum reason)best), units_duration(left[best], room));
		left[best] = 0;
	}
	return true;
}

static int stop_at_row(const struct selection_row *row, void *context)
{
	bool *is_any = context;

	*is_any = row->ns > 0;
	return *is_any;
}

/* True also if that cannot be told. */
static bool lets_pass(struct recording *recording, const struct view_filter *filter)
{
	struct selection *selection;
	bool is_any = false;
	int error;

	if (selection_new(recording, filter, &selection, NULL))
		return true;
	error = selection_each_row(selection, stop_at_row, &is_any, NULL);
	selection_free(selection);
	return is_any || error < 0;
}

static bool put_thing(FILE *out, struct recording *recording, const struct view_filter *filter,
	const struct stock *stock, const struct things *things)
{
	struct view_filter alone = without_time(filter);
	_cleanup_free_ uint64_t *left = xcalloc(stock->thing_ns.count + 1, sizeof(*left));

	alone.thing_pattern = filter->thing_pattern;
	if (!filter->thing_pattern || lets_pass(recording, &alone))
		return false;
	fprintf(out, "nothing that was waited for is called %s (--for)", filter->thing_pattern);
	if (!stock->thing_ns.count)
		fputs(": what waits were for is not in it", out);
	else
		memcpy(left, stock->thing_ns.at, stock->thing_ns.count * sizeof(*left));
	for (size_t named = 0; named < MOST_NAMED && stock->thing_ns.count; named++) {
		size_t best = 0;
		for (size_t i = 1; i < stock->thing_ns.count; i++)
			if (left[i] > left[best])
				best = i;
		if (!left[best])
			break;
		const char *text = things->at.at[best].text;
		size_t fitting = text_fitting(text, MOST_TEXT);
		fprintf(out, "%s%.*s%s", named ? ", " : "; there is ", (int)fitting, text,
			text[fitting] ? "~" : "");
		left[best] = 0;
	}
	return true;
}

static bool put_idle(FILE *out, const struct view_filter *filter, const struct stock *stock)
{
	if (filter->idle == IDLE_HIDE && !stock->busy_ns)
		fputs("all of it is idle (--idle show)", out);
	else if (filter->idle == IDLE_ONLY && !stock->idle_ns)
		fputs("none of it is idle (--idle only)", out);
	else
		return false;
	return true;
}

static bool put_range(FILE *out, const struct view_filter *filter, const struct stock *stock)
{
	for (unsigned int i = 0; i < TIME_STATES; i++)
		if (stock->state_ns[i])
			return false;
	if (filter->slow_function) {
		fprintf(out, "no such call of %s was slow", filter->slow_function);
		return true;
	}
	fputs(!filter->from_ns && filter->to_ns == UINT64_MAX
			? "these filters leave no thread"
			: "no such thread lived in that range of time (--from, --to)",
		out);
	return true;
}

static bool put_time(FILE *out, struct recording *recording, const struct view_filter *filter,
	const struct stock *stock, const struct things *things)
{
	if (put_range(out, filter, stock) || put_states(out, filter, stock) ||
		put_letters(out, filter, stock) || put_bands(out, filter, stock) ||
		put_reasons(out, filter, stock) ||
		put_thing(out, recording, filter, stock, things) || put_idle(out, filter, stock))
		return true;
	if (lets_pass(recording, filter))
		return false;
	fputs("each of them lets something pass, together they do not", out);
	return true;
}

/* A recording of events alone has threads without time. */
static bool has_time(const struct recording *recording)
{
	size_t count;
	const struct rec_thread *thread = recording_threads(recording, &count);

	for (; count--; thread++)
		for (unsigned int i = 0; i < TIME_STATES; i++)
			if (thread->total_ns[i])
				return true;
	return false;
}

char *nothing_text(struct recording *recording, const struct view_filter *filter)
{
	struct view_filter open = without_time(filter);
	char *text = nothing_of_threads(recording, filter);
	struct selection *selection;
	struct stock stock = {0};
	bool is_nothing = false;
	size_t size;
	FILE *out;

	if (text || !has_time(recording) || selection_new(recording, &open, &selection, NULL))
		return text;
	out = open_memstream(&text, &size);
	if (out && !selection_each_row(selection, add_row, &stock, NULL))
		is_nothing = put_time(out, recording, filter, &stock, selection_things(selection));
	if (out)
		fclose(out);
	selection_free(selection);
	vec_clear(&stock.thing_ns);
	if (is_nothing)
		return text;
	free(text);
	return NULL;
}
