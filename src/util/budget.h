/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bound on what several parts of the program keep together. For one thread. */
#ifndef DWELL_UTIL_BUDGET_H
#define DWELL_UTIL_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct budget {
	uint64_t left_bytes;
};

/* false: that much is not left, and nothing is taken. */
static inline bool budget_take(struct budget *budget, uint64_t bytes)
{
	if (bytes > budget->left_bytes)
		return false;
	budget->left_bytes -= bytes;
	return true;
}

static inline void budget_give(struct budget *budget, uint64_t bytes)
{
	budget->left_bytes += bytes;
}

#endif
