// SPDX-License-Identifier: GPL-2.0-or-later
/* Chains of a line into causes. */
#include "profile/summary/explain.h"

#include <string.h>

#include "profile/shares.h"
#include "util/hash.h"

/* A waker that ended this much is the waker. */
#define ALONE_PERCENT 90

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_cause(const struct cause *cause, const struct cause_hop *hop, enum reason reason,
	const char *operation)
{
	bool is_thread = hop_kind_is_thread(hop->kind);

	return hop_kind_is_thread(cause->kind) == is_thread &&
	       (is_thread || cause->kind == hop->kind) && cause->reason == reason &&
	       !strcmp(cause->name, hop->name) && is_same_text(cause->operation, operation);
}

/* The cause of that name; what it waited in tells causes apart, too. */
static struct cause *cause_of(struct explanation *explanation, const struct cause_hop *hop,
	enum reason reason, const char *operation)
{
	uint64_t kind = hop_kind_is_thread(hop->kind) ? HOP_TASK : (uint64_t)hop->kind;
	uint64_t hash = hash_text(hash_add(kind, (uint64_t)reason), hop->name);

	for (hash = hash_text(hash, operation ? operation : "");; hash++) {
		uint64_t *number = map64_put(&explanation->by_what, hash, NULL);
		if (!*number) {
			struct cause made = {.kind = hop->kind,
				.name = hop->name,
				.reason = reason,
				.operation = operation};
			vec_push(&explanation->causes, made);
			*number = explanation->causes.count;
		}
		struct cause *cause = &explanation->causes.at[*number - 1];
		if (is_cause(cause, hop, reason, operation))
			return cause;
	}
}

static void leave_open(struct explanation *explanation, enum chain_end end, uint64_t ns)
{
	explanation->by_end_ns[end] += ns;
	explanation->unexplained_ns += ns;
}

static void add_own_share(
	struct explanation *explanation, const struct cause_hop *hop, const struct rec_share *share)
{
	leave_open(explanation, CHAIN_EARLIER, share->earlier_ns);
	if (!share->ran_ns && !share->no_cpu_ns)
		return;
	struct cause *cause = cause_of(explanation, hop, REASON_UNKNOWN, NULL);
	cause->ran_ns += share->ran_ns;
	cause->no_cpu_ns += share->no_cpu_ns;
}

/* Each hop with its own share. */
static void add_hop_by_hop(struct explanation *explanation, const struct causes *causes,
	const struct cause_chain *chain)
{
	const struct rec_share *shares = causes->shares.at + chain->first_share;

	for (uint32_t i = 0; i < chain->hop_count; i++)
		add_own_share(explanation, &causes->hops.at[chain->first_hop + i], &shares[i]);
	leave_open(explanation, chain->end, shares[chain->hop_count].ran_ns);
}

/* The first waker, with what it slept in as a whole. */
static void add_first_hop(struct explanation *explanation, const struct causes *causes,
	const struct cause_chain *chain)
{
	const struct rec_share *shares = causes->shares.at + chain->first_share;
	const struct cause_hop *hops = causes->hops.at + chain->first_hop;
	uint64_t slept_ns = 0;

	if (chain->hop_count < 2) {
		add_hop_by_hop(explanation, causes, chain);
		return;
	}
	add_own_share(explanation, &hops[0], &shares[0]);
	for (uint32_t i = 1; i <= chain->hop_count; i++)
		slept_ns += share_ns(&shares[i]);
	if (!slept_ns)
		return;
	struct cause *cause = cause_of(explanation, &hops[0], hops[1].reason, hops[1].operation);
	cause->waited_ns += slept_ns;
	if (hops[1].kind == HOP_TIMER)
		cause->timer_ns += slept_ns;
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
	size_t line = summary_find_line(summary, cause->name, cause->reason, cause->operation);

	return line == except + 1 ? 0 : line;
}

static int compare_causes(const void *left, const void *right)
{
	const struct cause *a = left, *b = right;

	if (cause_ns(a) != cause_ns(b))
		return cause_ns(a) > cause_ns(b) ? -1 : 1;
	return strcmp(a->name, b->name);
}

/*
 * Is what the waker slept in told best by its name? So it is if that is a line of its own, or a
 * sleep that a timer ended, and if it is an operation that people know. Else what woke it tells
 * more.
 */
static bool slept_in_operations(
	const struct summary *summary, struct explanation *explanation, size_t except)
{
	uint64_t known_ns = 0, slept_ns = 0;

	vec_each (cause, &explanation->causes) {
		if (!cause->waited_ns)
			continue;
		cause->see = line_of_cause(summary, cause, except);
		slept_ns += cause->waited_ns;
		if (cause->operation)
			known_ns += cause->see ? cause->waited_ns : cause->timer_ns;
	}
	return known_ns >= slept_ns - slept_ns / 4;
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
	for (size_t i = 0; ret->waker && i < count; i++)
		add_first_hop(ret, causes, &chains[i]);
	if (!ret->waker || !slept_in_operations(summary, ret, line)) {
		uint64_t total_ns = ret->total_ns;
		explanation_clear(ret);
		*ret = (struct explanation){.total_ns = total_ns, .words = summary->words};
		for (size_t i = 0; i < count; i++)
			add_hop_by_hop(ret, causes, &chains[i]);
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
		add_hop_by_hop(ret, &summary->causes, chain);
	}
	vec_sort(&ret->causes, compare_causes);
}

void explanation_clear(struct explanation *explanation)
{
	vec_clear(&explanation->causes);
	map64_clear(&explanation->by_what);
}

enum chain_end explanation_main_end(const struct explanation *explanation)
{
	unsigned int best = 0;

	for (unsigned int end = 1; end < WORDS_MOST; end++)
		if (explanation->by_end_ns[end] > explanation->by_end_ns[best])
			best = end;
	return (enum chain_end)best;
}
