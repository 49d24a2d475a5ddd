/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the cache share; unwind_cache.h is for others. */
#ifndef DWELL_UNWIND_CACHE_PRIVATE_H
#define DWELL_UNWIND_CACHE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "unwind/unwind_cache.h"

/* "HEX-OWNER.cfi"; while it is written "tmp-PID-NUMBER". */
#define CACHE_ENDING ".cfi"
#define CACHE_TEMP "tmp-"

struct unwind_cache {
	int folder; /* fd */
	uint64_t limit_bytes;
	atomic_uint next_temp;
	pthread_mutex_t lock; /* of what follows, and of sweeping */
	uint64_t used_bytes;  /* as far as we know: others may use the folder, too */
};

/*
 * Looks at the folder anew: removes what writers left behind, and, if it is beyond its limit, the
 * tables that were used longest ago until a quarter of it is free. With the lock held.
 */
void unwind_cache_sweep(struct unwind_cache *cache);

#endif
