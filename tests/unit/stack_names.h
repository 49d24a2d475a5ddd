/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stack as cases write it, as the names that the model wants. */
#ifndef DWELL_TESTS_STACK_NAMES_H
#define DWELL_TESTS_STACK_NAMES_H

#include <string.h>

#include "util/mem.h"

#define MOST 32

struct stack {
	char *copy;
	const char *names[MOST];
	size_t count;
};

/* "leaf;...;root"; "?" is an unnamed frame. */
static void split(const char *text, struct stack *ret)
{
	char *rest, *name;

	*ret = (struct stack){.copy = xstrdup(text)};
	rest = ret->copy;
	while ((name = strsep(&rest, ";"))) {
		assert_true(ret->count < MOST);
		ret->names[ret->count++] = strcmp(name, "?") ? name : NULL;
	}
}

#endif
