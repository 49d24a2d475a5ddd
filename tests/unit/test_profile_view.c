// SPDX-License-Identifier: GPL-2.0-or-later
/* The views on recordings whose figures are known: what sums to what, and how stacks look. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "golden.h"
#include "view_sample.h"

#include "format/folded.h"
#include "profile/view.h"

static const struct stack_shape by_comm = {.by = {BY_COMM}, .by_count = 1};

static char *folded_of(struct view_sample *sample, enum view view, const struct view_filter *filter,
	const struct stack_shape *shape, const struct folded_options *options)
{
	struct profile profile;
	struct why why = {""};
	char *text = NULL;

	if (profile_of_view(sample->recording, view_type(view), filter, shape, &profile, &why))
		fail_msg("%s", why.text);
	sample_print(text, out, folded_write(&profile.tree, options, out));
	profile_clear(&profile);
	return text;
}

static char *folded_ms(struct view_sample *sample, enum view view, const struct view_filter *filter)
{
	return folded_of(
		sample, view, filter, &by_comm, &(struct folded_options){.unit_ns = NS_PER_MS});
}

static uint64_t total_ns(
	struct view_sample *sample, enum view view, const struct view_filter *filter)
{
	struct profile profile;
	struct why why = {""};
	uint64_t total;

	if (profile_of_view(sample->recording, view_type(view), filter, &by_comm, &profile, &why))
		fail_msg("%s", why.text);
	total = tree_total_weight(&profile.tree);
	profile_clear(&profile);
	return total;
}

static uint64_t idle_ns(
	struct view_sample *sample, enum view view, const struct view_filter *filter)
{
	struct profile profile;
	struct why why = {""};
	uint64_t idle;

	if (profile_of_view(sample->recording, view_type(view), filter, &by_comm, &profile, &why))
		fail_msg("%s", why.text);
	idle = profile.idle_ns;
	profile_clear(&profile);
	return idle;
}

static void open_known(struct view_sample *sample, struct view_filter *filter)
{
	view_filter_init(filter);
	sample_begin(sample, 10);
	sample_fill(sample);
	sample_finish(sample);
}

static void every_view_reads_as_expected(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	open_known(&sample, &filter);
	for (unsigned int view = 0; view <= VIEW_HOTCOLD; view++) {
		char name[64];
		_cleanup_free_ char *text = folded_ms(&sample, (enum view)view, &filter);
		snprintf(name, sizeof(name), "%s.folded", view_type((enum view)view)->name);
		assert_golden(text, name);
	}
	sample_end(&sample);
}

static void counts_and_suffixes_and_lists_of_names_read_as_expected(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct stack_shape shape = {.has_suffixes = true};
	struct why why;
	(void)state;

	open_known(&sample, &filter);
	assert_int_equal(stack_shape_set_by(&shape, "container,process,thread", &why), 0);
	_cleanup_free_ char *text = folded_of(&sample, VIEW_OFFCPU, &filter, &shape,
		&(struct folded_options){.weighs_counts = true});
	assert_golden(text, "offcpu-counts.folded");
	sample_end(&sample);
}

static void off_cpu_and_on_cpu_time_make_up_life(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	open_known(&sample, &filter);
	assert_int_equal(total_ns(&sample, VIEW_OFFCPU, &filter), 32000 * MS);
	assert_int_equal(total_ns(&sample, VIEW_ONCPU, &filter), 3000 * MS);
	assert_int_equal(total_ns(&sample, VIEW_RUNQ, &filter), 3000 * MS);
	assert_int_equal(total_ns(&sample, VIEW_HOTCOLD, &filter), 35000 * MS);
	sample_end(&sample);
}

static void idle_time_and_the_rest_make_up_the_whole(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	uint64_t hidden, only;
	(void)state;

	open_known(&sample, &filter);
	filter.idle = IDLE_HIDE;
	hidden = total_ns(&sample, VIEW_OFFCPU, &filter);
	assert_int_equal(idle_ns(&sample, VIEW_OFFCPU, &filter), 20000 * MS);
	assert_int_equal(idle_ns(&sample, VIEW_HOTCOLD, &filter), 20000 * MS);
	assert_int_equal(idle_ns(&sample, VIEW_ONCPU, &filter), 0);
	/* What another filter leaves out is not set aside. */
	filter.is_kernel_only = true;
	assert_int_equal(idle_ns(&sample, VIEW_OFFCPU, &filter), 10000 * MS);
	filter.is_kernel_only = false;
	filter.idle = IDLE_ONLY;
	only = total_ns(&sample, VIEW_OFFCPU, &filter);
	assert_int_equal(only, 20000 * MS);
	assert_int_equal(hidden + only, 32000 * MS);
	sample_end(&sample);
}

/* By node and by count: what stacks weigh is what their reasons weigh. */
static void reasons_make_up_the_time_of_each_stack(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct profile profile;
	struct why why = {""};
	uint64_t no_cpu = 0;
	(void)state;

	open_known(&sample, &filter);
	assert_int_equal(profile_of_view(sample.recording, view_type(VIEW_OFFCPU), &filter,
				 &by_comm, &profile, &why),
		0);
	vec_each (part, &profile.parts.at) {
		struct tree_node *node = &profile.tree.nodes.at[part->node];
		assert_in_range(part->weight, 0, node->self_weight);
		assert_in_range(part->count, 0, node->self_count);
		node->self_weight -= part->weight;
		node->self_count -= part->count;
		no_cpu += part->why == REASON_PART_NO_CPU ? part->weight : 0;
	}
	assert_int_equal(tree_total_weight(&profile.tree), 0);
	assert_int_equal(tree_total_count(&profile.tree), 0);
	assert_int_equal(no_cpu, 3000 * MS);
	profile_clear(&profile);
	sample_end(&sample);
}

static void a_wait_over_ten_slices_has_a_tenth_in_each(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	open_known(&sample, &filter);
	view_filter_set_comm(&filter, "checkpointer");
	for (uint64_t slice = 0; slice < 10; slice++) {
		filter.from_ns = slice * NS_PER_S;
		filter.to_ns = filter.from_ns + NS_PER_S;
		assert_int_equal(total_ns(&sample, VIEW_OFFCPU, &filter), NS_PER_S);
	}
	view_filter_clear(&filter);
	sample_end(&sample);
}

static void a_range_is_rounded_out_to_whole_slices(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct profile profile;
	struct why why;
	(void)state;

	open_known(&sample, &filter);
	filter.from_ns = 2500 * MS;
	filter.to_ns = 3001 * MS;
	assert_int_equal(profile_of_view(sample.recording, view_type(VIEW_HOTCOLD), &filter,
				 &by_comm, &profile, &why),
		0);
	assert_true(profile.has_range);
	assert_int_equal(profile.from_ns, 2000 * MS);
	assert_int_equal(profile.to_ns, 4000 * MS);
	/* Three threads live there. */
	assert_int_equal(tree_total_weight(&profile.tree), 6000 * MS);
	profile_clear(&profile);
	sample_end(&sample);
}

static void a_range_behind_the_end_is_an_error(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct profile profile;
	struct why why = {""};
	(void)state;

	open_known(&sample, &filter);
	filter.from_ns = 10000 * MS;
	assert_true(profile_of_view(sample.recording, view_type(VIEW_OFFCPU), &filter, &by_comm,
			    &profile, &why) < 0);
	assert_non_null(strstr(why.text, "10.000 s"));
	sample_end(&sample);
}

static void bands_states_reasons_and_threads_choose(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct why why;
	(void)state;

	open_known(&sample, &filter);
	assert_int_equal(view_filter_set_states(&filter, "blocked", &why), 0);
	assert_int_equal(view_filter_set_min_wait(&filter, "10ms", &why), 0);
	assert_int_equal(view_filter_set_max_wait(&filter, "100ms", &why), 0);
	assert_int_equal(total_ns(&sample, VIEW_OFFCPU, &filter), 9000 * MS);
	assert_int_equal(view_filter_set_reasons(&filter, "futex", &why), 0);
	assert_int_equal(total_ns(&sample, VIEW_OFFCPU, &filter), 4000 * MS);
	assert_int_equal(view_filter_add_tids(&filter, "101,102", &why), 0);
	assert_int_equal(total_ns(&sample, VIEW_OFFCPU, &filter), 0);
	view_filter_clear(&filter);

	view_filter_init(&filter);
	filter.is_kernel_only = true;
	assert_int_equal(total_ns(&sample, VIEW_HOTCOLD, &filter), 10000 * MS);
	assert_int_equal(view_filter_set_states(&filter, "S", &why), 0);
	assert_int_equal(total_ns(&sample, VIEW_HOTCOLD, &filter), 0);
	assert_int_equal(view_filter_set_states(&filter, "S,I", &why), 0);
	assert_int_equal(total_ns(&sample, VIEW_HOTCOLD, &filter), 10000 * MS);
	sample_end(&sample);
}

static void only_one_side_of_the_stacks_can_be_shown(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct stack_shape shape = by_comm;
	struct folded_options options = {.unit_ns = NS_PER_MS};
	(void)state;

	open_known(&sample, &filter);
	view_filter_set_comm(&filter, "pgbench");
	shape.is_user_only = true;
	_cleanup_free_ char *user = folded_of(&sample, VIEW_OFFCPU, &filter, &shape, &options);
	assert_string_equal(user, "pgbench;[broken];libfoo.so.1+0x12;wait_lock 4000\n");
	shape.is_user_only = false;
	shape.is_kernel_only = true;
	_cleanup_free_ char *kernel = folded_of(&sample, VIEW_OFFCPU, &filter, &shape, &options);
	assert_string_equal(kernel, "pgbench;entry_SYSCALL_64_after_hwframe;do_syscall_64;"
				    "__x64_sys_futex;do_futex;futex_wait;futex_wait_queue;schedule "
				    "4000\n");
	view_filter_clear(&filter);
	sample_end(&sample);
}

static void running_time_is_divided_without_loss(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	view_filter_init(&filter);
	sample_begin(&sample, 1);
	sample_add_thread(&sample, 1, "a", "a", false, 0, 1000, (uint64_t[]){1000, 0, 0, 0});
	sample_add_row(&sample, 1, 0, TIME_RUNNING, 1, 1000, 0, 0);
	sample_add_row(&sample, 1, 0, TIME_SAMPLE, 1, 0, sample_user(&sample, "x"), 0);
	sample_add_row(&sample, 1, 0, TIME_SAMPLE, 1, 0, sample_user(&sample, "y"), 0);
	sample_add_row(&sample, 1, 0, TIME_SAMPLE, 1, 0, sample_user(&sample, "z"), 0);
	sample_finish(&sample);
	_cleanup_free_ char *text = folded_of(
		&sample, VIEW_ONCPU, &filter, &by_comm, &(struct folded_options){.unit_ns = 1});
	assert_string_equal(text, "a;x 333\na;y 333\na;z 334\n");
	sample_end(&sample);
}

static void time_that_no_row_holds_shows_as_overflow(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	view_filter_init(&filter);
	sample_begin(&sample, 1);
	sample_add_thread(
		&sample, 1, "a", "a", false, 0, NS_PER_S, (uint64_t[]){0, 0, 0, 1000 * MS});
	sample_add_row(
		&sample, 1, 0, TIME_BLOCKED, 1, 400 * MS, sample_user(&sample, "x"), STACK_NONE);
	sample_add_row(&sample, 1, 0, TIME_BLOCKED, 1, 100 * MS, STACK_OVERFLOW, STACK_OVERFLOW);
	sample_finish(&sample);
	_cleanup_free_ char *text = folded_ms(&sample, VIEW_OFFCPU, &filter);
	assert_string_equal(text, "a;[overflow] 600\na;x 400\n");
	sample_end(&sample);
}

static void hostile_names_cannot_break_a_line(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	view_filter_init(&filter);
	sample_begin(&sample, 1);
	sample_add_thread(&sample, 1, "p", "a;b\nc 9\x1b", false, 0, NS_PER_S,
		(uint64_t[]){0, 0, 0, 1000 * MS});
	sample_add_row(&sample, 1, 0, TIME_BLOCKED, 1, NS_PER_S, sample_user(&sample, "f\nx 1"),
		STACK_NONE);
	sample_finish(&sample);
	_cleanup_free_ char *text = folded_ms(&sample, VIEW_OFFCPU, &filter);
	assert_string_equal(text, "a:b?c 9?;f?x 1 1000\n");
	sample_end(&sample);
}

static void code_without_a_name_is_object_and_offset(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct stack_shape shape = by_comm;
	(void)state;

	view_filter_init(&filter);
	shape.has_suffixes = true;
	sample_begin(&sample, 1);
	sample_add_thread(
		&sample, 1, "a", "a", false, 0, NS_PER_S, (uint64_t[]){0, 0, 0, 1000 * MS});
	sample_add_row(&sample, 1, 0, TIME_BLOCKED, 1, NS_PER_S,
		sample_stack(&sample, OBJECT_OF_JIT, "+7f00", UNWIND_CUT),
		sample_kernel(&sample, "+c0;schedule"));
	sample_finish(&sample);
	_cleanup_free_ char *text = folded_of(&sample, VIEW_OFFCPU, &filter, &shape,
		&(struct folded_options){.unit_ns = NS_PER_MS});
	assert_string_equal(
		text, "a;[cut];[anonymous]+0x7f00_[j];[kernel]+0xc0_[k];schedule_[k] 1000\n");
	sample_end(&sample);
}

static void addresses_of_one_function_without_a_name_are_one_frame(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	view_filter_init(&filter);
	sample_begin(&sample, 1);
	sample_add_thread(
		&sample, 1, "a", "a", false, 0, 900 * MS, (uint64_t[]){0, 0, 0, 900 * MS});
	sample_add_row(
		&sample, 1, 0, TIME_BLOCKED, 1, 100 * MS, sample_user(&sample, "main;+1008-8"), 0);
	sample_add_row(
		&sample, 1, 0, TIME_BLOCKED, 1, 200 * MS, sample_user(&sample, "main;+1010-10"), 0);
	/* Nothing is known of where these begin. */
	sample_add_row(
		&sample, 1, 0, TIME_BLOCKED, 1, 200 * MS, sample_user(&sample, "main;+1020"), 0);
	sample_add_row(
		&sample, 1, 0, TIME_BLOCKED, 1, 400 * MS, sample_user(&sample, "main;+20-30"), 0);
	sample_finish(&sample);
	_cleanup_free_ char *text = folded_ms(&sample, VIEW_OFFCPU, &filter);
	assert_string_equal(text, "a;main;libfoo.so.1+0x1000 300\n"
				  "a;main;libfoo.so.1+0x1020 200\n"
				  "a;main;libfoo.so.1+0x20 400\n");
	sample_end(&sample);
}

static void a_container_is_named_by_twelve_digits_and_none_is_the_host(void **state)
{
	static const char id[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	struct view_sample sample;
	struct view_filter filter;
	struct stack_shape shape = {.by = {BY_CONTAINER}, .by_count = 1};
	(void)state;

	view_filter_init(&filter);
	sample_begin(&sample, 1);
	for (uint32_t thread = 1; thread <= 2; thread++) {
		sample_add_thread(&sample, thread, "a", "a", false, 0, 900 * MS,
			(uint64_t[]){0, 0, 0, 900 * MS});
		sample_add_row(&sample, thread, 0, TIME_BLOCKED, 1, 900 * MS,
			sample_user(&sample, "main"), 0);
	}
	recording_writer_put_process(
		sample.writer, &(struct rec_process){2, 102, "a", "", id, false});
	sample_finish(&sample);
	_cleanup_free_ char *text = folded_of(&sample, VIEW_OFFCPU, &filter, &shape,
		&(struct folded_options){.unit_ns = NS_PER_MS});
	assert_string_equal(text, "0123456789ab;main 900\n[host];main 900\n");
	sample_end(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_view_reads_as_expected),
		cmocka_unit_test(counts_and_suffixes_and_lists_of_names_read_as_expected),
		cmocka_unit_test(off_cpu_and_on_cpu_time_make_up_life),
		cmocka_unit_test(idle_time_and_the_rest_make_up_the_whole),
		cmocka_unit_test(reasons_make_up_the_time_of_each_stack),
		cmocka_unit_test(a_wait_over_ten_slices_has_a_tenth_in_each),
		cmocka_unit_test(a_range_is_rounded_out_to_whole_slices),
		cmocka_unit_test(a_range_behind_the_end_is_an_error),
		cmocka_unit_test(bands_states_reasons_and_threads_choose),
		cmocka_unit_test(only_one_side_of_the_stacks_can_be_shown),
		cmocka_unit_test(running_time_is_divided_without_loss),
		cmocka_unit_test(time_that_no_row_holds_shows_as_overflow),
		cmocka_unit_test(hostile_names_cannot_break_a_line),
		cmocka_unit_test(code_without_a_name_is_object_and_offset),
		cmocka_unit_test(addresses_of_one_function_without_a_name_are_one_frame),
		cmocka_unit_test(a_container_is_named_by_twelve_digits_and_none_is_the_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
