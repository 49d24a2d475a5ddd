// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A debug file counts only if it is the file's own: by an equal build-id, or, where one of the two
 * has none, by the checksum in the link. Another version's symbols would be plausible and wrong.
 */
#include "symbol/debug_file.h"

#include <string.h>

#include "elf/facts.h"
#include "symbol/errand.h"
#include "symbol/outside.h"
#include "symbol/parser.h"
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

/* Opens a candidate, if it is there and belongs to the file. */
static int try_path(struct outside *outside, uint32_t pid, const char *path,
	const struct elf_facts *facts, const struct debug_link *link)
{
	_cleanup_close_ int path_fd = errand_file(outside->errands, pid, path);
	int fd = path_fd < 0 ? -1 : errand_open(outside->errands, pid, path_fd, LOCATE_FOR_NAMES);

	if (fd >= 0 && !is_its_own(outside, fd, facts, link)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int try_build_id(struct outside *outside, uint32_t pid, const struct elf_facts *facts)
{
	const char *build_id = facts->build_id;

	if (strlen(build_id) < 4)
		return -1;
	_cleanup_free_ char *path =
		xasprintf(DEBUG_ROOT "/.build-id/%.2s/%s.debug", build_id, build_id + 2);
	return try_path(outside, pid, path, facts, NULL);
}

static int try_link(
	struct outside *outside, uint32_t pid, const char *path, const struct elf_facts *facts)
{
	static const struct {
		const char *before, *after;
	} places[] = {{"", ""}, {"", "/.debug"}, {DEBUG_ROOT, ""}};
	int fd = -1;

	if (!facts->has_link || path[0] != '/')
		return -1;
	_cleanup_free_ char *folder = locate_path_inside(pid, path);
	*strrchr(folder, '/') = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(places) && fd < 0; i++) {
		_cleanup_free_ char *candidate = xasprintf(
			"%s%s%s/%s", places[i].before, folder, places[i].after, facts->link.name);
		fd = try_path(outside, pid, candidate, facts, &facts->link);
	}
	return fd;
}

int debug_file_open(
	struct outside *outside, uint32_t pid, const char *path, const struct elf_facts *facts)
{
	int fd;

	if (facts->has_symbols)
		return -1;
	fd = try_build_id(outside, pid, facts);
	if (fd < 0)
		fd = try_link(outside, pid, path, facts);
	return fd < 0 ? try_build_id(outside, LOCATE_OWN_ROOT, facts) : fd;
}
