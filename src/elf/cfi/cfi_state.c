// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a state to its rule. Rules know the return address below the CFA only, and the frame
 * pointer relative to the CFA or to itself: a place that is told otherwise (relative to SP, while
 * the CFA is SP + n) is turned into that first. What then does not fit is BAD, or a lost frame
 * pointer, which matters only to callers that need it.
 */
#include "elf/cfi/cfi_state.h"

#define RETURN_ADDRESS_OFFSET (-8)

static const struct unwind_rule bad_rule = {.cfa_kind = UNWIND_CFA_BAD};

static bool fits_s16(int64_t number)
{
	return number >= INT16_MIN && number <= INT16_MAX;
}

/* Sets kind and offset of the CFA; false: we do not follow it. */
static bool set_cfa(const struct cfi_state *state, struct unwind_rule *rule)
{
	const struct cfi_expression *expression = &state->cfa_expression;
	bool is_sp;

	if (!state->is_expression) {
		if (state->cfa_offset < INT32_MIN || state->cfa_offset > INT32_MAX)
			return false;
		if (state->cfa_register == CFI_REGISTER_SP)
			rule->cfa_kind = UNWIND_CFA_SP;
		else if (state->cfa_register == CFI_REGISTER_FP)
			rule->cfa_kind = UNWIND_CFA_FP;
		else if (state->cfa_register == CFI_REGISTER_BX)
			rule->cfa_kind = UNWIND_CFA_BX;
		else
			return false;
		rule->cfa_offset = (int32_t)state->cfa_offset;
		return true;
	}
	is_sp = expression->base == CFI_BASE_SP;
	if (!is_sp && expression->base != CFI_BASE_FP)
		return false;
	switch (expression->kind) {
	case CFI_EXPR_SUM:
		rule->cfa_kind = is_sp ? UNWIND_CFA_SP : UNWIND_CFA_FP;
		rule->cfa_offset = expression->first;
		return true;
	case CFI_EXPR_DEREF:
		if (!fits_s16(expression->first) || !fits_s16(expression->second))
			return false;
		rule->cfa_kind = is_sp ? UNWIND_CFA_SP_DEREF : UNWIND_CFA_FP_DEREF;
		rule->cfa_offset = UNWIND_DEREF_OFFSET(expression->first, expression->second);
		return true;
	case CFI_EXPR_PLT:
		rule->cfa_kind = UNWIND_CFA_PLT;
		rule->cfa_offset = expression->first;
		return true;
	default:
		return false;
	}
}

/* The address of a place as base + offset, from the CFA wherever that can be said. */
static bool locate(const struct cfi_place *place, const struct unwind_rule *rule,
	enum cfi_base *ret_base, int64_t *ret_offset)
{
	const struct cfi_expression *expression = &place->expression;

	if (place->kind == CFI_PLACE_OFFSET) {
		*ret_base = CFI_BASE_CFA;
		*ret_offset = place->value;
		return true;
	}
	if (place->kind != CFI_PLACE_EXPRESSION || expression->kind != CFI_EXPR_SUM)
		return false;
	*ret_base = expression->base;
	*ret_offset = expression->first;
	if ((expression->base == CFI_BASE_SP && rule->cfa_kind == UNWIND_CFA_SP) ||
		(expression->base == CFI_BASE_FP && rule->cfa_kind == UNWIND_CFA_FP)) {
		*ret_base = CFI_BASE_CFA;
		*ret_offset -= rule->cfa_offset;
	}
	return true;
}

static void set_fp(const struct cfi_state *state, struct unwind_rule *rule)
{
	enum cfi_base base;
	int64_t offset;

	if (state->fp.kind == CFI_PLACE_SAME || state->fp.kind == CFI_PLACE_UNSPECIFIED) {
		rule->fp_kind = UNWIND_FP_SAME;
		return;
	}
	rule->fp_kind = UNWIND_FP_LOST;
	if (!locate(&state->fp, rule, &base, &offset) || base == CFI_BASE_SP || !fits_s16(offset))
		return;
	rule->fp_kind = base == CFI_BASE_CFA ? UNWIND_FP_AT_CFA : UNWIND_FP_AT_FP;
	rule->fp_offset = (int16_t)offset;
}

/* The kernel's signal frame, as C libraries describe it: every register in the sigcontext. */
static bool is_signal(const struct cfi_state *state, const struct unwind_rule *rule)
{
	const struct cfi_expression *ra = &state->ra.expression;

	return rule->cfa_kind == UNWIND_CFA_SP_DEREF &&
	       rule->cfa_offset == UNWIND_DEREF_OFFSET(UNWIND_SIGNAL_SP, 0) &&
	       state->ra.kind == CFI_PLACE_EXPRESSION && ra->kind == CFI_EXPR_SUM &&
	       ra->base == CFI_BASE_SP && ra->first == UNWIND_SIGNAL_PC;
}

/* Adds where rbx is; false: that does not fit. A place at the CFA itself is nobody's. */
static bool add_bx(const struct cfi_state *state, struct unwind_rule *rule)
{
	bool is_same = state->bx.kind == CFI_PLACE_SAME || state->bx.kind == CFI_PLACE_UNSPECIFIED;
	bool is_saved =
		state->bx.kind == CFI_PLACE_OFFSET && state->bx.value && fits_s16(state->bx.value);

	if ((!is_same && !is_saved) || !fits_s16(rule->cfa_offset))
		return false;
	rule->cfa_offset =
		UNWIND_DEREF_OFFSET(rule->cfa_offset, is_saved ? (int16_t)state->bx.value : 0);
	return true;
}

struct unwind_rule cfi_state_rule(
	const struct cfi_state *state, bool is_signal_frame, bool follows_bx)
{
	struct unwind_rule rule = {0};
	enum cfi_base base;
	int64_t offset;

	if (state->ra.kind == CFI_PLACE_UNDEFINED)
		return (struct unwind_rule){.cfa_kind = UNWIND_CFA_STOP};
	if (!set_cfa(state, &rule))
		return bad_rule;
	if (is_signal(state, &rule))
		return (struct unwind_rule){.cfa_kind = UNWIND_CFA_SIGNAL};
	/* After another kind of signal frame the pc would have to be taken as it is. */
	if (is_signal_frame)
		return bad_rule;
	set_fp(state, &rule);
	if (state->ra.kind == CFI_PLACE_REGISTER && state->ra.value == CFI_REGISTER_RDI &&
		rule.cfa_kind == UNWIND_CFA_SP) {
		rule.cfa_kind = UNWIND_CFA_RA_REG;
		return rule;
	}
	if (!locate(&state->ra, &rule, &base, &offset) || base != CFI_BASE_CFA ||
		offset != RETURN_ADDRESS_OFFSET)
		return bad_rule;
	if (rule.cfa_kind == UNWIND_CFA_BX && !add_bx(state, &rule))
		return bad_rule;
	if (follows_bx && rule.cfa_kind == UNWIND_CFA_SP && add_bx(state, &rule))
		rule.cfa_kind = UNWIND_CFA_SP_BX;
	return rule;
}
