// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walk through nested windows, and what wakers remember. A wait becomes a list of segments in
 * the order of time: first what was recalled of each hop, the outermost hop first; then the
 * innermost one, then what each hop did since it woke, the outermost last.
 */
#include "replay/chain.h"

/* From when a waker woke to the end of its window. */
struct tail {
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t no_cpu_ns;
};

/* A wait that is being explained; [lo, hi) is what the hops so far have left. */
struct walk {
	struct chains *chains;
	const struct chain_hop *hops;
	uint32_t count;
	uint64_t lo;
	uint64_t hi;
	struct replay_chain chain;     /* as far as it was walked */
	struct past_segment innermost; /* without its chain; empty: none */
	struct tail tails[CONTRACT_MAX_HOPS];
	uint64_t truncated_ns;
};

/* What one hop recalls of [at, off). */
struct recall {
	struct walk *walk;
	uint32_t hop;
	uint32_t prefix; /* number of the chain up to this hop; its end means nothing */
	uint32_t chain;  /* of the segment before; 0: there is none */
	uint64_t at;
	uint64_t off;
	const struct past_segment *before; /* after which the waker was awake; NULL: not known */
	const struct past_segment *joined; /* whose chain, joined, is `chain`; NULL: none yet */
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Of ns in `whole`, what is in `part` of it. */
static uint64_t scale(uint64_t ns, uint64_t part, uint64_t whole)
{
	return part < whole ? (uint64_t)((unsigned __int128)ns * part / whole) : ns;
}

static void add_segment(struct chains *chains, struct past_segment segment)
{
	uint64_t ns = segment.to_ns - segment.from_ns;

	if (segment.to_ns <= segment.from_ns || chains->list_count >= PAST_ENTRIES)
		return;
	segment.no_cpu_ns = smaller(segment.no_cpu_ns, ns);
	chains->list[chains->list_count++] = segment;
}

static uint64_t overlap(uint64_t from, uint64_t to, uint64_t lo, uint64_t hi)
{
	uint64_t start = from > lo ? from : lo, end = to < hi ? to : hi;

	return end > start ? end - start : 0;
}

/*
 * How long a waker that was awake through all of [lo, hi) had no CPU, as bpf/explain.bpf.h has it:
 * the last time is known by its place; of those before only their sum since it was woken, which is
 * taken to be spread evenly.
 */
static uint64_t queued_within(const struct chain_hop *hop, uint64_t lo, uint64_t hi)
{
	uint64_t ns = overlap(hop->queue_from_ns, hop->queue_to_ns, lo, hi);
	uint64_t before_ns = hop->queued_ns - (hop->queue_to_ns - hop->queue_from_ns);

	if (hop->queue_to_ns > lo && hop->queue_from_ns > lo && before_ns &&
		hop->queue_from_ns > hop->woken_ns) {
		uint64_t part =
			(hop->queue_from_ns - lo) * 1024 / (hop->queue_from_ns - hop->woken_ns);
		ns += part < 1024 ? before_ns * part / 1024 : before_ns;
	}
	return ns < hi - lo ? ns : hi - lo;
}

static uint32_t put_prefix(struct walk *walk, enum chain_end end)
{
	walk->chain.end = end;
	return chain_table_put(walk->chains->table, &walk->chain);
}

/* The waker was awake from where the recall is to to_ns; its next wait began at gap_to_ns. */
static void recall_gap(struct recall *recall, uint64_t to_ns, uint64_t gap_to_ns, uint32_t chain)
{
	uint64_t no_cpu_ns = 0;

	if (recall->before && gap_to_ns > recall->before->to_ns)
		no_cpu_ns = scale(recall->before->after_ns, to_ns - recall->at,
			gap_to_ns - recall->before->to_ns);
	add_segment(recall->walk->chains, (struct past_segment){.from_ns = recall->at,
						  .to_ns = to_ns,
						  .no_cpu_ns = no_cpu_ns,
						  .chain = chain,
						  .position = (uint16_t)recall->hop,
						  .what = PAST_RAN});
	recall->at = to_ns;
}

/* A piece of a wait of the waker: it has the chain up to the waker, and behind that its own. */
static void recall_segment(struct recall *recall, const struct past_segment *past)
{
	struct walk *walk = recall->walk;
	struct chain_table *table = walk->chains->table;
	struct past_segment made = *past;
	uint32_t depth = walk->chains->depth, position = recall->hop + 1 + past->position;

	/* Most follow one of the same wait, or of one like it. */
	if (recall->joined && recall->joined->chain == past->chain &&
		recall->joined->waited == past->waited)
		made.chain = recall->chain;
	else
		made.chain =
			chain_table_join(table, recall->prefix, past->chain, past->waited, depth);
	if (past->from_ns > recall->at)
		recall_gap(recall, past->from_ns, past->from_ns,
			recall->chain ? recall->chain : made.chain);
	made.from_ns = recall->at;
	made.to_ns = smaller(past->to_ns, recall->off);
	made.no_cpu_ns =
		scale(past->no_cpu_ns, made.to_ns - made.from_ns, past->to_ns - past->from_ns);
	if (position >= depth && chain_table_get(table, made.chain)->end == CHAIN_DEPTH_LIMIT) {
		position = depth;
		made.what = PAST_REST;
		made.no_cpu_ns = 0;
		walk->truncated_ns += made.to_ns - made.from_ns;
	}
	made.position = (uint16_t)position;
	made.after_ns = 0;
	add_segment(walk->chains, made);
	recall->at = made.to_ns;
	recall->chain = made.chain;
	recall->joined = past;
}

/*
 * Of the segments [first, end) of a past as many of the last as make no more than `room` segments,
 * with the times between them, before the first and behind the last: where they begin.
 */
static uint32_t fitting(const struct past *past, uint32_t first, uint32_t end, uint32_t room)
{
	uint32_t needed = 2;

	for (; end > first; end--) {
		const struct past_segment *segment = past_get(past, end - 1);
		bool is_joined =
			end - 1 > first && past_get(past, end - 2)->to_ns == segment->from_ns;
		needed += is_joined ? 1 : 2;
		if (needed > room)
			break;
	}
	return end;
}

/* What hop i did in [from_ns, off_ns), before its last wait, in at most `room` segments. */
static void recall(struct walk *walk, uint32_t i, uint64_t from_ns, uint64_t off_ns, uint32_t room)
{
	const struct past *past = &walk->chains->threads.at[walk->hops[i].thread].past;
	struct recall recall = {.walk = walk, .hop = i, .at = from_ns, .off = off_ns};
	uint32_t first = past_find(past, from_ns), end = first;

	while (end < past->end && past_get(past, end)->from_ns < off_ns)
		end++;
	uint32_t begin = fitting(past, first, end, room);
	recall.prefix = put_prefix(walk, CHAIN_EARLIER);
	if (begin == first && first > past_begin(past)) {
		recall.before = past_get(past, first - 1);
	} else {
		uint64_t known_ns = begin < end ? past_get(past, begin)->from_ns : off_ns;
		add_segment(walk->chains, (struct past_segment){.from_ns = from_ns,
						  .to_ns = known_ns,
						  .chain = recall.prefix,
						  .position = (uint16_t)i,
						  .what = PAST_EARLIER});
		recall.at = known_ns > from_ns ? known_ns : from_ns;
	}
	for (; begin < end; begin++) {
		const struct past_segment *segment = past_get(past, begin);
		if (segment->from_ns < segment->to_ns)
			recall_segment(&recall, segment);
		recall.before = segment;
	}
	if (recall.at < off_ns)
		recall_gap(&recall, off_ns, off_ns,
			recall.chain ? recall.chain : put_prefix(walk, CHAIN_AWAKE));
}

static void end_walk(struct walk *walk, enum chain_end end, enum past_what what, uint32_t position)
{
	walk->chain.end = end;
	walk->innermost = (struct past_segment){.from_ns = walk->lo,
		.to_ns = walk->hi,
		.position = (uint16_t)position,
		.what = (uint16_t)what};
}

/* One hop's part of the window. True if the walk ends here. */
static bool explain_hop(struct walk *walk, uint32_t i)
{
	const struct chain_hop *hop = &walk->hops[i];
	uint64_t woken = smaller(hop->woken_ns, walk->hi), off = smaller(hop->off_ns, woken);

	if (hop_kind_is_metal(hop->waker.kind)) {
		end_walk(walk, CHAIN_METAL, PAST_RAN, i);
		return true;
	}
	if (hop->waker.kind == HOP_UNKNOWN) {
		end_walk(walk, CHAIN_NO_WAKER, PAST_REST, i + 1);
		return true;
	}
	if (woken <= walk->lo) {
		end_walk(walk, CHAIN_AWAKE, PAST_RAN, i);
		walk->innermost.no_cpu_ns = queued_within(hop, walk->lo, walk->hi);
		return true;
	}
	walk->tails[i] = (struct tail){woken, walk->hi, hop->queued_ns};
	if (off > walk->lo) {
		/* Each hop from here on needs room for its tail, and each but this one for what is
		 * not remembered; then there are the tails so far and the innermost one. */
		uint32_t taken = walk->chains->list_count + walk->count + (walk->count - i - 1) + 1;
		recall(walk, i, walk->lo, off, PAST_ENTRIES - taken);
		walk->lo = off;
	}
	walk->hi = woken;
	if (walk->hi > walk->lo)
		return false;
	end_walk(walk, CHAIN_AWAKE, PAST_RAN, i);
	return true;
}

static void walk_hops(struct walk *walk)
{
	uint32_t waited = 0;

	for (uint32_t i = 0; i < walk->count; i++) {
		walk->chain.links[i] = (struct replay_link){walk->hops[i].waker, waited};
		walk->chain.hop_count = i + 1;
		waited = walk->hops[i].waited;
		if (explain_hop(walk, i))
			return;
	}
	bool is_cut = walk->count == walk->chains->depth;
	end_walk(walk, is_cut ? CHAIN_DEPTH_LIMIT : CHAIN_NO_WAKER, PAST_REST, walk->count);
	walk->truncated_ns += is_cut ? walk->hi - walk->lo : 0;
}

/* Lists what the hops have left, and what each did since it woke. */
static void list_hops(struct walk *walk)
{
	uint32_t chain = chain_table_put(walk->chains->table, &walk->chain);

	walk->innermost.chain = chain;
	add_segment(walk->chains, walk->innermost);
	for (uint32_t i = walk->chain.hop_count; i-- > 0;)
		add_segment(walk->chains, (struct past_segment){.from_ns = walk->tails[i].from_ns,
						  .to_ns = walk->tails[i].to_ns,
						  .no_cpu_ns = walk->tails[i].no_cpu_ns,
						  .chain = chain,
						  .position = (uint16_t)i,
						  .what = PAST_RAN});
}

static bool is_tiled(const struct chains *chains, uint64_t from_ns, uint64_t to_ns)
{
	for (uint32_t i = 0; i < chains->list_count; i++) {
		if (chains->list[i].from_ns != from_ns)
			return false;
		from_ns = chains->list[i].to_ns;
	}
	return from_ns == to_ns;
}

/* A chain without hops: all of it is the rest. */
static void explain_by(struct chains *chains, enum chain_end end, uint64_t from_ns, uint64_t to_ns)
{
	struct replay_chain chain = {.end = end};

	chains->list_count = 0;
	add_segment(chains, (struct past_segment){.from_ns = from_ns,
				    .to_ns = to_ns,
				    .chain = chain_table_put(chains->table, &chain),
				    .what = PAST_REST});
}

void chains_explain(
	struct chains *chains, uint32_t index, uint64_t from_ns, uint64_t to_ns, bool has_waker)
{
	const struct chain_thread *thread =
		index < chains->threads.count ? &chains->threads.at[index] : NULL;

	if (!has_waker || !thread || !thread->has_pending) {
		explain_by(chains, CHAIN_NO_WAKER, from_ns, to_ns);
		return;
	}
	struct walk walk = {.chains = chains,
		.hops = thread->hops + !thread->buffer * chains->depth,
		.count = thread->counts[!thread->buffer],
		.lo = from_ns,
		.hi = to_ns};
	chains->list_count = 0;
	walk_hops(&walk);
	list_hops(&walk);
	chains->truncated += walk.truncated_ns > 0;
	chains->truncated_ns += walk.truncated_ns;
	chains->mismatches += !is_tiled(chains, from_ns, to_ns);
}

void chains_not_woken(struct chains *chains, uint64_t from_ns, uint64_t to_ns)
{
	explain_by(chains, CHAIN_NOT_WOKEN, from_ns, to_ns);
}

bool chains_next_part(const struct chains *chains, uint32_t *at, struct chain_part *ret)
{
	const struct past_segment *segment = &chains->list[*at];

	if (*at >= chains->list_count)
		return false;
	ret->chain = segment->chain;
	ret->from_ns = segment->from_ns;
	ret->share_count = chain_table_get(chains->table, ret->chain)->hop_count + 1;
	for (uint32_t i = 0; i < ret->share_count; i++)
		ret->shares[i] = (struct rec_share){0};
	for (; *at < chains->list_count && chains->list[*at].chain == ret->chain; ++*at) {
		segment = &chains->list[*at];
		struct rec_share *share = &ret->shares[segment->position];
		uint64_t ns = segment->to_ns - segment->from_ns;
		if (segment->what == PAST_EARLIER) {
			share->earlier_ns += ns;
		} else {
			share->no_cpu_ns += segment->no_cpu_ns;
			share->ran_ns += ns - segment->no_cpu_ns;
		}
	}
	ret->to_ns = segment->to_ns;
	ret->is_last = *at == chains->list_count;
	return true;
}
