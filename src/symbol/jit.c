// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads perf-PID.map: lines of "START SIZE NAME", numbers in hex. Compilers append to it while we
 * read: a line counts when its newline is there, and reading goes on behind the last one that
 * counted.
 */
#include "symbol/jit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "symbol/jit_table.h"
#include "symbol/locate.h"
#include "util/mem.h"

#define MAX_FILE_BYTES (256ULL << 20)
#define MAX_FUNCTIONS (4U << 20)
#define MAX_NAME_BYTES 4096
#define CHUNK_BYTES (256U << 10)

struct jit_map {
	uint32_t pid;
	dev_t device;
	ino_t inode;
	uint64_t bytes;     /* size when last read */
	uint64_t offset;    /* of the first byte that did not count yet */
	bool is_in_endless; /* that byte is inside of a line without end */
	struct jit_table table;
};

/* What the process's own view of itself is. */
struct self {
	uint64_t pid;
	uid_t user;
};

/* From /proc/PID/status: the effective of four user ids, the innermost of the process ids. */
static int read_self(uint32_t pid, struct self *ret)
{
	_cleanup_free_ char *path = xasprintf("/proc/%" PRIu32 "/status", pid);
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	struct self self = {0};
	bool has_user = false;
	char line[1024];

	if (!in)
		return errno == ENOENT ? -ESRCH : -errno;
	while (fgets(line, sizeof(line), in)) {
		unsigned int user;
		if (sscanf(line, "Uid: %*u %u", &user) == 1) {
			self.user = user;
			has_user = true;
		}
		if (strncmp(line, "NSpid:", 6))
			continue;
		line[strcspn(line, "\n")] = '\0';
		self.pid = strtoull(strrchr(line, '\t') ? strrchr(line, '\t') : "", NULL, 10);
	}
	if (!has_user || !self.pid)
		return -ESRCH;
	*ret = self;
	return 0;
}

/* An O_PATH fd of the file, or -errno. */
static int find_file(uint32_t pid, struct stat *ret)
{
	struct self self = {0};
	int err = read_self(pid, &self);

	if (err)
		return err;
	_cleanup_free_ char *path = xasprintf("/tmp/perf-%" PRIu64 ".map", self.pid);
	int fd = locate_unlinked_file(pid, path);
	if (fd < 0)
		return -ENOENT;
	if (fstat(fd, ret) || (ret->st_uid && ret->st_uid != self.user)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A number and the space behind it. */
static bool take_hex(const char **at, const char *end, uint64_t *ret)
{
	const char *start;
	uint64_t value = 0;

	if (end - *at > 2 && (*at)[0] == '0' && (*at)[1] == 'x')
		*at += 2;
	for (start = *at; *at < end && **at != ' '; ++*at) {
		int digit = hex_digit(**at);
		if (digit < 0 || value >> 60)
			return false;
		value = value << 4 | (uint64_t)digit;
	}
	if (*at == start || *at == end)
		return false;
	++*at;
	*ret = value;
	return true;
}

static void take_line(struct jit_map *map, const char *at, const char *end)
{
	uint64_t start, bytes, function_end;

	if (!take_hex(&at, end, &start) || !take_hex(&at, end, &bytes) || !bytes ||
		__builtin_add_overflow(start, bytes, &function_end))
		return;
	size_t name_bytes = strnlen(at, (size_t)(end - at));
	if (name_bytes > MAX_NAME_BYTES)
		name_bytes = MAX_NAME_BYTES;
	if (name_bytes && map->table.added < MAX_FUNCTIONS)
		jit_table_add(&map->table, start, function_end, at, name_bytes);
}

/* Takes whole lines; the number of bytes that are done with. */
static size_t take_lines(struct jit_map *map, const char *chunk, size_t count)
{
	const char *at = chunk, *newline;

	while ((newline = memchr(at, '\n', count - (size_t)(at - chunk)))) {
		if (!map->is_in_endless)
			take_line(map, at, newline);
		map->is_in_endless = false;
		at = newline + 1;
	}
	if (at == chunk && count == CHUNK_BYTES) {
		map->is_in_endless = true;
		return count;
	}
	return (size_t)(at - chunk);
}

static void read_lines(struct jit_map *map, int fd)
{
	_cleanup_free_ char *chunk = xmalloc(CHUNK_BYTES);

	while (map->offset < MAX_FILE_BYTES && map->table.added < MAX_FUNCTIONS) {
		ssize_t got = pread(fd, chunk, CHUNK_BYTES, (off_t)map->offset);
		size_t done = got > 0 ? take_lines(map, chunk, (size_t)got) : 0;
		if (!done)
			return;
		map->offset += done;
	}
}

static bool is_same_file(const struct jit_map *map, const struct stat *stat)
{
	return map->device == stat->st_dev && map->inode == stat->st_ino &&
	       map->bytes <= (uint64_t)stat->st_size;
}

int jit_map_refresh(struct jit_map *map)
{
	struct stat stat;
	_cleanup_close_ int path_fd = find_file(map->pid, &stat);

	if (path_fd < 0)
		return path_fd;
	if (is_same_file(map, &stat) && map->bytes == (uint64_t)stat.st_size)
		return 0;
	_cleanup_close_ int fd = locate_open(path_fd);
	if (fd < 0)
		return -errno;
	if (!is_same_file(map, &stat)) {
		jit_table_clear(&map->table);
		map->offset = 0;
		map->is_in_endless = false;
	}
	map->device = stat.st_dev;
	map->inode = stat.st_ino;
	map->bytes = (uint64_t)stat.st_size;
	read_lines(map, fd);
	return 1;
}

bool jit_map_is_stale(const struct jit_map *map)
{
	struct stat stat;
	_cleanup_close_ int path_fd = find_file(map->pid, &stat);

	return path_fd >= 0 && !(is_same_file(map, &stat) && map->bytes == (uint64_t)stat.st_size);
}

int jit_map_read(uint32_t pid, struct jit_map **ret)
{
	struct jit_map *map = xcalloc(1, sizeof(*map));
	int err;

	map->pid = pid;
	err = jit_map_refresh(map);
	if (err < 0) {
		jit_map_free(map);
		return err;
	}
	*ret = map;
	return 0;
}

void jit_map_free(struct jit_map *map)
{
	if (!map)
		return;
	jit_table_clear(&map->table);
	free(map);
}

const char *jit_map_name(struct jit_map *map, uint64_t address, uint64_t *ret_offset)
{
	uint64_t offset;
	const char *name = jit_table_find(&map->table, address, &offset);

	if (name && ret_offset)
		*ret_offset = offset;
	return name;
}
