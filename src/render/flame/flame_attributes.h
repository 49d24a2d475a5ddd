/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attributes of functions by name (--nameattr): a file of lines NAME<TAB>ATTRIBUTE=VALUE..., with
 * the attributes href, target, class and title. Pictures are passed on, so nothing that could run
 * a script is taken.
 */
#ifndef DWELL_RENDER_FLAME_ATTRIBUTES_H
#define DWELL_RENDER_FLAME_ATTRIBUTES_H

#include <stddef.h>
#include <stdio.h>

#include "util/why.h"

enum flame_attribute {
	ATTRIBUTE_HREF,
	ATTRIBUTE_TARGET,
	ATTRIBUTE_CLASS,
	ATTRIBUTE_TITLE,
	ATTRIBUTES,
};

struct flame_attributes;

struct flame_attributes *flame_attributes_new(void);
void flame_attributes_free(struct flame_attributes *attributes);
/* 0, or -EINVAL with why: an unknown attribute, a line without a tab, a link that is no http(s),
 * file or relative one. */
int flame_attributes_read(struct flame_attributes *attributes, FILE *in, struct why *why);
/* Borrowed; NULL if the function has no such attribute. */
const char *flame_attributes_get(const struct flame_attributes *attributes, const char *name,
	size_t length, enum flame_attribute which);

#endif
