// SPDX-License-Identifier: GPL-2.0-or-later
/* Each line takes the place of the one before: back to its beginning, and what was there is erased.
 */
#include "cli/live_line.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/progress.h"
#include "cli/terminal.h"

void live_line_init(struct live_line *line, bool is_quiet)
{
	*line = (struct live_line){.is_wanted = !is_quiet && isatty(STDERR_FILENO)};
}

void live_line_words(struct live_line *line, const char *words)
{
	if (!line->is_wanted)
		return;
	fprintf(stderr, "\r\033[K%s", words);
	line->is_shown = true;
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
	live_line_words(line, text);
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
		fputs("\r\033[K", stderr);
	line->is_shown = false;
}
