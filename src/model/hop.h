/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words for wake chains: kinds of hops, and how a chain ends. Numbers are in contract/hop.h. */
#ifndef DWELL_MODEL_HOP_H
#define DWELL_MODEL_HOP_H

#include <stdbool.h>
#include <stddef.h>

#include "contract/hop.h"

/* "task", "irq", "softirq", "softirq in task", "timer", "ipi", "disk", ... */
const char *hop_kind_name(enum hop_kind kind);
bool hop_kind_from_name(const char *name, enum hop_kind *ret);
/* An interrupt, a timer or a disk: a chain ends there. */
bool hop_kind_is_metal(enum hop_kind kind);

/* A thread, in whatever way it did it; false for metal, and for a kind that this dwell does not
 * have. */
bool hop_kind_is_thread(enum hop_kind kind);

/* Is it the timer of a sleep with a limit, which only the sleeper sets for itself? */
bool hop_is_own_timer(enum hop_kind kind, const char *name);

/*
 * The frame that stands for a waker: its name for a thread; for metal "[irq NAME]",
 * "[softirq VEC]", "[timer FUNC]", "[ipi]", "[disk NAME]", without the name if there is none.
 * Cut to size.
 */
void hop_frame(enum hop_kind kind, const char *name, size_t size, char *ret);

/* "metal", "awake", "depth limit", "no waker", "not woken", "earlier", "overflow". */
const char *chain_end_name(enum chain_end end);
/* The same for those who do not know the words of the views: "it had not ended", ... */
const char *chain_end_plain(enum chain_end end);
/* The frame that stands for what is behind the last hop: "[depth limit]", ...; NULL: nothing. */
const char *chain_end_frame(enum chain_end end);
/* May there be time behind the last hop? Not after metal and not after one who was awake. */
bool chain_end_has_rest(enum chain_end end);

#endif
