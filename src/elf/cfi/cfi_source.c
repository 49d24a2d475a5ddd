// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Goes through the text once, in ascending order: the rows of each FDE, and what holds between
 * them. Small gaps are padding, in which nobody runs; larger ones are code that nobody describes,
 * such as _init; very large ones are whole bodies of code with conventions of their own: V8's
 * built-ins lie in one, and keep frame pointers. Where the program starts and nobody describes it,
 * there is no caller.
 */
#include "elf/cfi/cfi_source.h"

#include <errno.h>

#include "elf/cfi/cfi_build.h"
#include "elf/cfi/cfi_fdes.h"

#define HOLE_BYTES 2048
/* More than functions are aligned to. What compilers add to a program has some 190 bytes. */
#define MIN_CODE_BYTES 65
#define MAX_FDES_WITH_BX 10000
/* _start and what compilers make of its first call. */
#define ENTRY_STUB_BYTES 64

static void add_kind(struct cfi_build *build, uint64_t address, enum unwind_cfa kind)
{
	struct unwind_rule rule = {.cfa_kind = (uint8_t)kind};

	cfi_build_add(build, address, &rule);
}

static void add_row(void *context, uint64_t address, const struct unwind_rule *rule)
{
	cfi_build_add(context, address, rule);
}

/* What holds from start to end, which nobody describes. */
static void add_undescribed(
	struct cfi_build *build, const struct cfi_source *source, uint64_t start, uint64_t end)
{
	uint64_t bytes = end - start, entry = source->entry;
	enum unwind_cfa kind = bytes < HOLE_BYTES ? UNWIND_CFA_GAP : UNWIND_CFA_FRAMEPTR;

	if (entry && entry >= start && entry < end) {
		if (entry > start)
			add_kind(build, start, kind);
		add_kind(build, entry, UNWIND_CFA_STOP);
		if (end - entry > ENTRY_STUB_BYTES)
			add_kind(build, entry + ENTRY_STUB_BYTES, kind);
	} else if (bytes >= CFI_PADDING_BYTES) {
		add_kind(build, start, kind);
	}
}

/* Reads and describes [start, end); false: that cannot be done. */
static bool add_code(struct cfi_build *build, const struct cfi_source *source, uint64_t start,
	uint64_t end, size_t *reads)
{
	unsigned char bytes[CFI_CODE_BYTES];
	uint64_t entry = source->entry;

	if (end - start > sizeof(bytes) || (entry && entry >= start && entry < end) ||
		!source->read_code || *reads == CFI_MAX_CODE_READS)
		return false;
	++*reads;
	return source->read_code(source->code_context, start, end - start, bytes) &&
	       cfi_code_describe(bytes, end - start, start, add_row, build);
}

/* What holds from start to end, which no FDE describes. */
static void add_gap(struct cfi_build *build, const struct cfi_source *source, uint64_t start,
	uint64_t end, size_t *reads)
{
	for (size_t i = 0; i < source->piece_count; i++) {
		const struct cfi_text *piece = &source->pieces[i];
		uint64_t begin = piece->start > start ? piece->start : start;
		uint64_t stop = piece->end < end ? piece->end : end;
		struct cfi_mark mark = cfi_build_mark(build);

		/* What a section begins with is no padding, even if it is a few bytes (.fini). */
		if (begin >= stop || (begin != piece->start && stop - begin < MIN_CODE_BYTES))
			continue;
		if (begin > start)
			add_undescribed(build, source, start, begin);
		bool is_described = add_code(build, source, begin, stop, reads);
		bool is_small = stop - begin < CFI_PADDING_BYTES;
		if (!is_described && is_small)
			add_kind(build, begin, UNWIND_CFA_GAP);
		if (is_described || is_small)
			start = stop;
		else
			cfi_build_rewind(build, &mark);
	}
	if (start < end)
		add_undescribed(build, source, start, end);
}

/* A function whose rule is known by its name; `before` is where the one before it ends. */
static bool add_special(struct cfi_build *build, const struct cfi_source *source,
	const struct cfi_fde *fde, uint64_t before)
{
	for (size_t i = 0; i < source->special_count; i++) {
		const struct cfi_special *special = &source->specials[i];
		if (special->start != fde->start)
			continue;
		/* A handler returns to its first byte: the return address belongs to the byte
		 * before. */
		bool is_signal = special->rule.cfa_kind == UNWIND_CFA_SIGNAL;
		uint64_t start = special->start - (is_signal && special->start > before);
		cfi_build_add(build, start, &special->rule);
		return true;
	}
	return false;
}

static void add_fde(struct cfi_build *build, const struct cfi_fdes *fdes, const struct cfi_fde *fde,
	struct cfi_counts *counts)
{
	const struct cfi_program *cie = &fdes->cies.at[fde->cie];
	struct cfi_mark mark = cfi_build_mark(build);

	counts->fdes += fde->cie != CFI_OWN_CIE;
	if (cfi_program_run(
		    cie, fde->program, fde->program_bytes, fde->start, fde->end, add_row, build))
		return;
	cfi_build_rewind(build, &mark);
	add_kind(build, fde->start, UNWIND_CFA_BAD);
	counts->skipped++;
}

/* Returns the first FDE after this text. */
static size_t add_text(struct cfi_build *build, const struct cfi_source *source,
	const struct cfi_text *text, const struct cfi_fdes *fdes, size_t next, size_t *reads,
	struct cfi_counts *counts)
{
	uint64_t end_of_pages =
		build->first_page + ((uint64_t)build->page_count << UNWIND_PAGE_SHIFT);
	uint64_t at = text->start;

	for (; next < fdes->fdes.count && fdes->fdes.at[next].start < text->end; next++) {
		const struct cfi_fde *fde = &fdes->fdes.at[next];
		if (fde->start > at)
			add_gap(build, source, at, fde->start, reads);
		if (!add_special(build, source, fde, at))
			add_fde(build, fdes, fde, counts);
		at = fde->end;
	}
	if (at < text->end)
		add_gap(build, source, at, text->end, reads);
	if (text->end < end_of_pages)
		add_kind(build, text->end, UNWIND_CFA_GAP);
	return next;
}

static int init_build(struct cfi_build *build, const struct cfi_source *source, struct why *why)
{
	const uint64_t page_mask = UNWIND_PAGE_BYTES - 1;
	uint64_t first = source->start & ~page_mask;
	uint64_t last = (source->end - 1) | page_mask;
	uint64_t pages = ((last - first) >> UNWIND_PAGE_SHIFT) + 1;

	if (pages > UNWIND_MAX_PAGES)
		return why_set(
			why, -E2BIG, "its code spans more than %u MiB", UNWIND_MAX_PAGES / 256);
	cfi_build_init(build, first, (uint32_t)pages);
	return 0;
}

static void add_texts(struct cfi_build *build, const struct cfi_source *source,
	const struct cfi_fdes *fdes, struct cfi_counts *counts)
{
	size_t next = 0, reads = 0;

	for (size_t i = 0; i < source->text_count; i++)
		next = add_text(build, source, &source->texts[i], fdes, next, &reads, counts);
}

/* Once more, and rbx is followed; of what was counted the reading of the FDEs stays. */
static int add_texts_with_bx(struct cfi_build *build, const struct cfi_source *source,
	struct cfi_fdes *fdes, struct cfi_counts *counts, struct why *why)
{
	cfi_build_clear(build);
	vec_each (cie, &fdes->cies)
		cie->follows_bx = true;
	int err = init_build(build, source, why);
	if (!err)
		add_texts(build, source, fdes, counts);
	return err;
}

int cfi_source_read(const struct cfi_source *source, struct cfi_table *ret, struct why *why)
{
	struct cfi_counts counts = {0}, before;
	struct cfi_build build;
	struct cfi_fdes fdes;
	int err = init_build(&build, source, why);

	if (err)
		return err;
	err = cfi_fdes_read(&fdes, source, &counts);
	if (err) {
		cfi_build_clear(&build);
		return why_set(why, err, "it describes too many functions");
	}
	before = counts;
	add_texts(&build, source, &fdes, &counts);
	/* Programs of 10,000 functions that keep their frame in rbx have not been seen. */
	if (build.needs_bx && fdes.fdes.count <= MAX_FDES_WITH_BX) {
		counts = before;
		err = add_texts_with_bx(&build, source, &fdes, &counts, why);
	}
	cfi_fdes_clear(&fdes);
	if (err)
		return err;
	counts.raw_rows = build.raw_rows;
	counts.bad_rows = build.bad_rows;
	if (build.is_full || !counts.fdes) {
		err = build.is_full ? -E2BIG : counts.skipped ? -EBADMSG : -ENOENT;
		cfi_build_clear(&build);
		return why_set(why, err, "%s",
			err == -E2BIG     ? "its unwind table would be too large"
			: err == -EBADMSG ? "its call frame information is damaged"
					  : "it has no call frame information");
	}
	cfi_build_finish(&build, ret);
	ret->counts = counts;
	return 0;
}
