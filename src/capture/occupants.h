/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who had CPUs that threads were ready for: names come from the kernel once each, by their ids. */
#ifndef DWELL_CAPTURE_OCCUPANTS_H
#define DWELL_CAPTURE_OCCUPANTS_H

#include <stddef.h>
#include <stdint.h>

#include "contract/contract.h"

struct occupants;

struct occupants *occupants_new(void);
void occupants_free(struct occupants *occupants);

/* RECORD_OCCUPANT; damaged ones are ignored. */
void occupants_add(struct occupants *occupants, const void *record, size_t length);
/* NULL if no record has told it. Valid until the next one is added. */
const char *occupants_name(const struct occupants *occupants, uint64_t id);

#endif
