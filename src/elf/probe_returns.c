// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The functions that one leads to by jumps are listed, nearest ones first. One is taken into the
 * list only if all that leaves it can be probed and is seen: else the jumps to it stay the places.
 */
#include "elf/probe_returns.h"

#include <errno.h>
#include <string.h>

#include "contract/jump.h"
#include "elf/file.h"
#include "elf/ways_out.h"

/* Jumps that are followed in a row, and functions that one leads to. */
#define MOST_JUMPS 4
#define MOST_FUNCTIONS 64

struct followed {
	const struct ways_out *function;
	unsigned int jumps; /* that lead to it from the first one */
};

struct search {
	struct code_reader *reader;
	/* The first is the function whose places are looked for. */
	struct followed list[MOST_FUNCTIONS];
	size_t count;
	size_t way_count; /* of all of them: there will not be more places */
	VEC(struct elf_return) places;
};

static bool is_in_list(const struct search *search, const struct ways_out *function)
{
	for (size_t i = 0; i < search->count; i++)
		if (search->list[i].function == function)
			return true;
	return false;
}

static bool can_follow(const struct search *search, const struct ways_out *function)
{
	if (function->error || function->has_unseen || search->count == MOST_FUNCTIONS ||
		search->way_count + function->ways.count > ELF_RETURNS_MOST)
		return false;
	vec_each (way, &function->ways)
		if (way->is_unfit)
			return false;
	return true;
}

/* Is the jump's target looked through for places in its stead? */
static bool follow(struct search *search, const struct followed *from, const struct way_out *way)
{
	const struct ways_out *function;

	if (!way->target || way->target == search->list[0].function->start)
		return false;
	function = ways_out_behind(search->reader, way->target);
	if (!function)
		return false;
	if (is_in_list(search, function))
		return true;
	if (from->jumps == MOST_JUMPS || !can_follow(search, function))
		return false;
	search->list[search->count++] = (struct followed){function, from->jumps + 1};
	search->way_count += function->ways.count;
	return true;
}

static int add_place(struct search *search, const struct way_out *way, bool is_others)
{
	if (way->is_unfit)
		return -EBADMSG;
	if (search->places.count == ELF_RETURNS_MOST)
		return -E2BIG;
	vec_push(&search->places, ((struct elf_return){.offset = way->offset,
					  .is_emulated = way->is_emulated,
					  .condition = way->condition,
					  .may_stay = way->may_stay,
					  .is_others = is_others}));
	return 0;
}

/* Functions are listed while others are looked through. */
static int find_places(struct search *search, const struct ways_out *function)
{
	int error = function->error;

	search->list[0] = (struct followed){function, 0};
	search->count = 1;
	search->way_count = function->ways.count;
	search->places.count = 0;
	for (size_t i = 0; i < search->count && !error; i++)
		vec_each (way, &search->list[i].function->ways)
			if (!error && !follow(search, &search->list[i], way))
				error = add_place(search, way, i > 0);
	return error;
}

static int by_offset(const void *a, const void *b)
{
	const struct elf_return *left = a, *right = b;

	if (left->offset != right->offset)
		return left->offset < right->offset ? -1 : 1;
	return left->is_others - right->is_others;
}

/* Each once, its own first: parts may overlap, if their symbols do. */
static size_t settle(struct elf_return *places, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(places, count, sizeof(*places), by_offset);
	for (size_t i = 0; i < count; i++)
		if (!kept || places[kept - 1].offset != places[i].offset)
			places[kept++] = places[i];
	return kept;
}

static void find_one(struct search *search, const struct elf_file *file,
	const struct elf_span *span, struct elf_returns *ret)
{
	const struct elf_segment *segments;
	size_t count = elf_file_segments(file, &segments);
	uint64_t vaddr;

	*ret = (struct elf_returns){.error = -EBADMSG};
	if (!elf_file_is_x86(file))
		ret->error = -ENOTSUP;
	else if (span->bytes && elf_segments_vaddr(segments, count, span->offset, &vaddr)) {
		const struct ways_out *function = ways_out_of(search->reader, vaddr, span->bytes);
		ret->error = find_places(search, function);
		ret->has_unseen = !ret->error && function->has_unseen;
	}
	if (ret->error)
		return;
	ret->count = settle(search->places.at, search->places.count);
	ret->places = xreallocarray(NULL, ret->count + 1, sizeof(*ret->places));
	if (ret->count)
		memcpy(ret->places, search->places.at, ret->count * sizeof(*ret->places));
}

void elf_returns_find(const struct elf_file *file, const struct elf_span *functions, size_t count,
	struct elf_returns *ret)
{
	struct search search = {.reader = code_reader_new(file)};

	for (size_t i = 0; i < count; i++)
		find_one(&search, file, &functions[i], &ret[i]);
	vec_clear(&search.places);
	code_reader_free(search.reader);
}

bool elf_returns_are_sound(const struct elf_return *places, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (places[i].is_emulated > 1 || places[i].is_others > 1 ||
			places[i].may_stay > 1 || places[i].condition > JUMP_ALWAYS ||
			(i && places[i - 1].offset >= places[i].offset))
			return false;
	return count <= ELF_RETURNS_MOST;
}

void elf_returns_clear(struct elf_returns *returns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(returns[i].places);
		returns[i] = (struct elf_returns){0};
	}
}
