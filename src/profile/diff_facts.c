// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums of both sides by question and name. */
#include "profile/diff_facts.h"

#include <math.h>
#include <string.h>

#include "model/hop.h"
#include "profile/roots.h"
#include "profile/selection.h"
#include "util/text.h"
#include "util/units.h"

/* Longer than the name of any thread, interrupt or timer. */
#define WAKER_ROOM 96

struct side {
	struct diff_facts *facts;
	const struct recording *recording;
	const struct view_type *view;
	const struct diff_options *options;
	const struct things *things;
	const struct roots *roots; /* or NULL: all threads are shown */
	double divisor;
	bool is_after;
	/* Names are cleaned and folded once: question and index in the recording -> number + 1. */
	struct map64 numbers;
};

const char *diff_question_name(enum diff_question question)
{
	static const char *const names[DIFF_QUESTIONS] = {[DIFF_STATE] = "state",
		[DIFF_REASON] = "reason",
		[DIFF_WAKER] = "waker",
		[DIFF_THING] = "thing",
		[DIFF_THREAD] = "thread"};

	return (unsigned int)question < DIFF_QUESTIONS ? names[question] : "";
}

static void add_number(
	const struct side *side, enum diff_question question, uint32_t number, double weight)
{
	struct diff_facts *facts = side->facts;
	bool is_new;
	uint64_t *place = map64_put(&facts->places, (uint64_t)question << 32 | number, &is_new);
	struct diff_fact *fact;

	if (is_new) {
		struct diff_fact made = {.name = number};
		vec_push(&facts->at[question], made);
		*place = facts->at[question].count - 1;
	}
	fact = &facts->at[question].at[*place];
	*(side->is_after ? &fact->after : &fact->before) += weight;
}

static void add(
	const struct side *side, enum diff_question question, const char *name, double weight)
{
	add_number(side, question, intern(&side->facts->names, name), weight);
}

/* The same for the name of something that the recording numbers: it is hostile, and cleaned;
 * numbers in it are folded if they tell nothing. */
static void add_indexed(struct side *side, enum diff_question question, uint32_t index,
	const char *name, bool has_numbers, double weight)
{
	uint64_t *number = map64_put(&side->numbers, (uint64_t)question << 32 | index, NULL);

	if (!*number) {
		bool is_folded = has_numbers && !side->options->has_exact_names;
		_cleanup_free_ char *clean = text_clean(name, false);
		_cleanup_free_ char *folded = is_folded ? text_fold_digits(clean) : NULL;
		*number = intern(&side->facts->names, folded ? folded : clean) + 1ULL;
	}
	add_number(side, question, (uint32_t)(*number - 1), weight);
}

/* "redis-server", "disk vda", "its own timer" */
static void waker_name(const struct rec_chain_hop *waker, char name[static WAKER_ROOM])
{
	size_t length;

	if (hop_is_own_timer(waker->kind, waker->name)) {
		snprintf(name, WAKER_ROOM, "its own timer");
		return;
	}
	hop_frame(waker->kind, waker->name, WAKER_ROOM, name);
	length = strlen(name);
	if (hop_kind_is_metal(waker->kind) && length > 2 && name[length - 1] == ']') {
		memmove(name, name + 1, length - 2);
		name[length - 2] = 0;
	}
}

/* Who ended the wait: by name, or the word for metal. Waits that did not end have nobody. */
static void add_waker(struct side *side, const struct selection_row *row, double weight)
{
	size_t unused;
	const struct rec_linked_chain *chains = recording_chains(side->recording, &unused);
	const struct rec_chain_hop *hops = recording_hops(side->recording, &unused);
	const struct rec_chain_hop *waker;
	char name[WAKER_ROOM];

	if (row->row->chain == REC_NONE || !chains[row->row->chain].hop_count)
		return;
	waker = &hops[chains[row->row->chain].first_hop];
	waker_name(waker, name);
	add_indexed(side, DIFF_WAKER, chains[row->row->chain].first_hop, name, true, weight);
}

static void add_blocked(struct side *side, const struct selection_row *row, double weight)
{
	add(side, DIFF_REASON, reason_name(row->called), weight);
	add_waker(side, row, weight);
	if (row->thing == REC_NONE)
		return;
	/* A pipe without a name has a number, which is another one each time. */
	const struct thing *thing = &side->things->at.at[row->thing];
	add_indexed(side, DIFF_THING, row->thing, thing->text, thing->kind == AWAITED_PIPE, weight);
}

static const char *state_word(enum time_state state)
{
	return state == TIME_BLOCKED ? "blocked" : state == TIME_RUNNING ? "running" : "no CPU";
}

static int on_row(const struct selection_row *row, void *context)
{
	struct side *side = context;
	enum time_state state = row->row->sum.state;
	bool is_counted = side->options->weighs_counts;
	double weight = is_counted ? (double)row->count : (double)row->ns / (double)NS_PER_S;

	/* Running time is told by its intervals, and counted by its samples. */
	if (state == (is_counted ? TIME_RUNNING : TIME_SAMPLE) || side->divisor <= 0)
		return 0;
	weight /= side->divisor;
	/* Times add up to the threads' lives; numbers of stays, waits and samples to nothing. */
	if (!is_counted)
		add(side, DIFF_STATE, state_word(state), weight);
	if (!(side->view->states & 1u << state) ||
		(side->roots && roots_hides(side->roots, row->row->thread_index)))
		return 0;
	add_indexed(side, DIFF_THREAD, row->row->thread_index, row->thread->comm, true, weight);
	if (state == TIME_BLOCKED)
		add_blocked(side, row, weight);
	else if (state != TIME_RUNNING && state != TIME_SAMPLE)
		add(side, DIFF_REASON, "no CPU", weight);
	return 0;
}

int diff_facts_add(struct diff_facts *facts, struct recording *recording,
	const struct view_type *view, const struct view_filter *filter, bool is_roots_only,
	const struct diff_options *options, double divisor, bool is_after, struct why *why)
{
	struct side side = {.facts = facts,
		.recording = recording,
		.view = view,
		.options = options,
		.divisor = divisor,
		.is_after = is_after};
	struct selection *selection;
	struct roots *roots = NULL;
	int error = selection_new(recording, filter, &selection, why);

	if (error)
		return error;
	side.things = selection_things(selection);
	if (is_roots_only && view->needs_chains)
		error = roots_new(recording, selection, &roots, why);
	side.roots = roots;
	if (!error)
		error = selection_each_row(selection, on_row, &side, why);
	roots_free(roots);
	selection_free(selection);
	map64_clear(&side.numbers);
	return error;
}

static double change(const struct diff_fact *fact)
{
	return fabs(fact->after - fact->before);
}

static int by_change(const void *left, const void *right)
{
	const struct diff_fact *a = left, *b = right;
	double first = change(a), second = change(b);

	if (first != second)
		return first < second ? 1 : -1;
	return (a->name > b->name) - (a->name < b->name);
}

void diff_facts_rank(struct diff_facts *facts)
{
	for (unsigned int i = 0; i < DIFF_QUESTIONS; i++)
		if (facts->at[i].count)
			vec_sort(&facts->at[i], by_change);
}

void diff_facts_clear(struct diff_facts *facts)
{
	intern_clear(&facts->names);
	for (unsigned int i = 0; i < DIFF_QUESTIONS; i++)
		vec_clear(&facts->at[i]);
	map64_clear(&facts->places);
}
