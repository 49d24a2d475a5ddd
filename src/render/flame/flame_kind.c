// SPDX-License-Identifier: GPL-2.0-or-later
/* Kinds of frames. */
#include "render/flame/flame_kind.h"

#include <string.h>

static const struct {
	char letter;
	const char *word;
} sorts[FLAME_SORTS] = {
	[FLAME_NAME] = {'n', NULL},
	[FLAME_KERNEL] = {'k', "kernel"},
	[FLAME_JIT] = {'j', "JIT"},
	[FLAME_INLINED] = {'i', "inlined"},
	[FLAME_MARK] = {'m', NULL},
	[FLAME_SEPARATOR] = {'m', NULL},
};

char flame_sort_letter(enum flame_sort sort)
{
	return sorts[sort].letter;
}

const char *flame_sort_word(enum flame_sort sort)
{
	return sorts[sort].word;
}

bool flame_kind_is_hop(const char *label)
{
	return !strcmp(label, "--");
}

static enum flame_sort sort_of_kind(enum frame_kind kind)
{
	switch (kind) {
	case FRAME_NAME:
		return FLAME_NAME;
	case FRAME_KERNEL:
		return FLAME_KERNEL;
	case FRAME_MARK:
		return FLAME_MARK;
	default:
		return FLAME_USER;
	}
}

/* Takes one suffix off the name; false if there is none. */
static bool take_suffix(struct flame_kind *kind)
{
	const char *end = kind->name + kind->length;

	if (kind->length < 5 || memcmp(end - 4, "_[", 2) || end[-1] != ']')
		return false;
	switch (end[-2]) {
	case 'k':
		kind->sort = FLAME_KERNEL;
		break;
	case 'j':
		kind->sort = FLAME_JIT;
		break;
	case 'i':
		kind->sort = FLAME_INLINED;
		break;
	case 'w':
		kind->is_waker = true;
		break;
	default:
		return false;
	}
	kind->length -= 4;
	return true;
}

struct flame_kind flame_kind_of(const char *label, enum frame_kind kind, bool is_after_separator)
{
	struct flame_kind made = {.name = label,
		.length = strlen(label),
		.sort = sort_of_kind(kind),
		.is_waker = is_after_separator};

	if (flame_kind_is_hop(label) || !strcmp(label, "-")) {
		made.sort = FLAME_SEPARATOR;
		return made;
	}
	/* At most two: name_[k]_[w]. */
	if (take_suffix(&made) && made.is_waker)
		take_suffix(&made);
	if (!made.length) {
		made.name = "[no name]";
		made.length = strlen(made.name);
	}
	return made;
}
