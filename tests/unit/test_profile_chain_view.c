// SPDX-License-Identifier: GPL-2.0-or-later
/* Views of wakers: how they look, what they sum to, and who can be left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "chain_sample.h"
#include "format/folded.h"
#include "golden.h"
#include "profile/view.h"

static const struct stack_shape by_comm = {.by = {BY_COMM}, .by_count = 1};

static void open_chains(struct view_sample *sample, struct view_filter *filter)
{
	view_filter_init(filter);
	sample_begin(sample, 10);
	sample_fill_chains(sample);
	sample_finish(sample);
}

static struct profile profile_of(struct view_sample *sample, enum view view,
	const struct view_filter *filter, const struct stack_shape *shape)
{
	struct profile profile;
	struct why why = {""};

	if (profile_of_view(sample->recording, view_type(view), filter, shape, &profile, &why))
		fail_msg("%s", why.text);
	return profile;
}

static void check_folded(struct view_sample *sample, enum view view,
	const struct stack_shape *shape, const char *golden)
{
	struct view_filter filter;
	char *text = NULL;

	view_filter_init(&filter);
	struct profile profile = profile_of(sample, view, &filter, shape);
	sample_print(text, out,
		folded_write(&profile.tree, &(struct folded_options){.unit_ns = NS_PER_MS}, out));
	assert_golden(text, golden);
	free(text);
	profile_clear(&profile);
	view_filter_clear(&filter);
}

static void views_of_wakers_read_as_expected(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct stack_shape causes = by_comm, user_only = by_comm, kernel_only = by_comm;
	(void)state;

	open_chains(&sample, &filter);
	causes.weighs_causes = true;
	user_only.is_user_only = true;
	kernel_only.is_kernel_only = true;
	check_folded(&sample, VIEW_WAKEUP, &by_comm, "chains-wakeup.folded");
	check_folded(&sample, VIEW_OFFWAKE, &by_comm, "chains-offwake.folded");
	check_folded(&sample, VIEW_CHAIN, &by_comm, "chains-chain.folded");
	check_folded(&sample, VIEW_CHAIN, &causes, "chains-cause.folded");
	check_folded(&sample, VIEW_CHAIN, &user_only, "chains-user.folded");
	check_folded(&sample, VIEW_WAKEUP, &kernel_only, "chains-kernel.folded");
	sample_end(&sample);
}

static uint64_t total_of(struct view_sample *sample, enum view view,
	const struct view_filter *filter, const struct stack_shape *shape, uint64_t *ret_count)
{
	struct profile profile = profile_of(sample, view, filter, shape);
	uint64_t total = tree_total_weight(&profile.tree);

	*ret_count = tree_total_count(&profile.tree);
	profile_clear(&profile);
	return total;
}

/* To the nanosecond, whatever is filtered. */
static void all_views_of_blocked_time_have_one_total(void **state)
{
	static const struct {
		const char *from, *to, *state, *reason, *name, *min;
	} filters[] = {
		{NULL, NULL, "blocked", NULL, NULL, NULL},
		{"3s", "5s", "blocked", NULL, NULL, NULL},
		{NULL, "7s", "blocked", NULL, "pgbench", NULL},
		{"4s", NULL, "S", "socket", NULL, NULL},
		{"1s", "2s", "blocked", NULL, NULL, "100ms"},
	};
	struct view_sample sample;
	struct view_filter filter;
	struct stack_shape causes = by_comm;
	(void)state;

	causes.weighs_causes = true;
	open_chains(&sample, &filter);
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		struct why why = {""};
		uint64_t counts[5], total;
		view_filter_clear(&filter);
		view_filter_init(&filter);
		if (filters[i].from)
			assert_int_equal(view_filter_set_from(&filter, filters[i].from, &why), 0);
		if (filters[i].to)
			assert_int_equal(view_filter_set_to(&filter, filters[i].to, &why), 0);
		if (filters[i].reason)
			assert_int_equal(
				view_filter_set_reasons(&filter, filters[i].reason, &why), 0);
		if (filters[i].min)
			assert_int_equal(
				view_filter_set_min_wait(&filter, filters[i].min, &why), 0);
		if (filters[i].name)
			view_filter_set_comm(&filter, filters[i].name);
		assert_int_equal(view_filter_set_states(&filter, filters[i].state, &why), 0);
		total = total_of(&sample, VIEW_OFFCPU, &filter, &by_comm, &counts[0]);
		assert_true(total > 0);
		assert_int_equal(
			total_of(&sample, VIEW_WAKEUP, &filter, &by_comm, &counts[1]), total);
		assert_int_equal(
			total_of(&sample, VIEW_OFFWAKE, &filter, &by_comm, &counts[2]), total);
		assert_int_equal(
			total_of(&sample, VIEW_CHAIN, &filter, &by_comm, &counts[3]), total);
		assert_int_equal(
			total_of(&sample, VIEW_CHAIN, &filter, &causes, &counts[4]), total);
		for (size_t j = 1; j < 5; j++)
			assert_int_equal(counts[j], counts[0]);
	}
	view_filter_clear(&filter);
	sample_end(&sample);
}

static void a_recording_without_chains_says_so(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct profile profile;
	struct why why = {""};
	(void)state;

	view_filter_init(&filter);
	sample_begin(&sample, 10);
	sample_fill(&sample);
	sample_finish(&sample);
	assert_int_equal(profile_of_view(sample.recording, view_type(VIEW_CHAIN), &filter, &by_comm,
				 &profile, &why),
		-ENODATA);
	assert_non_null(strstr(why.text, "no wake chains"));
	sample_end(&sample);
}

static void threads_seen_in_the_chains_of_others_can_be_hidden(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct stack_shape roots = by_comm;
	uint64_t count;
	(void)state;

	roots.is_roots_only = true;
	open_chains(&sample, &filter);
	/* All 5 s that jbd2 waited for the disk lie in waits of others; its 4 s of idling do not.
	 */
	struct profile profile = profile_of(&sample, VIEW_CHAIN, &filter, &roots);
	assert_int_equal(profile.hidden_threads, 0);
	profile_clear(&profile);
	filter.idle = IDLE_HIDE;
	profile = profile_of(&sample, VIEW_CHAIN, &filter, &roots);
	assert_int_equal(profile.hidden_threads, 1);
	assert_int_equal(profile.hidden_ns, 5000 * MS);
	assert_int_equal(profile.hidden_ns + tree_total_weight(&profile.tree),
		total_of(&sample, VIEW_CHAIN, &filter, &by_comm, &count));
	profile_clear(&profile);
	/* Alone there is nobody else to show jbd2's waits. */
	view_filter_set_comm(&filter, "jbd2*");
	profile = profile_of(&sample, VIEW_CHAIN, &filter, &roots);
	assert_int_equal(profile.hidden_threads, 0);
	profile_clear(&profile);
	view_filter_clear(&filter);
	sample_end(&sample);
}

/* Two that wait for each other cover each other: one of them stays. */
static void of_two_that_wait_for_each_other_one_is_shown(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct stack_shape roots = by_comm;
	(void)state;

	roots.is_roots_only = true;
	view_filter_init(&filter);
	sample_begin(&sample, 1);
	sample.meta.chain_depth = 8;
	uint64_t pipe = sample_kernel(&sample, "vfs_read;pipe_read;schedule");
	for (uint32_t id = 1; id <= 2; id++) {
		const char *other = id == 1 ? "pong" : "ping";
		struct rec_hop hops[] = {
			{HOP_TASK, other, pipe, STACK_NONE, STACK_NONE, STACK_NONE, 0},
			{HOP_TASK, id == 1 ? "ping" : "pong", pipe, STACK_NONE, pipe, STACK_NONE,
				0}};
		struct rec_sum wait = {
			.thread = id, .count = 10, .ns = 500 * MS, .kernel_stack = pipe};
		sample_add_thread(&sample, id, id == 1 ? "ping" : "pong", id == 1 ? "ping" : "pong",
			false, 0, 1000 * MS, (uint64_t[]){500 * MS, 0, 0, 500 * MS});
		sample_add_row(&sample, id, 0, TIME_RUNNING, 10, 500 * MS, 0, 0);
		sample_add_wait(&sample, wait, sample_chain(&sample, CHAIN_AWAKE, hops, 2),
			(struct rec_share[]){{20 * MS, 0, 0}, {480 * MS, 0, 0}, {0}}, 3);
	}
	sample_finish(&sample);
	struct profile profile = profile_of(&sample, VIEW_CHAIN, &filter, &roots);
	assert_int_equal(profile.hidden_threads, 1);
	assert_int_equal(tree_total_weight(&profile.tree), 500 * MS);
	profile_clear(&profile);
	sample_end(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(views_of_wakers_read_as_expected),
		cmocka_unit_test(all_views_of_blocked_time_have_one_total),
		cmocka_unit_test(a_recording_without_chains_says_so),
		cmocka_unit_test(threads_seen_in_the_chains_of_others_can_be_hidden),
		cmocka_unit_test(of_two_that_wait_for_each_other_one_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
