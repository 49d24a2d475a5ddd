/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which mappings of a process are left out if it has more than the kernel side can search: those of
 * files that are mapped very often, and code without a file, which counts as one file. A library
 * that is mapped once stays, so that stacks through it stay whole.
 */
#ifndef DWELL_UNWIND_MAPPING_CHOICE_H
#define DWELL_UNWIND_MAPPING_CHOICE_H

#include "symbol/maps.h"

/* For each line whether it stays; at most `most` do. To be freed. */
bool *mapping_choice(const struct map_lines *lines, size_t most);

#endif
