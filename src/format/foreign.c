// SPDX-License-Identifier: GPL-2.0-or-later
/* A table of first lines, and one shape of line. */
#include "format/foreign.h"

#include <string.h>

#include "util/mem.h"

#define LOOK_AT_LINES 400

enum where { AT_START, AT_A_LINE };

static const struct foreign {
	enum where where;
	bool is_certain;
	const char *mark;
	const char *name;
} foreigners[] = {
	{AT_START, true, "Analysis of sampling ",
		"the output of sample (macOS): fold it with stackcollapse-sample.awk"},
	{AT_START, true, "Running Time",
		"a copy from Instruments (macOS): fold it with stackcollapse-instruments.pl"},
	{AT_START, true, "<?xml", "XML, perhaps a picture: give the text that it was made of"},
	{AT_START, true, "<svg", "a picture: give the text that it was made of"},
	{AT_START, true, "<!DOCTYPE", "a page: give the text that it was made of"},
	{AT_START, true, "<html", "a page: give the text that it was made of"},
	{AT_START, true, "{\"",
		"JSON, which dwell does not read: fold it with the tool that made it"},
	{AT_START, true, "[{",
		"JSON, which dwell does not read: fold it with the tool that made it"},
	{AT_A_LINE, true, "# Overhead ", "a report of perf: give the text of perf script"},
	{AT_A_LINE, false, "Full thread dump",
		"a thread dump of Java: fold it with stackcollapse-jstack.pl"},
	{AT_A_LINE, false, "#0  ", "backtraces of gdb: fold them with stackcollapse-gdb.pl"},
	{AT_A_LINE, false,
		"PeriodType: ", "the text of pprof -raw: fold it with stackcollapse-go.pl"},
};

static bool starts_with(const char *text, size_t length, const char *mark)
{
	return length >= strlen(mark) && !memcmp(text, mark, strlen(mark));
}

/* "    libc.so.1`read+0xa" */
static bool is_dtrace_frame(const char *line, size_t length)
{
	const char *tick = memchr(line, '`', length);

	return tick && tick > line && tick + 1 < line + length && line[0] == ' ' &&
	       tick[-1] != ' ' && tick[1] != ' ' && !memchr(line, '(', (size_t)(tick - line));
}

static const char *name_of_line(const char *line, size_t length, bool is_start, bool is_certain)
{
	for (size_t i = 0; i < ARRAY_SIZE(foreigners); i++) {
		const struct foreign *foreign = &foreigners[i];
		if ((is_start || foreign->where == AT_A_LINE) &&
			(foreign->is_certain || !is_certain) &&
			starts_with(line, length, foreign->mark))
			return foreign->name;
	}
	return NULL;
}

const char *foreign_text(const char *text, size_t length, bool is_certain)
{
	const char *end = text + length, *name = NULL;
	unsigned int dtrace_frames = 0;

	for (unsigned int i = 0; !name && i < LOOK_AT_LINES && text < end; i++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t bytes = (size_t)((newline ? newline : end) - text);
		name = name_of_line(text, bytes, !i, is_certain);
		dtrace_frames += is_dtrace_frame(text, bytes);
		text += bytes + 1;
	}
	if (!name && !is_certain && dtrace_frames > 1)
		name = "stacks of DTrace: fold them with stackcollapse.pl";
	return name;
}
