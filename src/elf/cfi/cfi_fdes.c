// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Collects FDEs section by section, sorts them by start (stable, by radix: 300,000 of them are a
 * fifth of the time of a big library otherwise) and cuts each one where the next begins, as a
 * search in .eh_frame_hdr would. CIEs are run once each, however often they are used.
 */
#include "elf/cfi/cfi_fdes.h"

#include <errno.h>

#include "util/map64.h"

/* Real ones have a dozen bytes. They can be shared by hostile records, so their cost is bounded. */
#define MAX_CIE_PROGRAM_BYTES 256
#define MAX_CIES (64U << 10)
#define MAX_FDES (2U << 20)
#define NO_CIE UINT32_MAX

#define RADIX_BITS 11
#define RADIX_MASK ((1U << RADIX_BITS) - 1)

/* The text that an address is in, or NULL. FDEs come in runs: the last one is tried first. */
static const struct cfi_text *text_of(
	const struct cfi_source *source, const struct cfi_text *last, uint64_t address)
{
	size_t low = 0, high = source->text_count;

	if (last && address >= last->start && address < last->end)
		return last;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (source->texts[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < source->texts[low - 1].end ? &source->texts[low - 1] : NULL;
}

static uint32_t add_cie(
	struct cfi_fdes *fdes, const struct eh_cie *cie, const struct eh_frame *frames)
{
	struct cfi_program program;

	if (cie->program_bytes > MAX_CIE_PROGRAM_BYTES || fdes->cies.count == MAX_CIES ||
		!cfi_program_init(&program, cie, frames))
		return NO_CIE;
	vec_push(&fdes->cies, program);
	return (uint32_t)fdes->cies.count - 1;
}

static int read_section(struct cfi_fdes *fdes, const struct cfi_source *source,
	const struct cfi_section *section, struct cfi_counts *counts)
{
	const struct cfi_text *text = NULL;
	uint64_t last_cie = UINT64_MAX;
	uint32_t cie = NO_CIE;
	struct map64 cies = {0}; /* by offset */
	struct eh_frame frames;
	struct eh_fde fde;
	int err = 0;

	eh_frame_init(&frames, section->kind, section->bytes, section->count, section->vaddr);
	while (!err && eh_frame_next(&frames, &fde)) {
		const struct cfi_text *here = text_of(source, text, fde.start);
		if (!here) {
			counts->foreign++;
			continue;
		}
		text = here;
		if (fde.cie.offset != last_cie) {
			bool is_new;
			uint64_t *known = map64_put(&cies, fde.cie.offset, &is_new);
			if (is_new)
				*known = add_cie(fdes, &fde.cie, &frames);
			cie = (uint32_t)*known;
			last_cie = fde.cie.offset;
		}
		if (cie == NO_CIE || fde.program_bytes > UINT32_MAX) {
			counts->skipped++;
			continue;
		}
		if (fdes->fdes.count == MAX_FDES)
			err = -E2BIG;
		else
			vec_push(&fdes->fdes,
				((struct cfi_fde){fde.start,
					fde.end < text->end ? fde.end : text->end, fde.program,
					(uint32_t)fde.program_bytes, cie}));
	}
	counts->skipped += frames.skipped;
	counts->is_cut |= frames.is_cut;
	map64_clear(&cies);
	return err;
}

/*
 * A lazy PLT begins with an entry for the others: pushed already is the number of the function, and
 * it pushes one word more. The others push at their 11th byte. The rest only jump.
 */
static void add_plts(struct cfi_fdes *fdes, const struct cfi_source *source)
{
	static const unsigned char lazy[] = {0x0e, 16, 0x46, 0x0e, 24, 0x4a, 0x0f, 11, 0x77, 8,
		0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};

	for (size_t i = 0; i < source->plt_count; i++) {
		const struct cfi_plt *plt = &source->plts[i];
		vec_push(&fdes->fdes, ((struct cfi_fde){plt->text.start, plt->text.end, lazy,
					      plt->is_lazy ? sizeof(lazy) : 0, CFI_OWN_CIE}));
	}
}

/* CFA = rsp + 8, return address below it. */
static void add_own_cie(struct cfi_fdes *fdes)
{
	static const unsigned char program[] = {0x0c, 7, 8, 0x90, 1};
	const struct eh_cie cie = {.code_factor = 1,
		.data_factor = -8,
		.return_register = 16,
		.program = program,
		.program_bytes = sizeof(program)};
	const struct eh_frame nowhere = {0};

	add_cie(fdes, &cie, &nowhere);
}

static bool is_sorted(const struct cfi_fdes *fdes)
{
	for (size_t i = 1; i < fdes->fdes.count; i++)
		if (fdes->fdes.at[i].start < fdes->fdes.at[i - 1].start)
			return false;
	return true;
}

/* One pass: by RADIX_BITS bits of the distance from base. */
static void sort_pass(const struct cfi_fde *from, struct cfi_fde *to, size_t count, uint64_t base,
	unsigned int shift)
{
	uint32_t places[RADIX_MASK + 1] = {0}, sum = 0;

	for (size_t i = 0; i < count; i++)
		places[(from[i].start - base) >> shift & RADIX_MASK]++;
	for (size_t i = 0; i <= RADIX_MASK; i++) {
		uint32_t here = places[i];
		places[i] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[places[(from[i].start - base) >> shift & RADIX_MASK]++] = from[i];
}

/* Text spans less than 2^33 bytes: three passes sort it, and the result is in the new block. */
static void sort(struct cfi_fdes *fdes, uint64_t base)
{
	_Static_assert((uint64_t)UNWIND_MAX_PAGES * UNWIND_PAGE_BYTES <= 1ULL << 3 * RADIX_BITS,
		"three passes are enough");
	size_t count = fdes->fdes.count;
	struct cfi_fde *other;

	if (is_sorted(fdes))
		return;
	other = xreallocarray(NULL, count, sizeof(*other));
	sort_pass(fdes->fdes.at, other, count, base, 0);
	sort_pass(other, fdes->fdes.at, count, base, RADIX_BITS);
	sort_pass(fdes->fdes.at, other, count, base, 2 * RADIX_BITS);
	free(fdes->fdes.at);
	fdes->fdes.at = other;
	fdes->fdes.room = count;
}

/* Of several with one start the first counts: that of the first section. */
static void cut(struct cfi_fdes *fdes, struct cfi_counts *counts)
{
	struct cfi_fde *at = fdes->fdes.at;
	size_t kept = 0;

	for (size_t i = 0; i < fdes->fdes.count; i++) {
		bool is_own = at[i].cie == CFI_OWN_CIE;
		if (kept && (at[kept - 1].start == at[i].start ||
				    (is_own && at[kept - 1].end > at[i].start))) {
			counts->covered += !is_own;
			continue;
		}
		if (kept && at[kept - 1].end > at[i].start)
			at[kept - 1].end = at[i].start;
		at[kept++] = at[i];
	}
	fdes->fdes.count = kept;
}

int cfi_fdes_read(struct cfi_fdes *fdes, const struct cfi_source *source, struct cfi_counts *counts)
{
	*fdes = (struct cfi_fdes){0};
	add_own_cie(fdes);
	for (size_t i = 0; i < source->section_count; i++) {
		int err = read_section(fdes, source, &source->sections[i], counts);
		if (err) {
			cfi_fdes_clear(fdes);
			return err;
		}
	}
	add_plts(fdes, source);
	sort(fdes, source->start);
	cut(fdes, counts);
	return 0;
}

void cfi_fdes_clear(struct cfi_fdes *fdes)
{
	vec_clear(&fdes->fdes);
	vec_clear(&fdes->cies);
}
