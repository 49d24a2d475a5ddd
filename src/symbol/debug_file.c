// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A debug file counts only if it is the file's own: by an equal build-id, or, where one of the two
 * has none, by the checksum in the link. Another version's symbols would be plausible and wrong.
 */
#include "symbol/debug_file.h"

#include <string.h>

#include "elf/facts.h"
#include "symbol/outside/errand.h"
#include "symbol/outside/outside.h"
#include "symbol/outside/parser.h"
#include "util/mem.h"

#define DEBUG_ROOT "/usr/lib/debug"

static bool is_its_own(struct outside *outside, int fd, const struct elf_facts *facts,
	const struct debug_link *link)
{
	struct elf_facts debug;

	if (parser_facts(outside->parsers, fd, &debug))
		return false;
	bool is_decided = facts->build_id[0] && debug.build_id[0];
	if (is_decided || !link)
		return is_decided && !strcmp(facts->build_id, debug.build_id);
	return parser_checksum(outside->parsers, fd, link->checksum);
}

/* The first candidate that there is and that belongs to the file. The link is checked where the
 * build-id does not decide, NULL: it has to. */
static int try_paths(struct outside *outside, uint32_t pid, const char *const *paths, size_t count,
	const struct elf_facts *facts, const struct debug_link *link)
{
	size_t at = 0;

	for (;;) {
		_cleanup_close_ int path_fd =
			errand_any_file(outside->errands, pid, paths, count, &at);
		if (path_fd < 0)
			return -1;
		int fd = errand_open(outside->errands, pid, path_fd, LOCATE_FOR_NAMES);
		if (fd >= 0 && is_its_own(outside, fd, facts, link))
			return fd;
		if (fd >= 0)
			close(fd);
	}
}

/* Where files lie by their build-id; NULL for one without. The caller frees it. */
static char *path_by_build_id(const struct elf_facts *facts)
{
	const char *build_id = facts->build_id;

	if (strlen(build_id) < 4)
		return NULL;
	return xasprintf(DEBUG_ROOT "/.build-id/%.2s/%s.debug", build_id, build_id + 2);
}

static int try_root(
	struct outside *outside, uint32_t pid, const char *path, const struct elf_facts *facts)
{
	static const struct {
		const char *before, *after;
	} places[] = {{"", ""}, {"", "/.debug"}, {DEBUG_ROOT, ""}};
	const struct debug_link *link = facts->has_link && path[0] == '/' ? &facts->link : NULL;
	char *paths[1 + ARRAY_SIZE(places)];
	size_t count = 0;

	paths[count] = path_by_build_id(facts);
	count += paths[count] != NULL;
	if (link) {
		_cleanup_free_ char *folder = locate_path_inside(pid, path);
		*strrchr(folder, '/') = '\0';
		for (size_t i = 0; i < ARRAY_SIZE(places); i++)
			paths[count++] = xasprintf(
				"%s%s%s/%s", places[i].before, folder, places[i].after, link->name);
	}
	int fd = try_paths(outside, pid, (const char *const *)paths, count, facts, link);
	while (count)
		free(paths[--count]);
	return fd;
}

int debug_file_open(
	struct outside *outside, uint32_t pid, const char *path, const struct elf_facts *facts)
{
	_cleanup_free_ char *ours = path_by_build_id(facts);
	int fd;

	if (facts->has_symbols)
		return -1;
	fd = try_root(outside, pid, path, facts);
	if (fd >= 0 || !ours)
		return fd;
	return try_paths(outside, LOCATE_OWN_ROOT, (const char *const *)&ours, 1, facts, NULL);
}
