// SPDX-License-Identifier: GPL-2.0-or-later
/* How commands complain and how they end. */
#include "cli/command.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "cli/output.h"
#include "util/mem.h"
#include "util/text.h"

int fail(int status, const char *format, ...)
{
	_cleanup_free_ char *raw = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&raw, format, args) < 0)
		raw = NULL;
	va_end(args);
	_cleanup_free_ char *clean = text_clean(raw ? raw : "out of memory", false);
	fprintf(stderr, "dwell: %s\n", clean);
	return status;
}

int fail_reading(int error, const struct why *why)
{
	return fail(error == -ERANGE ? STATUS_NOTHING : STATUS_USAGE, "%s", why->text);
}

int finish_stdout(int status)
{
	int error = output_flush(stdout);

	/* A reader that closes its pipe has had enough: no error. */
	if (!error || error == -EPIPE)
		return status;
	return fail(STATUS_USAGE, "cannot write the output: %s", strerror(-error));
}
