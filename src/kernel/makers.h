/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who makes maps while a recording runs. The recorder has given up the right to do so by then: a
 * helper process has kept that one, and makes nothing but tables and chunks of tables.
 */
#ifndef DWELL_KERNEL_MAKERS_H
#define DWELL_KERNEL_MAKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/helper.h"

/* Bounds of what is made: more is refused. */
#define MAKERS_MAX_ROWS (1u << 26)
#define MAKERS_MAX_BYTES 4096u

/* A hash table of sum rows with values of so many bytes; bytes 0: a chunk of unwind tables. */
struct makers_order {
	uint32_t rows;
	uint32_t bytes;
};

int makers_new(struct helpers **ret, struct why *why);
/* The map's fd or -errno. makers NULL: this process makes it. */
int makers_make(struct helpers *makers, const struct makers_order *order);

#endif
