// SPDX-License-Identifier: GPL-2.0-or-later
/* One line of text about a failure. */
#include "util/why.h"

#include <stdarg.h>
#include <stdio.h>

int why_set(struct why *why, int error, const char *format, ...)
{
	va_list args;

	if (!why)
		return error;
	va_start(args, format);
	vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	return error;
}
