// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows as they come; rules by open addressing in a table that is never more than half full. */
#include "elf/cfi/cfi_build.h"

#include <string.h>

#include "util/hash.h"

#define SLOTS (2 * UNWIND_MAX_OBJECT_RULES)

static const struct unwind_rule gap_rule = {.cfa_kind = UNWIND_CFA_GAP};
static const struct unwind_rule bad_rule = {.cfa_kind = UNWIND_CFA_BAD};

static uint64_t rule_bits(const struct unwind_rule *rule)
{
	uint64_t bits;

	_Static_assert(sizeof(*rule) == sizeof(bits), "a rule is one word");
	memcpy(&bits, rule, sizeof(bits));
	return bits;
}

/* The last number is kept for BAD, which then stands for all others, too. */
static uint32_t rule_number(struct cfi_build *build, const struct unwind_rule *rule)
{
	uint64_t bits = rule_bits(rule);
	uint32_t slot = (uint32_t)hash_mix(bits) % SLOTS;

	while (build->slots[slot]) {
		uint32_t number = build->slots[slot] - 1;
		if (rule_bits(&build->rules.at[number]) == bits)
			return number;
		slot = (slot + 1) % SLOTS;
	}
	if (build->rules.count >= UNWIND_MAX_OBJECT_RULES - 1 && rule->cfa_kind != UNWIND_CFA_BAD)
		return rule_number(build, &bad_rule);
	vec_push(&build->rules, *rule);
	build->slots[slot] = (uint32_t)build->rules.count;
	return build->slots[slot] - 1;
}

void cfi_build_init(struct cfi_build *build, uint64_t first_page, uint32_t page_count)
{
	*build = (struct cfi_build){.first_page = first_page, .page_count = page_count};
	build->pages = xcalloc((size_t)page_count + 1, sizeof(*build->pages));
	build->slots = xcalloc(SLOTS, sizeof(*build->slots));
	build->last_rule = rule_number(build, &gap_rule);
	vec_push(&build->rows, UNWIND_ROW(0, build->last_rule));
}

void cfi_build_clear(struct cfi_build *build)
{
	vec_clear(&build->rows);
	vec_clear(&build->rules);
	free(build->pages);
	free(build->slots);
}

void cfi_build_add(struct cfi_build *build, uint64_t address, const struct unwind_rule *rule)
{
	uint32_t page = (uint32_t)((address - build->first_page) >> UNWIND_PAGE_SHIFT);
	uint32_t number = build->last_rule;

	build->raw_rows++;
	build->bad_rows += rule->cfa_kind == UNWIND_CFA_BAD;
	build->needs_bx |= rule->cfa_kind == UNWIND_CFA_BX;
	if (rule_bits(&build->rules.at[number]) != rule_bits(rule))
		number = rule_number(build, rule);
	if (number == build->last_rule || build->is_full)
		return;
	if (build->rows.count == UNWIND_MAX_ROWS) {
		build->is_full = true;
		return;
	}
	while (build->next_page <= page)
		build->pages[build->next_page++] = (uint32_t)build->rows.count;
	vec_push(&build->rows, UNWIND_ROW(address, number));
	build->last_rule = number;
}

struct cfi_mark cfi_build_mark(const struct cfi_build *build)
{
	return (struct cfi_mark){build->rows.count, build->next_page, build->last_rule,
		build->raw_rows, build->bad_rows};
}

void cfi_build_rewind(struct cfi_build *build, const struct cfi_mark *mark)
{
	build->rows.count = mark->rows;
	build->next_page = mark->next_page;
	build->last_rule = mark->last_rule;
	build->raw_rows = mark->raw_rows;
	build->bad_rows = mark->bad_rows;
}

void cfi_build_finish(struct cfi_build *build, struct cfi_table *ret)
{
	while (build->next_page <= build->page_count)
		build->pages[build->next_page++] = (uint32_t)build->rows.count;
	ret->first_page = build->first_page;
	ret->row_count = (uint32_t)build->rows.count;
	ret->page_count = build->page_count;
	ret->rule_count = (uint32_t)build->rules.count;
	ret->rows = xreallocarray(build->rows.at, build->rows.count, sizeof(*build->rows.at));
	ret->rules = xreallocarray(build->rules.at, build->rules.count, sizeof(*build->rules.at));
	ret->pages = build->pages;
	free(build->slots);
	*build = (struct cfi_build){0};
}
