// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ranges in order of address. Neighbours of one kind and text are one range: the many pieces that a
 * heap is made of, and those of one file. A recording keeps such a table for each process that it
 * was asked about, so that texts are short and there is a bound on both.
 */
#include "symbol/regions.h"

#include <errno.h>
#include <string.h>

#include "symbol/maps.h"
#include "symbol/outside/errand.h"
#include "util/vec.h"

#define MAX_REGIONS (1U << 16)
#define MAX_TEXT_BYTES (1U << 20)

struct range {
	uint64_t start;
	uint64_t end;
	uint32_t text; /* offset in texts */
	enum region_kind kind;
};

struct regions {
	VEC(struct range) ranges;
	VEC(char) texts; /* "" at 0 */
};

static bool begins_with(const char *text, const char *beginning)
{
	return !strncmp(text, beginning, strlen(beginning));
}

/* Paths of the kernel's own that say no more than the kind: shared memory without a name, ... */
static bool is_nameless(const char *path)
{
	return path[0] != '/' || begins_with(path, "/dev/zero") ||
	       begins_with(path, "/anon_hugepage");
}

static struct region region_of(const struct map_line *line)
{
	const char *path = line->path;

	if (!strcmp(path, "[heap]"))
		return (struct region){REGION_HEAP, ""};
	if (!strcmp(path, "[stack]"))
		return (struct region){REGION_STACK, ""};
	if (line->is_shared)
		return (struct region){REGION_SHARED, is_nameless(path) ? "" : path};
	if (is_nameless(path))
		return (struct region){REGION_ANONYMOUS, ""};
	return (struct region){REGION_FILE, strrchr(path, '/') + 1};
}

/* The text's offset; that of "" if all of them together are too long. */
static uint32_t keep_text(struct regions *regions, const char *text)
{
	size_t bytes = strlen(text) + 1;
	uint32_t at = (uint32_t)regions->texts.count;

	if (bytes == 1 || regions->texts.count + bytes > MAX_TEXT_BYTES)
		return 0;
	vec_append(&regions->texts, text, bytes);
	return at;
}

static void add(struct regions *regions, const struct map_line *line)
{
	struct region region = region_of(line);
	struct range *last =
		regions->ranges.count ? &regions->ranges.at[regions->ranges.count - 1] : NULL;
	bool is_alike = last && last->kind == region.kind &&
			!strcmp(regions->texts.at + last->text, region.text);

	/* The process may have changed them while they were read: look-ups need order. */
	if (last && line->start < last->end)
		return;
	if (is_alike && line->start == last->end) {
		last->end = line->end;
		return;
	}
	if (regions->ranges.count == MAX_REGIONS)
		return;
	uint32_t text = is_alike ? last->text : keep_text(regions, region.text);
	vec_push(&regions->ranges, ((struct range){line->start, line->end, text, region.kind}));
}

static size_t parse(struct regions *regions, FILE *in)
{
	struct map_line line;
	size_t all = 0;

	vec_push(&regions->texts, '\0');
	for (; map_line_read(in, &line); all++) {
		if (line.is_writable || line.is_shared)
			add(regions, &line);
		free(line.path);
	}
	return all;
}

struct regions *regions_parse(FILE *in)
{
	struct regions *regions = xcalloc(1, sizeof(*regions));

	parse(regions, in);
	return regions;
}

int regions_read(struct errands *errands, uint32_t pid, struct regions **ret)
{
	_cleanup_fclose_ FILE *in = NULL;
	int error = errand_maps(errands, pid, pid, &in);

	if (error)
		return error == -ENOENT ? -ESRCH : error;
	struct regions *regions = xcalloc(1, sizeof(*regions));
	/* A process that has exited, but was not waited for, has no mappings at all. */
	if (!parse(regions, in)) {
		regions_free(regions);
		return -ESRCH;
	}
	*ret = regions;
	return 0;
}

void regions_free(struct regions *regions)
{
	if (!regions)
		return;
	vec_clear(&regions->ranges);
	vec_clear(&regions->texts);
	free(regions);
}

bool regions_find(const struct regions *regions, uint64_t address, struct region *ret)
{
	size_t low = 0, high = regions->ranges.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (regions->ranges.at[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == regions->ranges.count || regions->ranges.at[low].start > address)
		return false;
	*ret = (struct region){
		regions->ranges.at[low].kind, regions->texts.at + regions->ranges.at[low].text};
	return true;
}
