/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words for a thread's time: enum time_state, the kernel's task state letters, bands. */
#ifndef DWELL_MODEL_STATE_H
#define DWELL_MODEL_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/contract.h"

/* "running", "woken", "preempted", "blocked", "sample": as stored in a recording and in JSON. */
const char *state_name(enum time_state state);
/* false if no state has that name. */
bool state_from_name(const char *name, enum time_state *ret);

static inline bool state_is_runnable(enum time_state state)
{
	return state == TIME_WOKEN || state == TIME_PREEMPTED;
}

/* Band of a wait of that length. */
unsigned int band_of(uint64_t ns);
/* Shortest length that belongs to the band: 0, 10 us, 100 us, ... */
uint64_t band_start_ns(unsigned int band);
/* "< 10 us", "10-100 us", ... */
const char *band_name(unsigned int band);

#endif
