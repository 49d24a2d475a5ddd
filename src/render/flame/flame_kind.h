/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a frame is, from its place in the tree and from the suffixes that folded stacks carry:
 * name_[k] kernel, _[i] inlined, _[j] JIT, _[w] waker. The suffix is not part of the name.
 */
#ifndef DWELL_RENDER_FLAME_KIND_H
#define DWELL_RENDER_FLAME_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/tree.h"

enum flame_sort {
	FLAME_USER,
	FLAME_NAME, /* thread, process, ... */
	FLAME_KERNEL,
	FLAME_JIT,
	FLAME_INLINED,
	FLAME_MARK,      /* words that dwell adds: [runq] */
	FLAME_SEPARATOR, /* "-", "--": between stacks */
	FLAME_SORTS,
};

struct flame_kind {
	const char *name; /* borrowed, without the suffix */
	size_t length;    /* of the name, bytes */
	enum flame_sort sort;
	bool is_waker; /* a frame of who ended the wait */
};

struct flame_kind flame_kind_of(const char *label, enum frame_kind kind, bool is_after_separator);

/* Does this label separate a stack from its waker's? */
bool flame_kind_is_hop(const char *label);

/* One letter for the class attribute; 0 for plain user frames. */
char flame_sort_letter(enum flame_sort sort);
/* "kernel", "JIT", "inlined"; NULL where the name itself says it. */
const char *flame_sort_word(enum flame_sort sort);

#endif
