// SPDX-License-Identifier: GPL-2.0-or-later
/* The parser of /proc/PID/maps: fixed fields by hand, then the path to the end of the line. */
#include "symbol/maps.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define MAX_MAPPINGS (1U << 20)
/* The kernel writes a newline in a path as four characters. */
#define MAX_LINE_BYTES (4 * PATH_MAX + 256)

#define DELETED " (deleted)"
#define STACK "[stack]\n"

/* A number and the one character that must follow it. */
static bool take_number(const char **at, int base, char follower, uint64_t *ret)
{
	char *end;

	if (strspn(*at, "0123456789abcdef") == 0)
		return false;
	errno = 0;
	*ret = strtoull(*at, &end, base);
	if (errno || *end != follower)
		return false;
	*at = end + 1;
	return true;
}

static bool take_permissions(const char **at, struct map_line *ret)
{
	if (strnlen(*at, 5) < 5 || (*at)[4] != ' ')
		return false;
	ret->is_writable = (*at)[1] == 'w';
	ret->is_executable = (*at)[2] == 'x';
	ret->is_shared = (*at)[3] == 's';
	*at += 5;
	return true;
}

/* The inode is followed by a space, except at the end of a line that was cut by hand. */
static bool take_inode(const char **at, uint64_t *ret)
{
	size_t digits = strspn(*at, "0123456789");

	if (!digits || ((*at)[digits] && !strchr(" \n", (*at)[digits])))
		return false;
	errno = 0;
	*ret = strtoull(*at, NULL, 10);
	*at += digits;
	return !errno;
}

static char *read_path(const char *text, bool *ret_is_deleted)
{
	char *path = xstrndup(text, strcspn(text, "\n"));
	size_t length = 0;

	for (const char *from = path; *from; length++) {
		bool is_newline = !strncmp(from, "\\012", 4);
		path[length] = is_newline ? '\n' : *from;
		from += is_newline ? 4 : 1;
	}
	path[length] = '\0';
	*ret_is_deleted =
		length > strlen(DELETED) && !strcmp(path + length - strlen(DELETED), DELETED);
	if (*ret_is_deleted)
		path[length - strlen(DELETED)] = '\0';
	return path;
}

/* All but the path, whose text begins where ret_path says. */
static bool parse_fields(const char *text, struct map_line *ret, const char **ret_path)
{
	struct map_line line = {0};
	uint64_t major, minor;

	if (!take_number(&text, 16, '-', &line.start) || !take_number(&text, 16, ' ', &line.end) ||
		!take_permissions(&text, &line) || !take_number(&text, 16, ' ', &line.offset) ||
		!take_number(&text, 16, ':', &major) || !take_number(&text, 16, ' ', &minor) ||
		!take_inode(&text, &line.inode) || line.start >= line.end)
		return false;
	line.dev_major = (uint32_t)major;
	line.dev_minor = (uint32_t)minor;
	*ret = line;
	*ret_path = text + strspn(text, " ");
	return true;
}

bool map_line_parse(const char *text, struct map_line *ret)
{
	const char *path;

	if (!parse_fields(text, ret, &path))
		return false;
	ret->path = read_path(path, &ret->is_deleted);
	return true;
}

/* Reads one line; what does not fit is cut off, which at worst costs the end of a path. */
static bool read_line(FILE *in, char room[static MAX_LINE_BYTES])
{
	if (!fgets(room, MAX_LINE_BYTES, in))
		return false;
	if (!strchr(room, '\n'))
		for (int c = getc(in); c != '\n' && c != EOF;)
			c = getc(in);
	return true;
}

bool map_line_read(FILE *in, struct map_line *ret)
{
	char room[MAX_LINE_BYTES];

	while (read_line(in, room))
		if (map_line_parse(room, ret))
			return true;
	return false;
}

static int compare_lines(const void *left, const void *right)
{
	const struct map_line *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/* Names the kernel gives to memory that has an inode but no file of anybody's. */
bool map_line_is_memory(const struct map_line *line)
{
	static const char *const prefixes[] = {
		"/memfd:", "//anon", "/anon_hugepage", "/dev/zero", "/SYSV"};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(line->path, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

int map_lines_read(FILE *in, struct map_lines *ret, size_t *ret_all)
{
	struct map_lines maps = {0};
	char room[MAX_LINE_BYTES];
	struct map_line line;
	const char *path;
	size_t all = 0;
	int err = 0;

	errno = 0;
	while (!err && read_line(in, room)) {
		if (!parse_fields(room, &line, &path))
			continue;
		all++;
		if (!strncmp(path, STACK, strlen(STACK))) {
			maps.stack_start = line.start;
			maps.stack_end = line.end;
		}
		if (line.is_executable) {
			line.path = read_path(path, &line.is_deleted);
			vec_push(&maps.lines, line);
		}
		if (maps.lines.count > MAX_MAPPINGS)
			err = -E2BIG;
		errno = 0;
	}
	if (!err && ferror(in))
		err = errno ? -errno : -EIO;
	if (err) {
		map_lines_clear(&maps);
		return err;
	}
	vec_sort(&maps.lines, compare_lines);
	*ret = maps;
	if (ret_all)
		*ret_all = all;
	return 0;
}

void map_lines_clear(struct map_lines *maps)
{
	vec_each (line, &maps->lines)
		free(line->path);
	vec_clear(&maps->lines);
}
