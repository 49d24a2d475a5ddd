// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts of the live line, the most important first. */
#include "cli/progress.h"

#include "render/layout.h"
#include "util/mem.h"
#include "util/text.h"
#include "util/units.h"

/* Whole seconds, or what a short duration is. */
static char *time_text(const struct progress *progress)
{
	unsigned long long so_far = progress->now.elapsed_ns / NS_PER_S;
	char room[UNITS_ROOM];

	if (!progress->duration_ns)
		return xasprintf("recording %llu s: ", so_far);
	if (progress->duration_ns % NS_PER_S)
		return xasprintf("recording %llu s of %s: ", so_far,
			units_duration(progress->duration_ns, room));
	return xasprintf("recording %llu s of %llu s: ", so_far,
		(unsigned long long)(progress->duration_ns / NS_PER_S));
}

static char *threads_text(const struct progress *progress)
{
	char room[UNITS_ROOM];

	if (!progress->now.threads)
		return xstrdup("no thread to record is there");
	return xasprintf("%s thread%s", units_count(progress->now.threads, room),
		progress->now.threads == 1 ? "" : "s");
}

/* ", 84,120 waits (8,020/s)"; they are known when the kernel's tables are emptied. */
static char *waits_text(const struct progress *progress)
{
	char all[UNITS_ROOM], rate[UNITS_ROOM];
	double seconds = (double)progress->since_ns / 1e9;

	if (!progress->now.waits)
		return xstrdup("");
	units_count(progress->now.waits, all);
	if (!progress->since_ns)
		return xasprintf(", %s wait%s", all, progress->now.waits == 1 ? "" : "s");
	return xasprintf(", %s wait%s (%s/s)", all, progress->now.waits == 1 ? "" : "s",
		units_count((uint64_t)((double)progress->new_waits / seconds + 0.5), rate));
}

static char *lost_text(const struct progress *progress)
{
	char room[UNITS_ROOM];

	return progress->now.lost ? xasprintf(", %s LOST", units_count(progress->now.lost, room))
				  : xstrdup("");
}

char *progress_line(const struct progress *progress, size_t columns)
{
	char room[UNITS_ROOM];
	char *parts[] = {time_text(progress), threads_text(progress), lost_text(progress),
		waits_text(progress), xstrdup(progress->now.lost ? "" : ", nothing lost"),
		xstrdup(progress->has_command ? "; ends with the command" : "; Ctrl-C stops"),
		xasprintf("; tables %s", units_bytes(progress->now.table_bytes, room))};
	char *line = xstrdup("");

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		_cleanup_free_ char *part = parts[i];
		/* What is behind a part that has no room may still have it. */
		if (i > 1 && text_width(line) + text_width(part) > columns)
			continue;
		char *longer = xasprintf("%s%s", line, part);
		free(line);
		line = longer;
	}
	char *cut = layout_cut(line, columns);
	free(line);
	return cut;
}
