// SPDX-License-Identifier: GPL-2.0-or-later
/* Filters of threads that match none, and whom there is. */
#include "profile/nothing.h"

#include <stdlib.h>
#include <string.h>

#include "util/intern.h"
#include "util/map64.h"
#include "util/text.h"

/* As many as fit a line. */
#define MOST_NAMED 4

/* A name to choose by: of a process or of threads. */
struct candidate {
	const char *name;
	uint32_t number; /* 0: a name may stand for several */
	uint64_t ran_ns;
};

/* All zero is a valid empty list. */
struct candidates {
	VEC(struct candidate) list;
	struct intern names;
	struct map64 by_key; /* a number, or behind all numbers that of a name -> index + 1 */
};

static int compare_ran(const void *a, const void *b)
{
	const struct candidate *left = a, *right = b;

	return (left->ran_ns < right->ran_ns) - (left->ran_ns > right->ran_ns);
}

static void add_candidate(
	struct candidates *all, const char *name, uint32_t number, uint64_t ran_ns)
{
	uint64_t key = number ? number : 1ULL << 32 | intern(&all->names, name);
	uint64_t *index = map64_put(&all->by_key, key, NULL);

	if (!*index) {
		vec_push(&all->list, ((struct candidate){name, number, 0}));
		*index = all->list.count;
	}
	all->list.at[*index - 1].ran_ns += ran_ns;
}

static void clear_candidates(struct candidates *all)
{
	vec_clear(&all->list);
	intern_clear(&all->names);
	map64_clear(&all->by_key);
}

/* "; there are postgres (812), sh (90) and 3 more": those first that ran most. */
static void put_candidates(FILE *out, struct candidates *candidates)
{
	const size_t count = candidates->list.count;
	struct candidate *all = candidates->list.at;

	vec_sort(&candidates->list, compare_ran);
	for (size_t i = 0; i < count && i < MOST_NAMED; i++) {
		bool is_last = i + 1 == count && i;
		fprintf(out, "%s%s",
			i           ? is_last ? " and " : ", "
			: count > 1 ? "; there are "
				    : "; there is ",
			all[i].name);
		if (all[i].number)
			fprintf(out, " (%u)", all[i].number);
	}
	if (count > MOST_NAMED)
		fprintf(out, " and %zu more", count - MOST_NAMED);
}

static void put_ids(FILE *out, const uint32_t *ids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%u", !i ? " " : i + 1 == count ? " or " : ", ", ids[i]);
}

static bool has_id(const uint32_t *ids, size_t count, uint32_t id)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* Processes or threads by number, if none of those that are asked for is there. */
static bool put_numbers(
	FILE *out, const struct recording *recording, const struct view_filter *filter, bool is_pid)
{
	const uint32_t *ids = is_pid ? filter->pids.at : filter->tids.at;
	size_t id_count = is_pid ? filter->pids.count : filter->tids.count;
	struct candidates all = {0};
	bool is_there = false;
	size_t count;
	const struct rec_thread *threads = recording_threads(recording, &count);

	for (size_t i = 0; i < count && !is_there; i++) {
		const struct rec_process *process = recording_process_of(recording, &threads[i]);
		uint32_t number = is_pid ? process->pid : threads[i].tid;
		is_there = has_id(ids, id_count, number);
	}
	for (size_t i = 0; i < count && !is_there; i++) {
		const struct rec_process *process = recording_process_of(recording, &threads[i]);
		add_candidate(&all, is_pid ? process->name : threads[i].comm,
			is_pid ? process->pid : threads[i].tid, threads[i].total_ns[TIME_RUNNING]);
	}
	if (!is_there && count) {
		fprintf(out, "no %s", is_pid ? "process" : "thread");
		put_ids(out, ids, id_count);
		fprintf(out, " (%s)", is_pid ? "-p" : "-t");
		put_candidates(out, &all);
	}
	clear_candidates(&all);
	return !is_there && count;
}

/* "; did you mean 'post*'?" or the nearest name, or whom there is. */
static void put_names(FILE *out, const struct recording *recording, const char *glob)
{
	VEC(const char *) names = {0};
	struct candidates all = {0};
	_cleanup_free_ char *plain = xstrdup(glob);
	const char *near = NULL, *part = NULL;
	size_t count, used = 0;
	const struct rec_thread *threads = recording_threads(recording, &count);

	for (const char *at = glob; *at; at++)
		if (*at != '*' && *at != '?')
			plain[used++] = *at;
	plain[used] = 0;
	for (size_t i = 0; i < count; i++)
		add_candidate(&all, threads[i].comm, 0, threads[i].total_ns[TIME_RUNNING]);
	for (size_t i = 0; i < all.list.count; i++) {
		vec_push(&names, all.list.at[i].name);
		if (plain[0] && strcasestr(all.list.at[i].name, plain))
			part = all.list.at[i].name;
	}
	vec_push(&names, NULL);
	near = text_nearest(plain, names.at);
	if (part || near)
		fprintf(out, "; did you mean '%s'?", part ? part : near);
	else
		put_candidates(out, &all);
	vec_clear(&names);
	clear_candidates(&all);
}

static bool put_comm(FILE *out, const struct recording *recording, const struct view_filter *filter)
{
	size_t count;
	const struct rec_thread *threads = recording_threads(recording, &count);

	for (size_t i = 0; i < count; i++)
		if (text_matches_glob(threads[i].comm, filter->comm_glob))
			return false;
	fprintf(out, "no thread is named %s (-n)", filter->comm_glob);
	put_names(out, recording, filter->comm_glob);
	return true;
}

static bool put_side(FILE *out, const struct recording *recording, const struct view_filter *filter)
{
	size_t count;
	const struct rec_thread *threads = recording_threads(recording, &count);

	for (size_t i = 0; i < count; i++)
		if (threads[i].is_kernel == filter->is_kernel_only)
			return false;
	fprintf(out, "no %s thread (%s) was recorded", filter->is_kernel_only ? "kernel" : "user",
		filter->is_kernel_only ? "-k" : "-u");
	return true;
}

char *nothing_of_threads(const struct recording *recording, const struct view_filter *filter)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool is_nothing;

	if (!out)
		return NULL;
	is_nothing = (filter->pids.count && put_numbers(out, recording, filter, true)) ||
		     (filter->tids.count && put_numbers(out, recording, filter, false)) ||
		     (filter->comm_glob && put_comm(out, recording, filter)) ||
		     ((filter->is_user_only || filter->is_kernel_only) &&
			     put_side(out, recording, filter));
	fclose(out);
	if (is_nothing)
		return text;
	free(text);
	return NULL;
}
