// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A debug file counts only if it is the file's own: by an equal build-id, or, where one of the two
 * has none, by the checksum in the link. Another version's symbols would be plausible and wrong.
 */
#include "symbol/debug_file.h"

#include <string.h>

#include "elf/debug_link.h"
#include "elf/file.h"
#include "elf/section.h"
#include "symbol/locate.h"
#include "util/mem.h"

#define DEBUG_ROOT "/usr/lib/debug"

static bool is_its_own(int fd, const struct elf_file *file, const struct debug_link *link)
{
	const char *build_id = elf_file_build_id(file);
	struct elf_file *debug;
	bool is_decided, is_equal;

	if (elf_file_open(fd, &debug))
		return false;
	is_equal = !strcmp(build_id, elf_file_build_id(debug));
	is_decided = build_id[0] && elf_file_build_id(debug)[0];
	elf_file_free(debug);
	if (is_decided || !link)
		return is_decided && is_equal;
	return debug_link_matches(fd, link->checksum);
}

/* Opens a candidate, if it is there and belongs to the file. */
static int try_path(
	uint32_t pid, const char *path, const struct elf_file *file, const struct debug_link *link)
{
	_cleanup_close_ int path_fd = locate_file(pid, path);
	int fd = path_fd < 0 ? -1 : locate_open(path_fd);

	if (fd >= 0 && !is_its_own(fd, file, link)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int try_build_id(uint32_t pid, const struct elf_file *file)
{
	const char *build_id = elf_file_build_id(file);

	if (strlen(build_id) < 4)
		return -1;
	_cleanup_free_ char *path =
		xasprintf(DEBUG_ROOT "/.build-id/%.2s/%s.debug", build_id, build_id + 2);
	return try_path(pid, path, file, NULL);
}

static int try_link(uint32_t pid, const char *path, const struct elf_file *file)
{
	static const struct {
		const char *before, *after;
	} places[] = {{"", ""}, {"", "/.debug"}, {DEBUG_ROOT, ""}};
	struct debug_link link;
	int fd = -1;

	if (!debug_link_read(file, &link) || path[0] != '/')
		return -1;
	_cleanup_free_ char *folder = locate_path_inside(pid, path);
	*strrchr(folder, '/') = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(places) && fd < 0; i++) {
		_cleanup_free_ char *candidate = xasprintf(
			"%s%s%s/%s", places[i].before, folder, places[i].after, link.name);
		fd = try_path(pid, candidate, file, &link);
	}
	return fd;
}

int debug_file_open(uint32_t pid, const char *path, const struct elf_file *file)
{
	int fd;

	if (elf_section_exists(file, ".symtab"))
		return -1;
	fd = try_build_id(pid, file);
	if (fd < 0)
		fd = try_link(pid, path, file);
	return fd < 0 ? try_build_id(LOCATE_OWN_ROOT, file) : fd;
}
