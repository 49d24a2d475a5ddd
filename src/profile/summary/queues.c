// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of queues, summed by who waited and who had the CPU. */
#include "profile/summary/queues.h"

#include <string.h>

#include "profile/summary/summary.h"
#include "util/hash.h"

struct gathering {
	const struct rec_thread *threads;
	struct placer *placer;
	queue_shares *shares;
	struct map64 known; /* hash of what makes a share -> index + 1 */
};

static bool is_same(const struct queue_share *a, const struct queue_share *b)
{
	return a->kind == b->kind && a->root == b->root && !strcmp(a->name, b->name);
}

/* Adds to the share that is like this one. */
static void add(struct map64 *known, queue_shares *shares, const struct queue_share *share)
{
	uint64_t hash =
		hash_text(hash_add(hash_add(1, share->root), (uint64_t)share->kind), share->name);

	for (;; hash++) {
		uint64_t *number = map64_put(known, hash, NULL);
		if (!*number) {
			vec_push(shares, *share);
			*number = shares->count;
			return;
		}
		if (is_same(&shares->at[*number - 1], share)) {
			shares->at[*number - 1].ns += share->ns;
			return;
		}
	}
}

static int on_queue(const struct rec_queued *row, void *context)
{
	struct gathering *gathering = context;
	const struct rec_queue *queue = &row->queue;
	bool is_thread = queue->kind == QUEUE_THREAD;
	struct queue_share share = {/* What a newer dwell knows is not known here. */
		.kind = (unsigned int)queue->kind < QUEUE_KINDS ? queue->kind : QUEUE_UNTOLD,
		.name = is_thread ? queue->name : "",
		.ns = queue->ns,
		.root = placer_root(gathering->placer, &gathering->threads[row->thread_index])};

	add(&gathering->known, gathering->shares, &share);
	return 0;
}

int queues_gather(struct selection *selection, const struct rec_thread *threads,
	struct placer *placer, struct families *families, queue_shares *ret, struct why *why)
{
	struct gathering gathering = {threads, placer, ret, {0}};

	*ret = (queue_shares){0};
	int error = selection_each_queue(selection, on_queue, &gathering, why);
	map64_clear(&gathering.known);
	vec_each (share, ret)
		families_add(families, share->name);
	return error;
}

static int compare_shares(const void *left, const void *right)
{
	const struct queue_share *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->kind != b->kind ? (int)a->kind - (int)b->kind : strcmp(a->name, b->name);
}

/* The shares of all names for which the line of runnable time is `line`; NULL: of all. */
static void sum_of(
	const struct summary *summary, const struct summary_line *line, queue_shares *ret)
{
	struct map64 known = {0};

	*ret = (queue_shares){0};
	vec_each (share, &summary->queues) {
		struct queue_share one = *share;
		if (line && summary_family_root(summary, one.root) != line->root)
			continue;
		one.root = 0;
		one.name = family_of(&summary->occupant_families, one.name);
		add(&known, ret, &one);
	}
	map64_clear(&known);
	vec_sort(ret, compare_shares);
}

void queues_of_line(const struct summary *summary, size_t line, queue_shares *ret)
{
	sum_of(summary, &summary->lines.at[line], ret);
}

void queues_of_all(const struct summary *summary, queue_shares *ret)
{
	sum_of(summary, NULL, ret);
}
