/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Typed growable arrays: VEC(int) numbers = {0}; vec_push(&numbers, 3); numbers.at[0]; vec_clear().
 * All zero is a valid empty vector. Pointers into `at` die with the next push.
 */
#ifndef DWELL_UTIL_VEC_H
#define DWELL_UTIL_VEC_H

#include "util/mem.h"

#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *at;                                                                          \
		size_t count;                                                                      \
		size_t room;                                                                       \
	}

#define vec_reserve(vec, wanted)                                                                   \
	do {                                                                                       \
		size_t vec_wanted_ = (wanted);                                                     \
		if (vec_wanted_ > (vec)->room) {                                                   \
			size_t vec_room_ = (vec)->room ? (vec)->room * 2 : 16;                     \
			if (vec_room_ < vec_wanted_)                                               \
				vec_room_ = vec_wanted_;                                           \
			(vec)->at = xreallocarray((vec)->at, vec_room_, sizeof(*(vec)->at));       \
			(vec)->room = vec_room_;                                                   \
		}                                                                                  \
	} while (0)

#define vec_push(vec, item)                                                                        \
	do {                                                                                       \
		vec_reserve(vec, (vec)->count + 1);                                                \
		(vec)->at[(vec)->count++] = (item);                                                \
	} while (0)

/* Appends `number` items copied from `items`. */
#define vec_append(vec, items, number)                                                             \
	do {                                                                                       \
		size_t vec_number_ = (number);                                                     \
		vec_reserve(vec, (vec)->count + vec_number_);                                      \
		if (vec_number_)                                                                   \
			__builtin_memcpy((vec)->at + (vec)->count, items,                          \
				vec_number_ * sizeof(*(vec)->at));                                 \
		(vec)->count += vec_number_;                                                       \
	} while (0)

#define vec_each(item, vec)                                                                        \
	for (__typeof__(*(vec)->at) *item = (vec)->at; item < (vec)->at + (vec)->count; item++)

#define vec_sort(vec, compare)                                                                     \
	do {                                                                                       \
		if ((vec)->count > 1)                                                              \
			qsort((vec)->at, (vec)->count, sizeof(*(vec)->at), compare);               \
	} while (0)

#define vec_clear(vec)                                                                             \
	do {                                                                                       \
		free((vec)->at);                                                                   \
		(vec)->at = NULL;                                                                  \
		(vec)->count = (vec)->room = 0;                                                    \
	} while (0)

#endif
