/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recorded walks (tests/data/walks/, written by tests/walks/record): reads one, and puts it into
 * tables as the kernel side has them. Of an object's pages only those are there that the walk comes
 * through; all others are gaps. Include after cmocka.
 */
#ifndef DWELL_TESTS_WALK_SAMPLE_H
#define DWELL_TESTS_WALK_SAMPLE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/host_walk.h"
#include "elf/cfi/cfi_pack.h"
#include "util/vec.h"

#define SAMPLE_ROOM 65536
#define SAMPLE_VMAS 256
#define SAMPLE_OBJECTS 64

struct sample_frame {
	uint64_t pc;
	bool is_exact;
};

struct sample_map {
	uint64_t start;
	uint64_t end;
	uint64_t bias;
	uint32_t object; /* 0: code without a file */
};

/* A page of an object's table: the rule that holds where it begins, and its rows. */
struct sample_page {
	uint32_t object;
	uint64_t address;
	uint32_t rule_before;
	VEC(uint32_t) rows;
};

struct walk_sample {
	char name[256];
	enum unwind_stop stop;
	struct unwind_registers registers;
	VEC(struct sample_frame) frames; /* as gdb saw them */
	uint32_t object_count;           /* and one more: number 0 is nobody's */
	VEC(struct sample_map) maps;
	VEC(struct unwind_rule) rules;
	VEC(struct sample_page) pages;
	VEC(uint64_t) stack;
	uint64_t stack_end; /* may be set lower, to cut it */

	/* What is made of it. */
	struct unwind_areas areas;
	struct unwind_tables *tables;
	struct unwind_place places[SAMPLE_OBJECTS];
	struct unwind_process vmas;
};

static const char *const sample_cfa_words[] = {"gap", "sp", "fp", "sp*", "fp*", "plt", "signal",
	"stop", "frameptr", "ra_reg", "bad", "bx"};
static const char *const sample_fp_words[] = {"same", "cfa", "fp", "lost"};

static inline unsigned int sample_word(
	const char *const *words, size_t count, const char *word, const char *name)
{
	for (unsigned int i = 0; word && i < count; i++)
		if (!strcmp(words[i], word))
			return i;
	fail_msg("%s: unknown word %s", name, word ? word : "(none)");
	return 0;
}

/* The next word of a line; fails if there is none. */
static inline const char *sample_next(char **rest, const char *name)
{
	const char *word = strsep(rest, " ");

	if (!word)
		fail_msg("%s: a line is cut off", name);
	return word;
}

static inline uint64_t sample_hex(char **rest, const char *name)
{
	return strtoull(sample_next(rest, name), NULL, 16);
}

static inline uint32_t sample_number(char **rest, const char *name)
{
	return (uint32_t)strtoul(sample_next(rest, name), NULL, 10);
}

static inline void sample_add_rule(struct walk_sample *sample, char *rest)
{
	struct unwind_rule rule = {0};

	assert_int_equal(sample_number(&rest, sample->name), sample->rules.count);
	rule.cfa_kind = (__u8)sample_word(sample_cfa_words, ARRAY_SIZE(sample_cfa_words),
		sample_next(&rest, sample->name), sample->name);
	rule.cfa_offset = (__s32)strtol(sample_next(&rest, sample->name), NULL, 10);
	rule.fp_kind = (__u8)sample_word(sample_fp_words, ARRAY_SIZE(sample_fp_words),
		sample_next(&rest, sample->name), sample->name);
	rule.fp_offset = (__s16)strtol(sample_next(&rest, sample->name), NULL, 10);
	/* As cfi_rows prints it: where rbx is followed, where the caller's is. */
	if (rest) {
		rule.cfa_offset = UNWIND_DEREF_OFFSET(rule.cfa_offset, strtol(rest, NULL, 10));
		if (rule.cfa_kind == UNWIND_CFA_SP)
			rule.cfa_kind = UNWIND_CFA_SP_BX;
	}
	vec_push(&sample->rules, rule);
}

static inline void sample_add_page(struct walk_sample *sample, char *rest)
{
	struct sample_page page = {0};
	const char *word;

	page.object = sample_number(&rest, sample->name);
	page.address = sample_hex(&rest, sample->name);
	page.rule_before = sample_number(&rest, sample->name);
	while ((word = strsep(&rest, " "))) {
		unsigned int offset, rule;
		assert_int_equal(sscanf(word, "%x:%u", &offset, &rule), 2);
		vec_push(&page.rows, UNWIND_ROW(offset, rule));
	}
	vec_push(&sample->pages, page);
}

static inline void sample_add_line(struct walk_sample *sample, char *line)
{
	static const char *const stops[] = {[UNWIND_STOP_DONE] = "done",
		[UNWIND_STOP_NOPROC] = "noproc",
		[UNWIND_STOP_NOVMA] = "novma",
		[UNWIND_STOP_ANON] = "anon",
		[UNWIND_STOP_NOTABLE] = "notable",
		[UNWIND_STOP_GAP] = "gap",
		[UNWIND_STOP_BADRULE] = "badrule"};
	const char *name = sample->name;
	char *rest = line;
	const char *kind = strsep(&rest, " ");

	if (!strcmp(kind, "#")) {
		return;
	} else if (!strcmp(kind, "stop")) {
		sample->stop = sample_word(stops, ARRAY_SIZE(stops), rest, name);
	} else if (!strcmp(kind, "registers")) {
		sample->registers.pc = sample_hex(&rest, name);
		sample->registers.sp = sample_hex(&rest, name);
		sample->registers.fp = sample_hex(&rest, name);
		sample->registers.first_argument = sample_hex(&rest, name);
		sample->registers.bx = sample_hex(&rest, name);
	} else if (!strcmp(kind, "frame")) {
		struct sample_frame frame = {.pc = sample_hex(&rest, name)};
		frame.is_exact = rest && !strcmp(rest, "exact");
		vec_push(&sample->frames, frame);
	} else if (!strcmp(kind, "object")) {
		uint32_t number = sample_number(&rest, name);
		assert_in_range(number, 1, SAMPLE_OBJECTS - 1);
		sample->object_count = number + 1;
	} else if (!strcmp(kind, "map")) {
		struct sample_map map = {.start = sample_hex(&rest, name)};
		map.end = sample_hex(&rest, name);
		map.bias = sample_hex(&rest, name);
		map.object = sample_number(&rest, name);
		assert_true(!map.object || map.object < sample->object_count);
		vec_push(&sample->maps, map);
	} else if (!strcmp(kind, "rule")) {
		sample_add_rule(sample, rest);
	} else if (!strcmp(kind, "page")) {
		sample_add_page(sample, rest);
	} else if (!strcmp(kind, "stack")) {
		while (rest)
			vec_push(&sample->stack, sample_hex(&rest, name));
	} else {
		fail_msg("%s: unknown line %s", name, kind);
	}
}

static inline const struct sample_page *sample_page_at(
	const struct walk_sample *sample, uint32_t object, uint64_t address)
{
	vec_each (page, &sample->pages)
		if (page->object == object && page->address == address)
			return page;
	return NULL;
}

/* The addresses that an object's mappings show, in whole pages; false if there are none. */
static inline bool sample_span(
	const struct walk_sample *sample, uint32_t object, uint64_t *ret_first, uint64_t *ret_end)
{
	*ret_first = UINT64_MAX;
	*ret_end = 0;
	vec_each (map, &sample->maps) {
		if (map->object != object)
			continue;
		uint64_t first = map->start - map->bias, end = map->end - map->bias;
		*ret_first = first < *ret_first ? first : *ret_first;
		*ret_end = end > *ret_end ? end : *ret_end;
	}
	/* As large as the largest program; else somebody forgot to say where it is mapped. */
	assert_true(*ret_end <= *ret_first || *ret_end - *ret_first < 1ULL << 30);
	return *ret_end > *ret_first;
}

/* The rows of the pages that are known, gaps between them. */
static inline void sample_put_object(struct walk_sample *sample, uint32_t object)
{
	VEC(uint32_t) rows = {0}, words = {0};
	uint64_t first, end;
	struct cfi_table table;

	if (!sample_span(sample, object, &first, &end))
		return;
	vec_push(&rows, UNWIND_ROW(0, 0));
	for (uint64_t at = first; at < end; at += UNWIND_PAGE_BYTES) {
		const struct sample_page *page = sample_page_at(sample, object, at);
		const struct sample_page *next =
			sample_page_at(sample, object, at + UNWIND_PAGE_BYTES);
		vec_push(&words, (uint32_t)rows.count);
		if (page) {
			vec_append(&rows, page->rows.at, page->rows.count);
			continue;
		}
		vec_push(&rows, UNWIND_ROW(0, 0));
		if (next)
			vec_push(&rows, UNWIND_ROW(UNWIND_PAGE_BYTES - 1, next->rule_before));
	}
	vec_push(&words, (uint32_t)rows.count);
	table = (struct cfi_table){.first_page = first,
		.row_count = (uint32_t)rows.count,
		.page_count = (uint32_t)words.count - 1,
		.rule_count = (uint32_t)sample->rules.count,
		.rows = rows.at,
		.pages = words.at,
		.rules = sample->rules.at};
	if (!cfi_table_is_sound(&table))
		fail_msg("%s: the table of object %u is not sound", sample->name, object);
	assert_int_equal(unwind_tables_add(sample->tables, &table, &sample->places[object]), 0);
	vec_clear(&rows);
	vec_clear(&words);
}

/* Makes tables of what was read, of the rules as they are now. */
static inline void sample_build(struct walk_sample *sample)
{
	struct unwind_areas *areas = &sample->areas;
	struct unwind_vma vmas[SAMPLE_VMAS];

	areas->rows = xcalloc(SAMPLE_ROOM, sizeof(*areas->rows));
	areas->pages = xcalloc(SAMPLE_ROOM, sizeof(*areas->pages));
	areas->rules = xcalloc(SAMPLE_ROOM, sizeof(*areas->rules));
	areas->vmas = xcalloc(SAMPLE_VMAS, sizeof(*areas->vmas));
	areas->row_room = areas->page_room = areas->rule_room = SAMPLE_ROOM;
	areas->vma_room = SAMPLE_VMAS;
	areas->processes_fd = -1;
	sample->tables = unwind_tables_new(areas);
	for (uint32_t i = 1; i < sample->object_count; i++)
		sample_put_object(sample, i);
	assert_in_range(sample->maps.count, 1, SAMPLE_VMAS);
	for (size_t i = 0; i < sample->maps.count; i++) {
		const struct sample_map *map = &sample->maps.at[i];
		vmas[i] = (struct unwind_vma){
			.start = map->start, .end = map->end, .object_kind = UNWIND_VMA_ANON};
		if (!map->object)
			continue;
		vmas[i].bias = map->bias;
		vmas[i].page0 = unwind_place_page0(&sample->places[map->object]);
		vmas[i].object_kind = map->object << 8 | UNWIND_VMA_TABLE;
	}
	sample->vmas.vma_count = (uint32_t)sample->maps.count;
	assert_int_equal(unwind_tables_add_vmas(sample->tables, vmas, sample->vmas.vma_count,
				 &sample->vmas.vma_base),
		0);
}

static inline void sample_unbuild(struct walk_sample *sample)
{
	unwind_tables_free(sample->tables);
	free(sample->areas.rows);
	free(sample->areas.pages);
	free(sample->areas.rules);
	free(sample->areas.vmas);
}

static inline void sample_read(struct walk_sample *sample, const char *folder, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, name);
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	memset(sample, 0, sizeof(*sample));
	snprintf(sample->name, sizeof(sample->name), "%s", name);
	if (!in)
		fail_msg("%s: %s", path, strerror(errno));
	while (getline(&line, &room, in) > 0) {
		line[strcspn(line, "\n")] = '\0';
		sample_add_line(sample, line);
	}
	assert_true(sample->frames.count && sample->maps.count && sample->rules.count);
	sample->stack_end = sample->registers.sp + sample->stack.count * sizeof(uint64_t);
	sample_build(sample);
}

static inline void sample_clear(struct walk_sample *sample)
{
	sample_unbuild(sample);
	vec_each (page, &sample->pages)
		vec_clear(&page->rows);
	vec_clear(&sample->frames);
	vec_clear(&sample->maps);
	vec_clear(&sample->rules);
	vec_clear(&sample->pages);
	vec_clear(&sample->stack);
}

static inline int sample_read_stack(void *context, uint64_t address, void *to, size_t bytes)
{
	const struct walk_sample *sample = context;
	uint64_t start = sample->registers.sp;

	if (address < start || address > sample->stack_end || sample->stack_end - address < bytes)
		return -EFAULT;
	memcpy(to, (const char *)sample->stack.at + (address - start), bytes);
	return 0;
}

/* Walks; then twice more with steps that are kept, which must make no difference. */
static inline void sample_walk(struct walk_sample *sample, struct walk *ret)
{
	struct unwind_memory memory = {.read = sample_read_stack, .context = sample};
	unwind_host_walk(&sample->areas, &sample->vmas, 1, &sample->registers, &memory, ret);
	sample->areas.steps = xcalloc(1, sizeof(*sample->areas.steps));
	for (int i = 0; i < 2; i++) {
		struct walk quick;
		unwind_host_walk(
			&sample->areas, &sample->vmas, 1, &sample->registers, &memory, &quick);
		assert_int_equal(quick.id, ret->id);
		assert_int_equal(quick.depth, ret->depth);
		assert_int_equal(quick.missing, ret->missing);
	}
	free(sample->areas.steps);
	sample->areas.steps = NULL;
}

static inline const struct sample_map *sample_map_of(
	const struct walk_sample *sample, const struct sample_frame *frame)
{
	uint64_t at = frame->pc - !frame->is_exact;

	vec_each (map, &sample->maps)
		if (at >= map->start && at < map->end)
			return map;
	return NULL;
}

/* Is a frame of the walk the one that gdb saw? Where the table is missing it may be a plain pc. */
static inline bool sample_is_frame(
	const struct walk_sample *sample, const struct sample_frame *seen, uint64_t frame)
{
	const struct sample_map *map = sample_map_of(sample, seen);

	if (!(frame & UNWIND_FRAME_EXACT) == seen->is_exact)
		return false;
	if (frame & UNWIND_FRAME_RAW)
		return UNWIND_FRAME_PC(frame) == seen->pc;
	return map && UNWIND_FRAME_OBJECT(frame) == map->object &&
	       UNWIND_FRAME_ADDRESS(frame) == seen->pc - map->bias;
}

/* The number of the rule that leads from one of gdb's frames on; -1: it is in code without a file.
 */
static inline int sample_rule_of(const struct walk_sample *sample, const struct sample_frame *frame)
{
	const struct sample_map *map = sample_map_of(sample, frame);

	assert_non_null(map);
	if (!map->object)
		return -1;
	uint64_t address = frame->pc - !frame->is_exact - map->bias;
	uint64_t offset = address % UNWIND_PAGE_BYTES;
	const struct sample_page *page = sample_page_at(sample, map->object, address - offset);
	assert_non_null(page);
	uint32_t rule = page->rule_before;
	vec_each (row, &page->rows)
		if (UNWIND_ROW_ADDRESS(*row) <= offset)
			rule = UNWIND_ROW_RULE(*row);
	return (int)rule;
}

#endif
