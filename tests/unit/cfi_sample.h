/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information made by hand: records, their instructions, a file's text around it, and
 * the rules that are expected of it. Include after cmocka.
 */
#ifndef DWELL_TESTS_CFI_SAMPLE_H
#define DWELL_TESTS_CFI_SAMPLE_H

#include <string.h>

#include "elf/cfi/cfi_source.h"
#include "util/vec.h"

/* Where the section is, and where the text. */
#define SAMPLE_VADDR 0x800000
#define TEXT 0x10000
#define TEXT_END 0x20000

struct sample {
	VEC(unsigned char) bytes;
	size_t cie; /* offset of the last one */
};

/* Bytes as a pair: their address and their number. */
#define B(...) (const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__})
/* CFA = rsp + 8, return address at CFA - 8: how every function begins. */
#define CIE_USUAL B(0x0c, 7, 8, 0x90, 1)

static inline void sample_add(struct sample *sample, uint64_t value, size_t count)
{
	vec_append(&sample->bytes, (const unsigned char *)&value, count);
}

static inline size_t sample_begin(struct sample *sample, uint32_t id)
{
	size_t at = sample->bytes.count;

	sample_add(sample, 0, 4);
	sample_add(sample, id, 4);
	return at;
}

static inline void sample_end(struct sample *sample, size_t at)
{
	uint32_t length = (uint32_t)(sample->bytes.count - at - 4);

	memcpy(sample->bytes.at + at, &length, 4);
}

/* Letters are "zR" or "zRS": pc-relative addresses of 4 bytes; code factor 1, data factor -8. */
static inline void sample_cie(
	struct sample *sample, const char *letters, const unsigned char *program, size_t count)
{
	sample->cie = sample_begin(sample, 0);
	sample_add(sample, 1, 1);
	vec_append(&sample->bytes, (const unsigned char *)letters, strlen(letters) + 1);
	sample_add(sample, 1, 1);
	sample_add(sample, 0x78, 1);
	sample_add(sample, 16, 1);
	sample_add(sample, 1, 1);
	sample_add(sample, 0x1b, 1);
	vec_append(&sample->bytes, program, count);
	sample_end(sample, sample->cie);
}

static inline void sample_fde(struct sample *sample, uint64_t start, uint32_t bytes,
	const unsigned char *program, size_t count)
{
	size_t at = sample_begin(sample, (uint32_t)(sample->bytes.count + 4 - sample->cie));

	sample_add(sample, start - (SAMPLE_VADDR + sample->bytes.count), 4);
	sample_add(sample, bytes, 4);
	sample_add(sample, 0, 1);
	vec_append(&sample->bytes, program, count);
	sample_end(sample, at);
}

static inline int sample_read_in(const struct sample *sample, uint64_t start, uint64_t end,
	uint64_t entry, struct cfi_table *ret)
{
	/* A heap block of exactly this size, so that sanitizers see every step outside. */
	unsigned char *copy = xmalloc(sample->bytes.count ? sample->bytes.count : 1);
	struct cfi_text text = {start, end};
	struct cfi_section section = {EH_FRAME_RUNTIME, copy, sample->bytes.count, SAMPLE_VADDR};
	struct cfi_source source = {.start = start,
		.end = end,
		.texts = &text,
		.text_count = 1,
		.entry = entry,
		.sections = &section,
		.section_count = 1};
	int err;

	if (sample->bytes.count)
		memcpy(copy, sample->bytes.at, sample->bytes.count);
	err = cfi_source_read(&source, ret, NULL);
	free(copy);
	return err;
}

static inline int sample_read(const struct sample *sample, struct cfi_table *ret)
{
	return sample_read_in(sample, TEXT, TEXT_END, 0, ret);
}

static inline void sample_clear(struct sample *sample)
{
	vec_clear(&sample->bytes);
}

/* What most rules say: the CFA is rsp and an offset, rbp is the caller's. */
#define SP UNWIND_CFA_SP
#define SAME UNWIND_FP_SAME

static inline void check_rule(struct unwind_rule rule, enum unwind_cfa cfa, int32_t cfa_offset,
	enum unwind_fp fp, int16_t fp_offset)
{
	assert_int_equal(rule.cfa_kind, cfa);
	assert_int_equal(rule.cfa_offset, cfa_offset);
	assert_int_equal(rule.fp_kind, fp);
	assert_int_equal(rule.fp_offset, fp_offset);
}

/* A rule that says no more than its kind. */
static inline void check_kind(const struct cfi_table *table, uint64_t address, enum unwind_cfa kind)
{
	check_rule(cfi_table_find(table, address), kind, 0, UNWIND_FP_SAME, 0);
}

/* A table of a few pages. */
static inline struct cfi_table make_table(void)
{
	struct sample sample = {0};
	struct cfi_table table;

	sample_cie(&sample, "zR", CIE_USUAL);
	for (uint32_t i = 0; i < 40; i++)
		sample_fde(&sample, TEXT + 0x400 * i, 0x100,
			B(0x41, 0x0e, 16, 0x86, 2, 0x42, 0x0d, 6));
	assert_int_equal(sample_read(&sample, &table), 0);
	assert_true(table.row_count > 100);
	sample_clear(&sample);
	return table;
}

#endif
