// SPDX-License-Identifier: GPL-2.0-or-later
/* What is not found is told with what is near it. */
#include "kernel/event_find.h"

#include <errno.h>
#include <string.h>

#include "symbol/outside/outside.h"
#include "util/mem.h"

/* Places of one event. Each costs time when it is taken away again. */
#define MOST_PLACES 1024

int event_find_functions(const char *pattern, unsigned int needed_arguments,
	struct outside *outside, const struct event_file *file, struct parser_function **ret,
	size_t *ret_count, struct why *why)
{
	int error = parser_functions(
		outside->parsers, file->fd, pattern, needed_arguments, ret, ret_count);

	if (!error || error == -ENOENT) {
		/* What is no function by that pattern may still be one that cannot be watched. */
		uint64_t offset;
		int known =
			error ? parser_function(outside->parsers, file->fd, pattern, &offset) : 0;
		if (error && known)
			error = known;
	}
	switch (error) {
	case 0:
		return 0;
	case -ENOENT: {
		_cleanup_free_ char *near =
			parser_function_near(outside->parsers, file->fd, pattern);
		return why_set(why, -EINVAL, "there is no function %s in %s; %s%s", pattern,
			file->said, near ? "near it are " : "its symbols may be stripped",
			near ? near : "");
	}
	case -ENOTUNIQ:
		return why_set(why, -EINVAL,
			"there are several functions %s in %s: give one whose name is its own",
			pattern, file->said);
	case -ENOTSUP:
		return why_set(why, -EINVAL,
			"%s in %s is chosen among several functions when a program starts (IFUNC): "
			"give one of these, if the file names them, or one that calls it",
			pattern, file->said);
	case -ENOEXEC:
		return event_file_refuse(file, why);
	case -E2BIG:
		return why_set(why, -EINVAL,
			"more than %d functions of %s match %s; give a pattern that fits fewer",
			MOST_PLACES, file->said, pattern);
	default:
		return why_set(why, -EINVAL, "cannot look for functions in %s: %s", file->said,
			strerror(-error));
	}
}
