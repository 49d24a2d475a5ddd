// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads perf-PID.map: lines of "START SIZE NAME", numbers in hex. Compilers append to it while we
 * read: a line counts when its newline is there, and reading goes on behind the last one that
 * counted.
 */
#include "symbol/jit.h"

#include <string.h>

#include "symbol/outside/errand.h"
#include "symbol/jit_table.h"
#include "symbol/outside/outside.h"
#include "util/mem.h"

#define MAX_FILE_BYTES (256ULL << 20)
#define MAX_FUNCTIONS (4U << 20)
#define MAX_NAME_BYTES 4096
#define CHUNK_BYTES (256U << 10)

struct jit_map {
	uint32_t pid;
	struct outside *outside;
	uint64_t taken_bytes;        /* of the budget */
	bool is_full;                /* more was not to be had */
	struct perf_map_state state; /* as much as was read */
	uint64_t offset;             /* of the first byte that did not count yet */
	bool is_in_endless;          /* that byte is inside of a line without end */
	struct jit_table table;
};

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

/* A function takes a piece in each of two arrays, which grow by doubling, and its name. */
static bool take_room(struct jit_map *map, size_t name_bytes)
{
	uint64_t bytes = 2 * (2 * sizeof(struct jit_piece) + name_bytes + 1);

	map->is_full |= !budget_take(&map->outside->names, bytes);
	if (!map->is_full)
		map->taken_bytes += bytes;
	return !map->is_full;
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
	if (name_bytes && map->table.added < MAX_FUNCTIONS && take_room(map, name_bytes))
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

/* Reads lines of a text that begins where the last reading ended; returns where this one ends. */
static uint64_t read_lines(struct jit_map *map, int fd)
{
	_cleanup_free_ char *chunk = xmalloc(CHUNK_BYTES);
	uint64_t start = map->offset, end = start;

	while (map->offset < MAX_FILE_BYTES && map->table.added < MAX_FUNCTIONS && !map->is_full) {
		ssize_t got = pread(fd, chunk, CHUNK_BYTES, (off_t)(map->offset - start));
		size_t done = got > 0 ? take_lines(map, chunk, (size_t)got) : 0;
		if (got > 0)
			end = map->offset + (uint64_t)got;
		if (!done)
			break;
		map->offset += done;
	}
	return end;
}

static void forget(struct jit_map *map)
{
	jit_table_clear(&map->table);
	budget_give(&map->outside->names, map->taken_bytes);
	map->taken_bytes = map->offset = 0;
	map->is_in_endless = map->is_full = false;
}

/* One piece of what is new: as jit_map_refresh(), and whether it was all there is. */
static int read_piece(struct jit_map *map, bool *ret_is_all)
{
	struct perf_map_state state = map->state;
	_cleanup_close_ int fd = -1;
	bool is_other = false;
	int result = errand_perf_map(
		map->outside->errands, map->pid, &state, map->offset, &fd, &is_other);

	*ret_is_all = true;
	if (result <= 0)
		return result;
	if (is_other)
		forget(map);
	map->state = state;
	uint64_t start = map->offset, end = read_lines(map, fd);
	/* A file that says to be longer than what can be read of it is not asked again. */
	if (end - start == ERRAND_PERF_MAP_BYTES) {
		map->state.bytes = end;
		*ret_is_all = false;
	}
	return 1;
}

int jit_map_refresh(struct jit_map *map)
{
	int result = 0;
	bool is_all = false;

	while (!is_all) {
		int piece = read_piece(map, &is_all);
		if (piece < 0)
			return result ? result : piece;
		result |= piece;
	}
	return result;
}

int jit_map_read(struct outside *outside, uint32_t pid, struct jit_map **ret)
{
	struct jit_map *map = xcalloc(1, sizeof(*map));
	int err;

	map->pid = pid;
	map->outside = outside;
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
	forget(map);
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
