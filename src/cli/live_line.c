// SPDX-License-Identifier: GPL-2.0-or-later
/* What is shown takes the place of what was: back to its beginning, and what was there is erased.
 */
#include "cli/live_line.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/call_table.h"
#include "cli/progress.h"
#include "cli/terminal.h"

void live_line_init(struct live_line *line, bool is_quiet)
{
	*line = (struct live_line){.is_wanted = !is_quiet && isatty(STDERR_FILENO)};
}

/* The cursor is behind the last line: up by those above it, and all from there on goes. */
static void erase(struct live_line *line)
{
	if (line->rows)
		fprintf(stderr, "\r\033[%zuA\033[J", line->rows);
	else
		fputs("\r\033[K", stderr);
	line->rows = 0;
}

void live_line_words(struct live_line *line, const char *words)
{
	if (!line->is_wanted)
		return;
	erase(line);
	fputs(words, stderr);
	line->is_shown = true;
}

static void show_calls(struct live_line *line, const struct capture *capture, uint64_t since_ns)
{
	struct call_table table = {.before = line->calls_before, .since_ns = since_ns};

	table.calls = capture_calls(capture, &table.count);
	if (table.count > CONTRACT_CALL_FUNCTIONS)
		table.count = CONTRACT_CALL_FUNCTIONS;
	_cleanup_free_ char *text =
		call_table(&table, terminal_live_rows(), terminal_live_columns());
	for (size_t i = 0; i < table.count; i++)
		line->calls_before[i] = table.calls[i].lengths.calls;
	fputs(text, stderr);
	for (const char *end = text; (end = strchr(end, '\n')); end++)
		line->rows++;
}

void live_line_progress(
	struct live_line *line, const struct capture *capture, const struct record_options *options)
{
	struct progress progress = {.duration_ns = options->capture.duration_ns,
		.has_command = options->command && !options->capture.duration_ns};

	if (!line->is_wanted)
		return;
	capture_progress(capture, &progress.now);
	if (line->before.elapsed_ns) {
		progress.new_waits = progress.now.waits - line->before.waits;
		progress.since_ns = progress.now.elapsed_ns - line->before.elapsed_ns;
	}
	line->before = progress.now;
	_cleanup_free_ char *text = progress_line(&progress, terminal_live_columns());
	erase(line);
	if (options->has_call_table)
		show_calls(line, capture, progress.since_ns);
	fputs(text, stderr);
	line->is_shown = true;
}

void live_line_stage(struct live_line *line, enum start_stage stage, size_t done, size_t all)
{
	static const char *const words[] = {
		[START_HELPERS] = "starting: helpers",
		[START_PROGRAMS] = "starting: loading programs into the kernel",
		[START_TABLES] = "starting: reading unwind tables",
		[START_THREADS] = "starting: reading which threads there are",
		[START_SLEEPERS] = "starting: walking the stacks of sleeping threads",
	};

	live_line_words(line, words[stage]);
	if (all && line->is_wanted)
		fprintf(stderr, ", %zu of %zu", done, all);
}

void live_line_end(struct live_line *line)
{
	if (line->is_shown)
		erase(line);
	line->is_shown = false;
}
