/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a thread waited for lately: its last PAST_ENTRIES segments, the oldest are forgotten. A
 * segment is a piece of one of its waits, and says which hop of which chain it was spent on.
 * Segments ascend and are disjoint; those of a wait tile it, and between two waits the thread was
 * awake. The first one of a thread is empty: [t, t), since when it is known.
 *
 * Segments are numbered from 0 on, in the order of time. All zero is a thread without a past.
 */
#ifndef DWELL_REPLAY_PAST_H
#define DWELL_REPLAY_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAST_ENTRIES 64

enum past_what {
	PAST_RAN,     /* the hop was awake, or is metal */
	PAST_EARLIER, /* it did something that nobody remembers */
	PAST_REST,    /* behind the last hop */
};

struct past_segment {
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t no_cpu_ns; /* of PAST_RAN: how long the hop had no CPU */
	uint64_t after_ns;  /* how long the thread itself had none from to_ns to its next wait */
	uint32_t chain;     /* number of the chain that explains it */
	uint32_t waited;    /* stack in which the thread itself waited */
	uint16_t position;  /* of the hop in the chain; hop_count: behind the last */
	uint16_t what;      /* enum past_what */
};

struct past {
	struct past_segment *at;
	uint32_t room;
	uint32_t end; /* the next one's number */
};

void past_clear(struct past *past);
/* False, and nothing is done, if it begins before the last one's end. */
bool past_add(struct past *past, const struct past_segment *segment);
/* The first one that ends after at_ns; past->end: none. */
uint32_t past_find(const struct past *past, uint64_t at_ns);

/* The number of the oldest one that is remembered. */
static inline uint32_t past_begin(const struct past *past)
{
	return past->end > PAST_ENTRIES ? past->end - PAST_ENTRIES : 0;
}

/* Borrowed until the next past_add(). */
static inline struct past_segment *past_get(const struct past *past, uint32_t number)
{
	return &past->at[number % PAST_ENTRIES];
}

/* The last one, or NULL. */
static inline struct past_segment *past_last(const struct past *past)
{
	return past->end ? past_get(past, past->end - 1) : NULL;
}

#endif
