/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With --budget the stacks of some waits are left out, and those of others are kept by chance
 * (bpf/thin.bpf.h). How long all of them were is known, by thread, state, length and slice: the
 * time of those without stacks is shared out among the stacks of those of the same kind.
 */
#ifndef DWELL_CAPTURE_SPREAD_H
#define DWELL_CAPTURE_SPREAD_H

#include "kernel/kernel.h"

/*
 * Rows without stacks give all they have to chosen ones of their kind, in proportion to their time,
 * and are empty then. Sums over all rows of a kind stay what they were, to the nanosecond. Returns
 * the time of those that found none of their kind and stay as they are.
 */
uint64_t spread_thinned(kernel_rows *rows, kernel_waits *waits);

#endif
