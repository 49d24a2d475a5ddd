/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares text with a file under tests/golden/; with DWELL_UPDATE_GOLDEN=1 the file is written
 * instead, to be looked at and committed. Tests run from the top of the tree, or say in DWELL_TOP
 * where that is. Include after cmocka.
 */
#ifndef DWELL_TESTS_GOLDEN_H
#define DWELL_TESTS_GOLDEN_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

static inline char *golden_path(const char *name)
{
	const char *top = getenv("DWELL_TOP");

	return xasprintf("%s/tests/golden/%s", top ? top : ".", name);
}

static inline char *golden_read(const char *path)
{
	_cleanup_fclose_ FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;

	if (!in)
		fail_msg("%s: %s (DWELL_UPDATE_GOLDEN=1 writes it)", path, strerror(errno));
	/* A text holds no NUL: this is the whole file. */
	if (getdelim(&text, &room, 0, in) < 0)
		fail_msg("%s: cannot be read", path);
	return text;
}

static inline void assert_golden(const char *text, const char *name)
{
	_cleanup_free_ char *path = golden_path(name);
	const char *update = getenv("DWELL_UPDATE_GOLDEN");

	if (update && update[0]) {
		_cleanup_fclose_ FILE *out = fopen(path, "w");
		if (!out || fputs(text, out) < 0)
			fail_msg("%s: %s", path, strerror(errno));
		return;
	}
	_cleanup_free_ char *wanted = golden_read(path);
	assert_string_equal(text, wanted);
}

#endif
