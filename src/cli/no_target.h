/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets that are chosen by what threads are (-n, -G, -u, -k) may match nobody. */
#ifndef DWELL_CLI_NO_TARGET_H
#define DWELL_CLI_NO_TARGET_H

#include "cli/record_options.h"

/* One line on stderr, when recording has begun and nobody is there: who comes later is recorded. */
void no_target_yet(const struct record_options *options);
/* Nobody came: why->text says so. Returns -ENXIO. */
int no_target_at_all(const struct record_options *options, struct why *why);

#endif
