/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places and names in the code of real processes, for the tests of that. Include after cmocka. */
#ifndef DWELL_TESTS_CODE_PLACES_H
#define DWELL_TESTS_CODE_PLACES_H

#include "symbol/maps.h"
#include "symbol/object.h"

static inline struct code_maps *read_maps(struct object_table *table, pid_t pid)
{
	struct code_maps *maps = NULL;

	assert_int_equal(code_maps_read(table, (uint32_t)pid, &maps), 0);
	return maps;
}

static inline struct code_place find(const struct code_maps *maps, const void *address)
{
	struct code_place place = {0};

	assert_true(code_maps_find(maps, (uintptr_t)address, &place));
	assert_non_null(place.object);
	return place;
}

/* Asserts that the address has the name and is the function's first. */
static inline void check_name(const struct code_maps *maps, const void *address, const char *name)
{
	struct code_place place = find(maps, address);
	uint64_t offset = 7;
	const char *found = code_object_name(place.object, place.address, &offset);

	assert_non_null(found);
	assert_string_equal(found, name);
	assert_int_equal(offset, 0);
}

#endif
