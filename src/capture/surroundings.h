/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the machine did around the recorded threads: how busy its CPUs were, and what a quota kept.
 */
#ifndef DWELL_CAPTURE_SURROUNDINGS_H
#define DWELL_CAPTURE_SURROUNDINGS_H

#include "host/cpu_load.h"
#include "host/quota.h"
#include "kernel/options.h"
#include "recording/recording.h"

/* All zero is valid: nothing is known. */
struct surroundings {
	struct cpu_load before;
	struct quota quota; /* of the first of several targets */
};

void surroundings_begin(struct surroundings *around, const struct capture_options *options);
/* What was since then, into the recording's figures. */
void surroundings_tell(const struct surroundings *around, struct rec_meta *meta);
void surroundings_clear(struct surroundings *around);

#endif
