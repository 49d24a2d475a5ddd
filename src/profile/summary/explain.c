// SPDX-License-Identifier: GPL-2.0-or-later
/* Chains of a line into causes. */
#include "profile/summary/explain.h"

#include <string.h>

#include "profile/shares.h"
#include "util/hash.h"

/* A waker that ended this much is the waker. */
#define ALONE_PERCENT 90
/* What a cause waited for is said if it was for one thing but for this part. */
#define OTHER_THINGS_PART 5

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_cause(const struct cause *cause, const struct cause *wanted)
{
	bool is_thread = hop_kind_is_thread(wanted->kind);

	return hop_kind_is_thread(cause->kind) == is_thread &&
	       (is_thread || cause->kind == wanted->kind) && cause->reason == wanted->reason &&
	       !strcmp(cause->name, wanted->name) &&
	       is_same_text(cause->operation, wanted->operation) &&
	       is_same_text(cause->spot, wanted->spot) && cause->root_kind == wanted->root_kind &&
	       is_same_text(cause->root_name, wanted->root_name);
}

/* The cause that is like this one; what it waited in tells causes apart, too. */
static struct cause *cause_like(struct explanation *explanation, const struct cause *wanted)
{
	uint64_t kind = hop_kind_is_thread(wanted->kind) ? HOP_TASK : (uint64_t)wanted->kind;
	uint64_t hash = hash_text(hash_add(kind, (uint64_t)wanted->reason), wanted->name);

	hash = hash_text(hash, wanted->spot ? wanted->spot : "");
	hash = hash_text(hash_add(hash, (uint64_t)wanted->root_kind),
		wanted->root_name ? wanted->root_name : "");
	for (hash = hash_text(hash, wanted->operation ? wanted->operation : "");; hash++) {
		uint64_t *number = map64_put(&explanation->by_what, hash, NULL);
		if (!*number) {
			vec_push(&explanation->causes, *wanted);
			*number = explanation->causes.count;
		}
		struct cause *cause = &explanation->causes.at[*number - 1];
		if (is_cause(cause, wanted))
			return cause;
	}
}

static void leave_open(struct explanation *explanation, enum chain_end end, uint64_t ns)
{
	explanation->by_end_ns[end] += ns;
	explanation->unexplained_ns += ns;
}

/* Names are few, and each is one text: the largest is kept as they come, by turns of a majority. */
static void add_forgotten(struct explanation *explanation, const struct cause_hop *hop, uint64_t ns)
{
	explanation->forgotten_all_ns += ns;
	if (!ns || !hop->name[0])
		return;
	if (is_same_text(explanation->forgetful, hop->name)) {
		explanation->forgotten_ns += ns;
	} else if (explanation->forgotten_ns >= ns) {
		explanation->forgotten_ns -= ns;
	} else {
		explanation->forgetful = hop->name;
		explanation->forgotten_ns = ns - explanation->forgotten_ns;
	}
}

static void add_own_share(
	struct explanation *explanation, const struct cause_hop *hop, const struct rec_share *share)
{
	struct cause wanted = {.kind = hop->kind, .name = hop->name};

	leave_open(explanation, CHAIN_EARLIER, share->earlier_ns);
	add_forgotten(explanation, hop, share->earlier_ns);
	if (!share->ran_ns && !share->no_cpu_ns)
		return;
	struct cause *cause = cause_like(explanation, &wanted);
	cause->ran_ns += share->ran_ns;
	cause->no_cpu_ns += share->no_cpu_ns;
}

/*
 * Is the wait that this hop ended one that goes on to another holder? A lock goes from hand to
 * hand, so whoever waited for a lock itself did not have it; whoever waited for anything else did.
 * Other waits are for whoever is behind them, as long as that is a thread.
 */
static bool is_handed_on(const struct cause_hop *hop, bool is_held)
{
	if (is_held)
		return hop->is_lock;
	switch (hop->reason) {
	case REASON_DISK:
	case REASON_JOURNAL:
	case REASON_SLEEP:
	case REASON_FAULT:
	case REASON_STOPPED:
	case REASON_KERNEL:
		return false;
	default:
		return true;
	}
}

/*
 * What a disk or the network did says something, and for whom it waited; that a timer ended a sleep
 * goes without saying.
 */
static bool is_telling(const struct cause_hop *root, enum reason reason)
{
	if (hop_kind_is_thread(root->kind))
		return root->name[0] && reason != REASON_DISK && reason != REASON_JOURNAL &&
		       reason != REASON_SLEEP;
	return root->kind != HOP_TIMER && root->kind != HOP_IPI;
}

/* The waker before hops[i] was itself in a wait, which that hop ended, for so long. */
static void add_wait_of(struct explanation *explanation, const struct cause_hop *hops, uint32_t i,
	const struct cause_hop *root, uint64_t ns)
{
	struct cause wanted = {.kind = hops[i - 1].kind,
		.name = hops[i - 1].name,
		.reason = hops[i].reason,
		.operation = hops[i].operation,
		.spot = hops[i].spot};

	if (!ns)
		return;
	if (is_telling(root, wanted.reason)) {
		wanted.root_kind = root->kind;
		wanted.root_name = root->name;
	}
	struct cause *cause = cause_like(explanation, &wanted);
	cause->waited_ns += ns;
	if (hops[i].thing != REC_NONE)
		*map64_put(&explanation->ns_by_thing,
			(uint64_t)(cause - explanation->causes.at) << 32 | hops[i].thing, NULL) +=
			ns;
}

/* Waits that differ in their things alone are one cause; the thing is said if it is one. */
static void settle_things(struct explanation *explanation, const struct things *things)
{
	for (size_t i = 0; i < explanation->ns_by_thing.room; i++) {
		const struct map64_slot *slot = &explanation->ns_by_thing.slots[i];
		struct cause *cause = &explanation->causes.at[slot->key >> 32];
		if (slot->is_used &&
			slot->value >= cause->waited_ns - cause->waited_ns / OTHER_THINGS_PART)
			cause->thing = &things->at.at[(uint32_t)slot->key];
	}
}

static uint64_t ns_from(const struct rec_share *shares, uint32_t first, uint32_t count)
{
	uint64_t ns = 0;

	for (uint32_t i = first; i < count; i++)
		ns += share_ns(&shares[i]);
	return ns;
}

/* Behind the waker before hops[i]: metal says most; of threads, the one that it waited for. */
static const struct cause_hop *root_of(
	const struct cause_hop *hops, uint32_t i, const struct cause_chain *chain)
{
	const struct cause_hop *last = &hops[chain->hop_count - 1];

	return hop_kind_is_metal(last->kind) && last->kind != HOP_TIMER ? last : &hops[i];
}

static void add_chain(struct explanation *explanation, const struct causes *causes,
	const struct cause_chain *chain)
{
	const struct rec_share *shares = causes->shares.at + chain->first_share;
	const struct cause_hop *hops = causes->hops.at + chain->first_hop;

	for (uint32_t i = 0; i < chain->hop_count; i++) {
		bool is_metal = hop_kind_is_metal(hops[i].kind);
		if (i && (is_metal || (hops[i].has_waited &&
					      !is_handed_on(&hops[i], explanation->is_held)))) {
			add_wait_of(explanation, hops, i, root_of(hops, i, chain),
				ns_from(shares, i, chain->hop_count + 1));
			return;
		}
		add_own_share(explanation, &hops[i], &shares[i]);
	}
	leave_open(explanation, chain->end, shares[chain->hop_count].ran_ns);
}

struct ender {
	const char *name;
	uint64_t ns;
};

/* The name of the thread that ended nearly all of what anybody ended; NULL if there is none. */
static const char *only_waker(
	const struct causes *causes, const struct cause_chain *chains, size_t count)
{
	struct map64 ended = {0}; /* name, of which the recording has each once -> ns */
	struct ender best = {0};
	uint64_t ended_ns = 0;

	for (size_t i = 0; i < count; i++) {
		const struct cause_hop *hop = causes->hops.at + chains[i].first_hop;
		uint64_t *ns;
		if (!chains[i].hop_count)
			continue;
		ended_ns += chains[i].total_ns;
		if (!hop_kind_is_thread(hop->kind) || !hop->name[0])
			continue;
		ns = map64_put(&ended, (uint64_t)(uintptr_t)hop->name, NULL);
		*ns += chains[i].total_ns;
		if (*ns > best.ns)
			best = (struct ender){hop->name, *ns};
	}
	map64_clear(&ended);
	return (unsigned __int128)best.ns * 100 >= (unsigned __int128)ended_ns * ALONE_PERCENT
		       ? best.name
		       : NULL;
}

static size_t line_of_cause(const struct summary *summary, const struct cause *cause, size_t except)
{
	size_t line = summary_find_line(summary, cause->name, cause->reason, cause->operation,
		cause->spot, cause->thing ? cause->thing->text : NULL);

	return line == except + 1 ? 0 : line;
}

static int compare_causes(const void *left, const void *right)
{
	const struct cause *a = left, *b = right;

	if (cause_ns(a) != cause_ns(b))
		return cause_ns(a) > cause_ns(b) ? -1 : 1;
	return strcmp(a->name, b->name);
}

void explain_line(const struct summary *summary, size_t line, struct explanation *ret)
{
	const struct causes *causes = &summary->causes;
	size_t count;
	const struct cause_chain *chains = causes_of(causes, (uint32_t)line, &count);
	uint64_t known_ns = 0;

	*ret = (struct explanation){
		.total_ns = summary->lines.at[line].total_ns, .words = summary->words};
	ret->waker = only_waker(causes, chains, count);
	ret->is_held = line_is_held(&summary->lines.at[line]);
	const struct last_wait *endless =
		deadlocks_wait_of(&summary->deadlocks, summary->lines.at[line].unended_by);
	ret->owner = endless ? endless->owner : NULL;
	for (size_t i = 0; i < count; i++)
		add_chain(ret, causes, &chains[i]);
	settle_things(ret, &summary->things);
	vec_each (cause, &ret->causes) {
		if (cause->waited_ns)
			cause->see = line_of_cause(summary, cause, line);
		if (cause->ran_ns && hop_kind_is_thread(cause->kind))
			cause->ran_in = computed_mostly_in(
				computed_by_name(&summary->computing, cause->name));
	}
	for (size_t i = 0; i < count; i++)
		known_ns += chains[i].total_ns;
	/* Rows of full tables have no chain. */
	if (ret->total_ns > known_ns)
		leave_open(ret, CHAIN_OVERFLOW, ret->total_ns - known_ns);
	vec_sort(&ret->causes, compare_causes);
}

void explain_all(const struct summary *summary, struct explanation *ret)
{
	*ret = (struct explanation){.words = summary->words};
	vec_each (chain, &summary->causes.chains) {
		ret->total_ns += chain->total_ns;
		add_chain(ret, &summary->causes, chain);
	}
	settle_things(ret, &summary->things);
	vec_sort(&ret->causes, compare_causes);
}

void explanation_clear(struct explanation *explanation)
{
	vec_clear(&explanation->causes);
	map64_clear(&explanation->by_what);
	map64_clear(&explanation->ns_by_thing);
}

enum chain_end explanation_main_end(const struct explanation *explanation)
{
	unsigned int best = 0;

	for (unsigned int end = 1; end < WORDS_MOST; end++)
		if (explanation->by_end_ns[end] > explanation->by_end_ns[best])
			best = end;
	return (enum chain_end)best;
}
