/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What single kernel functions mean for a wait; reason.h is for whole stacks. Private to
 * src/model/.
 */
#ifndef DWELL_MODEL_REASON_TABLE_H
#define DWELL_MODEL_REASON_TABLE_H

#include "model/reason.h"

/*
 * Does the name fit one of the list's patterns? Compared without the compiler's suffix (.isra.0); a
 * pattern that ends in '*' is a prefix.
 */
bool reason_table_fits(const char *const *list, size_t count, const char *name);
/* The reason that a function stands for; false if it stands for none. */
bool reason_table_find(const char *name, enum reason *ret);
/* Is it a helper that many subsystems wait in: REASON_KERNEL if no frame says more? */
bool reason_table_is_weak(const char *name);

#endif
