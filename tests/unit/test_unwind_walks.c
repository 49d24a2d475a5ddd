// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks of live processes, recorded with registers, stack and tables (tests/walks/record), through
 * the host build of the step function: frame by frame what gdb saw, and whatever is taken away from
 * them, the first frames of it and a reason, never a guess.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "walk_sample.h"

#define LEAST_WALKS 15

static char *walks_folder(void)
{
	const char *top = getenv("DWELL_TOP");

	return xasprintf("%s/tests/data/walks", top ? top : ".");
}

/* Calls with each recorded walk. */
static void each_walk(void (*each)(struct walk_sample *sample, void *context), void *context)
{
	_cleanup_free_ char *folder = walks_folder();
	struct dirent **entries;
	int count = scandir(folder, &entries, NULL, alphasort), walks = 0;

	assert_true(count > 0);
	for (int i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.') {
			struct walk_sample *sample = xmalloc(sizeof(*sample));
			sample_read(sample, folder, entries[i]->d_name);
			each(sample, context);
			sample_clear(sample);
			free(sample);
			walks++;
		}
		free(entries[i]);
	}
	free(entries);
	assert_true(walks >= LEAST_WALKS);
}

/* How many of the walk's frames are gdb's, from the leaf on. */
static size_t right_frames(const struct walk_sample *sample, const struct walk *walk)
{
	size_t i = 0;

	while (i < walk->depth && i < sample->frames.count &&
		sample_is_frame(sample, &sample->frames.at[i], walk->frames[i]))
		i++;
	return i;
}

static bool is_whole(const struct walk_sample *sample, const struct walk *walk)
{
	return walk->depth == sample->frames.count && right_frames(sample, walk) == walk->depth;
}

/* All of its frames are gdb's, and it says why there are no more. */
static void check_part(const struct walk_sample *sample, const struct walk *walk, size_t depth,
	enum unwind_stop stop)
{
	size_t right = right_frames(sample, walk);

	if (right != walk->depth || walk->depth != depth || walk->stop != stop)
		fail_msg("%s: %zu of %u frames are right, %zu wanted; end %u, %u wanted",
			sample->name, right, walk->depth, depth, walk->stop, stop);
}

static void check_walk(struct walk_sample *sample, void *context)
{
	struct walk walk;

	(void)context;
	sample_walk(sample, &walk);
	if (sample->stop == UNWIND_STOP_DONE)
		check_part(sample, &walk, sample->frames.count, UNWIND_STOP_DONE);
	else
		check_part(sample, &walk, walk.depth, sample->stop);
}

static void recorded_walks_are_what_a_debugger_saw(void **state)
{
	(void)state;
	each_walk(check_walk, NULL);
}

/* What is used on the way, over all walks. */
struct coverage {
	bool has_cfa[UNWIND_CFA_KINDS];
	bool has_anonymous;
	bool has_exact_after_signal;
	size_t deepest;
};

static void add_coverage(struct walk_sample *sample, void *context)
{
	struct coverage *coverage = context;

	if (sample->frames.count > coverage->deepest)
		coverage->deepest = sample->frames.count;
	vec_each (frame, &sample->frames) {
		int rule = sample_rule_of(sample, frame);
		if (rule < 0)
			coverage->has_anonymous = true;
		else
			coverage->has_cfa[sample->rules.at[rule].cfa_kind] = true;
		if (frame != sample->frames.at && frame->is_exact)
			coverage->has_exact_after_signal = true;
	}
}

static void every_way_from_frame_to_frame_was_recorded(void **state)
{
	static const enum unwind_cfa wanted[] = {UNWIND_CFA_SP, UNWIND_CFA_FP, UNWIND_CFA_FP_DEREF,
		UNWIND_CFA_PLT, UNWIND_CFA_SIGNAL, UNWIND_CFA_STOP, UNWIND_CFA_FRAMEPTR,
		UNWIND_CFA_RA_REG, UNWIND_CFA_BX, UNWIND_CFA_SP_BX};
	struct coverage coverage = {0};

	(void)state;
	each_walk(add_coverage, &coverage);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (!coverage.has_cfa[wanted[i]])
			fail_msg("no walk has a frame of kind %u", wanted[i]);
	assert_true(coverage.has_anonymous);
	assert_true(coverage.has_exact_after_signal);
	assert_true(coverage.deepest > 128);
}

/* Is it an end that a word which cannot be read leads to? */
static bool is_about_reading(enum unwind_stop stop)
{
	return stop == UNWIND_STOP_READ_RA || stop == UNWIND_STOP_READ_FP ||
	       stop == UNWIND_STOP_READ_CFA;
}

/* What a step by frame pointer says when it cannot read. */
static bool is_by_frame_pointer(const struct walk_sample *sample, const struct walk *walk)
{
	int rule = sample_rule_of(sample, &sample->frames.at[walk->depth - 1]);

	if (rule < 0)
		return walk->stop == UNWIND_STOP_ANON;
	return sample->rules.at[rule].cfa_kind == UNWIND_CFA_FRAMEPTR &&
	       walk->stop == UNWIND_STOP_GAP;
}

/* Ends the stack after each of its words. */
static void check_cut(struct walk_sample *sample, void *context)
{
	size_t *cuts = context;
	struct walk whole, walk;
	uint64_t end = sample->stack_end;

	sample_walk(sample, &whole);
	for (size_t words = 0; words < sample->stack.count; words++) {
		sample->stack_end = sample->registers.sp + words * sizeof(uint64_t);
		sample_walk(sample, &walk);
		if (walk.stop == whole.stop && walk.depth == whole.depth)
			continue; /* it needed nothing of what is missing */
		if (right_frames(sample, &walk) != walk.depth || walk.depth >= whole.depth)
			fail_msg("%s: a guess after %zu words: %u frames, end %u", sample->name,
				words, walk.depth, walk.stop);
		if (!is_about_reading(walk.stop) && !is_by_frame_pointer(sample, &walk))
			fail_msg("%s: after %zu words it ends with %u", sample->name, words,
				walk.stop);
		assert_true(walk.missing + 2 * sizeof(uint64_t) > sample->stack_end);
		++*cuts;
	}
	sample->stack_end = end;
}

static void a_stack_that_is_cut_off_ends_with_a_reason_not_with_a_guess(void **state)
{
	size_t cuts = 0;

	(void)state;
	each_walk(check_cut, &cuts);
	assert_true(cuts > 1000);
}

static bool is_return_address(
	const struct walk_sample *sample, const struct walk *walk, uint64_t word)
{
	for (uint32_t i = 1; i < walk->depth; i++)
		if (sample->frames.at[i].pc == word)
			return true;
	return false;
}

/* Makes each word that is a return address 0 in turn: those that are old make no difference. */
static void check_zeroed(struct walk_sample *sample, void *context)
{
	size_t *zeroed = context;
	struct walk whole, walk;

	sample_walk(sample, &whole);
	vec_each (word, &sample->stack) {
		uint64_t was = *word;
		if (!is_return_address(sample, &whole, was))
			continue;
		*word = 0;
		sample_walk(sample, &walk);
		*word = was;
		if (walk.stop != UNWIND_STOP_ZEROPC || whole.stop == UNWIND_STOP_ZEROPC)
			continue;
		assert_true(walk.depth < whole.depth);
		assert_int_equal(sample->frames.at[walk.depth].pc, was);
		check_part(sample, &walk, walk.depth, UNWIND_STOP_ZEROPC);
		++*zeroed;
	}
}

static void a_return_address_of_zero_is_an_end(void **state)
{
	size_t zeroed = 0;

	(void)state;
	each_walk(check_zeroed, &zeroed);
	assert_true(zeroed > 200);
}

/* The first frame that lies in a mapping; the number of frames if none does. */
static size_t first_in(const struct walk_sample *sample, size_t depth, const struct sample_map *map)
{
	size_t i = 0;

	while (i < depth && sample_map_of(sample, &sample->frames.at[i]) != map)
		i++;
	return i;
}

/* Changes the kind of each file's mapping in turn. */
static void check_kind(struct walk_sample *sample, enum unwind_vma_kind kind, enum unwind_stop stop)
{
	struct walk whole, walk;

	sample_walk(sample, &whole);
	for (uint32_t i = 0; i < sample->vmas.vma_count; i++) {
		struct unwind_vma *vma = &sample->areas.vmas[sample->vmas.vma_base + i], was = *vma;
		size_t first = first_in(sample, whole.depth, &sample->maps.at[i]);
		if (!sample->maps.at[i].object)
			continue;
		vma->object_kind = (vma->object_kind & ~0xffU) | kind;
		sample_walk(sample, &walk);
		if (first == whole.depth)
			check_part(sample, &walk, whole.depth, whole.stop);
		else
			check_part(sample, &walk, first + 1, stop);
		*vma = was;
	}
}

/* Takes each mapping away in turn, as if it was not known yet. */
static void check_without_mapping(struct walk_sample *sample)
{
	struct walk whole, walk;

	sample_walk(sample, &whole);
	for (uint32_t i = 0; i < sample->vmas.vma_count; i++) {
		struct unwind_vma *vma = &sample->areas.vmas[sample->vmas.vma_base + i], was = *vma;
		size_t first = first_in(sample, whole.depth, &sample->maps.at[i]);
		vma->end = vma->start;
		sample_walk(sample, &walk);
		if (first == whole.depth) {
			check_part(sample, &walk, whole.depth, whole.stop);
		} else {
			check_part(sample, &walk, first + 1, UNWIND_STOP_NOVMA);
			assert_int_equal(walk.missing, sample->frames.at[first].pc);
		}
		*vma = was;
	}
}

static void check_missing(struct walk_sample *sample, void *context)
{
	struct unwind_memory memory = {.read = sample_read_stack, .context = sample};
	struct walk walk;

	(void)context;
	check_kind(sample, UNWIND_VMA_UNUSABLE, UNWIND_STOP_NOTABLE);
	check_kind(sample, UNWIND_VMA_CLOSED, UNWIND_STOP_NOTABLE);
	check_kind(sample, UNWIND_VMA_PENDING, UNWIND_STOP_PENDING);
	check_kind(sample, UNWIND_VMA_EVICTED, UNWIND_STOP_NOROOM);
	check_kind(sample, UNWIND_VMA_NOROOM, UNWIND_STOP_NOROOM);
	check_kind(sample, UNWIND_VMA_UNOPENED, UNWIND_STOP_NOOPEN);
	check_without_mapping(sample);
	unwind_host_walk(&sample->areas, NULL, 1, &sample->registers, &memory, &walk);
	check_part(sample, &walk, 1, UNWIND_STOP_NOPROC);
}

static void without_a_table_the_walk_ends_where_it_is_missing(void **state)
{
	(void)state;
	each_walk(check_missing, NULL);
}

/* A rule that leads elsewhere. */
static struct unwind_rule wrong(struct unwind_rule rule)
{
	switch (rule.cfa_kind) {
	case UNWIND_CFA_SP:
	case UNWIND_CFA_FP:
		rule.cfa_offset += 8;
		break;
	case UNWIND_CFA_SP_DEREF:
	case UNWIND_CFA_FP_DEREF:
		rule.cfa_offset = UNWIND_DEREF_OFFSET(
			UNWIND_DEREF_LOW(rule.cfa_offset), UNWIND_DEREF_HIGH(rule.cfa_offset) + 8);
		break;
	case UNWIND_CFA_BX:
	case UNWIND_CFA_SP_BX:
		rule.cfa_offset = UNWIND_DEREF_OFFSET(
			UNWIND_DEREF_LOW(rule.cfa_offset) + 8, UNWIND_DEREF_HIGH(rule.cfa_offset));
		break;
	case UNWIND_CFA_PLT:
		rule.cfa_offset = rule.cfa_offset ? 0 : 15;
		break;
	case UNWIND_CFA_STOP:
		rule = (struct unwind_rule){.cfa_kind = UNWIND_CFA_BAD};
		break;
	default:
		rule = (struct unwind_rule){.cfa_kind = UNWIND_CFA_SP, .cfa_offset = 8};
	}
	return rule;
}

/* The same walk with the rules as they are now. */
static bool is_right_with(struct walk_sample *sample)
{
	struct walk walk;

	sample_unbuild(sample);
	sample_build(sample);
	sample_walk(sample, &walk);
	return is_whole(sample, &walk) && walk.stop == UNWIND_STOP_DONE;
}

/* Makes the rules that the walk uses wrong, one at a time. */
static void check_wrong(struct walk_sample *sample, void *context)
{
	bool *is_noticed = context;

	if (sample->stop != UNWIND_STOP_DONE)
		return;
	vec_each (frame, &sample->frames) {
		int number = sample_rule_of(sample, frame);
		if (number < 0)
			continue;
		struct unwind_rule *rule = &sample->rules.at[number], was = *rule;
		*rule = wrong(was);
		bool is_right = is_right_with(sample);
		/* A PLT's entry that has pushed is the same with any lower threshold. */
		if (is_right && was.cfa_kind != UNWIND_CFA_PLT)
			fail_msg("%s: nobody minds a wrong rule %d", sample->name, number);
		is_noticed[was.cfa_kind] |= !is_right;
		*rule = was;
	}
	assert_true(is_right_with(sample));
}

static void a_wrong_rule_of_any_kind_is_noticed(void **state)
{
	static const enum unwind_cfa wanted[] = {UNWIND_CFA_SP, UNWIND_CFA_FP, UNWIND_CFA_FP_DEREF,
		UNWIND_CFA_PLT, UNWIND_CFA_SIGNAL, UNWIND_CFA_STOP, UNWIND_CFA_FRAMEPTR,
		UNWIND_CFA_RA_REG, UNWIND_CFA_BX, UNWIND_CFA_SP_BX};
	bool is_noticed[UNWIND_CFA_KINDS] = {0};

	(void)state;
	each_walk(check_wrong, is_noticed);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		assert_true(is_noticed[wanted[i]]);
}

/* Reads frame pointers from beside where they were saved. */
static void check_wrong_fp(struct walk_sample *sample, void *context)
{
	bool *is_noticed = context;

	if (sample->stop != UNWIND_STOP_DONE)
		return;
	vec_each (rule, &sample->rules) {
		struct unwind_rule was = *rule;
		if (was.fp_kind != UNWIND_FP_AT_CFA)
			continue;
		rule->fp_offset += 8;
		/* Few frames need the frame pointer of their callee. */
		is_noticed[was.fp_offset == -16] |= !is_right_with(sample);
		*rule = was;
	}
}

/* Below the return address it is read together with that, elsewhere alone. */
static void a_frame_pointer_from_a_wrong_place_is_noticed(void **state)
{
	bool is_noticed[2] = {0};

	(void)state;
	each_walk(check_wrong_fp, is_noticed);
	assert_true(is_noticed[0]);
	assert_true(is_noticed[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_walks_are_what_a_debugger_saw),
		cmocka_unit_test(every_way_from_frame_to_frame_was_recorded),
		cmocka_unit_test(a_stack_that_is_cut_off_ends_with_a_reason_not_with_a_guess),
		cmocka_unit_test(a_return_address_of_zero_is_an_end),
		cmocka_unit_test(without_a_table_the_walk_ends_where_it_is_missing),
		cmocka_unit_test(a_wrong_rule_of_any_kind_is_noticed),
		cmocka_unit_test(a_frame_pointer_from_a_wrong_place_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
