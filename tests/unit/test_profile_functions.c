// SPDX-License-Identifier: GPL-2.0-or-later
/* The flat table of functions, on recordings whose figures are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "golden.h"
#include "view_sample.h"

#include "render/report/functions.h"
#include "util/text.h"

static const struct stack_shape shape = {.keeps_objects = true};

struct made {
	struct view_sample sample;
	struct profile profile;
	struct function_table table;
};

/* Of what was written into the sample. */
static void make(struct made *made, enum view view, enum function_order order)
{
	struct view_filter filter;
	struct why why = {""};

	sample_finish(&made->sample);
	view_filter_init(&filter);
	if (profile_of_view(
		    made->sample.recording, view_type(view), &filter, &shape, &made->profile, &why))
		fail_msg("%s", why.text);
	function_table_make(&made->profile.tree, view_type(view), order, &made->table);
}

static void unmake(struct made *made)
{
	function_table_clear(&made->table);
	profile_clear(&made->profile);
	sample_end(&made->sample);
}

static const struct function_row *find(
	const struct made *made, const char *name, const char *object)
{
	vec_each (row, &made->table.functions)
		if (!strcmp(row->name, name) && !strcmp(row->object, object))
			return row;
	fail_msg("no %s in %s", name, object);
	return NULL;
}

static void assert_row(const struct made *made, const char *name, const char *object,
	uint64_t self_ms, uint64_t total_ms)
{
	const struct function_row *row = find(made, name, object);

	assert_int_equal(row->self_weight, self_ms * MS);
	assert_int_equal(row->total_weight, total_ms * MS);
}

static void assert_self_adds_up(const struct made *made)
{
	uint64_t by_function = 0, by_object = 0, count = 0;

	vec_each (row, &made->table.functions) {
		by_function += row->self_weight;
		count += row->self_count;
		assert_true(row->total_weight >= row->self_weight);
		assert_true(row->total_weight <= made->table.total_weight);
	}
	vec_each (row, &made->table.objects)
		by_object += row->self_weight;
	assert_int_equal(by_function, made->table.total_weight);
	assert_int_equal(by_object, made->table.total_weight);
	assert_int_equal(count, made->table.total_count);
	assert_int_equal(made->table.total_weight, tree_total_weight(&made->profile.tree));
}

#define PROGRAM "/opt/lib/libfoo.so.1"

/* One thread with off-CPU time in these stacks, in ms. */
static void begin_blocked(struct made *made, const char *const *stacks, const uint64_t *ms)
{
	uint64_t all_ms = 0;

	sample_begin(&made->sample, 1);
	for (size_t i = 0; stacks[i]; i++) {
		sample_add_row(&made->sample, 1, 0, TIME_BLOCKED, 1, ms[i] * MS,
			sample_user(&made->sample, stacks[i]), 0);
		all_ms += ms[i];
	}
	sample_add_thread(&made->sample, 1, "a", "a", false, 0, all_ms * MS,
		(uint64_t[]){0, 0, 0, all_ms * MS});
}

static void a_function_that_recurs_is_counted_once_for_each_stack(void **state)
{
	struct made made;
	(void)state;

	begin_blocked(&made, (const char *[]){"main;walk;visit;walk;visit;walk", "main;walk", NULL},
		(uint64_t[]){300, 200});
	make(&made, VIEW_OFFCPU, FUNCTIONS_BY_SELF);
	assert_row(&made, "main", PROGRAM, 0, 500);
	assert_row(&made, "walk", PROGRAM, 500, 500);
	assert_row(&made, "visit", PROGRAM, 0, 300);
	assert_int_equal(made.table.objects.count, 1);
	assert_int_equal(made.table.objects.at[0].total_weight, 500 * MS);
	assert_int_equal(made.table.objects.at[0].functions, 3);
	assert_self_adds_up(&made);
	unmake(&made);
}

static void functions_of_one_name_in_two_objects_are_two(void **state)
{
	struct made made;
	(void)state;

	begin_blocked(&made, (const char *[]){"main;read", "main;!read", "main;!read;read", NULL},
		(uint64_t[]){100, 200, 400});
	make(&made, VIEW_OFFCPU, FUNCTIONS_BY_SELF);
	assert_row(&made, "read", PROGRAM, 500, 500);
	assert_row(&made, "read", "[anonymous]", 200, 600);
	assert_self_adds_up(&made);
	unmake(&made);
}

static void waiting_time_is_of_the_function_that_called_the_scheduler(void **state)
{
	struct made made;
	(void)state;

	sample_begin(&made.sample, 10);
	sample_fill(&made.sample);
	make(&made, VIEW_OFFCPU, FUNCTIONS_BY_SELF);
	/* 5 s blocked and 2 s [runq] after it. */
	assert_row(&made, "folio_wait_bit_common", "[kernel]", 7000, 7000);
	assert_row(&made, "futex_wait_queue", "[kernel]", 4000, 4000);
	assert_row(&made, "wait_lock", PROGRAM, 0, 4000);
	/* 1 s [preempted], and naps in a function that never waits itself. */
	assert_row(&made, "plan", PROGRAM, 1000, 1000);
	assert_row(&made, "fdatasync", PROGRAM, 0, 17000);
	vec_each (row, &made.table.functions)
		if (strstr(row->name, "schedule") || row->name[0] == '[')
			fail_msg("%s is listed", row->name);
	assert_self_adds_up(&made);
	unmake(&made);
}

static void running_in_the_scheduler_is_running(void **state)
{
	struct made made;
	(void)state;

	sample_begin(&made.sample, 1);
	sample_add_thread(
		&made.sample, 1, "a", "a", false, 0, NS_PER_S, (uint64_t[]){NS_PER_S, 0, 0, 0});
	sample_add_row(&made.sample, 1, 0, TIME_RUNNING, 1, NS_PER_S, 0, 0);
	sample_add_row(&made.sample, 1, 0, TIME_SAMPLE, 10, 0, sample_user(&made.sample, "main"),
		sample_kernel(&made.sample, KERNEL_FUTEX));
	make(&made, VIEW_ONCPU, FUNCTIONS_BY_SELF);
	assert_row(&made, "schedule", "[kernel]", 1000, 1000);
	function_table_clear(&made.table);
	profile_clear(&made.profile);
	sample_end(&made.sample);
}

static void a_stack_without_functions_is_known_by_its_word(void **state)
{
	struct made made;
	(void)state;

	sample_begin(&made.sample, 10);
	sample_fill(&made.sample);
	make(&made, VIEW_ONCPU, FUNCTIONS_BY_SELF);
	assert_row(&made, "[unsampled]", "", 1000, 1000);
	assert_row(&made, "parse", PROGRAM, 1000, 1000);
	assert_row(&made, "main", PROGRAM, 0, 2000);
	assert_self_adds_up(&made);
	unmake(&made);
}

static void every_view_adds_up(void **state)
{
	(void)state;

	for (unsigned int view = 0; view <= VIEW_HOTCOLD; view++) {
		struct made made;
		sample_begin(&made.sample, 10);
		sample_fill(&made.sample);
		make(&made, (enum view)view, FUNCTIONS_BY_TOTAL);
		assert_self_adds_up(&made);
		for (size_t i = 1; i < made.table.functions.count; i++)
			assert_true(made.table.functions.at[i - 1].total_weight >=
				    made.table.functions.at[i].total_weight);
		unmake(&made);
	}
}

static struct functions_style style_of(
	const struct made *made, enum view view, enum function_order order)
{
	return (struct functions_style){.file = "last.dwell",
		.target = "all threads",
		.profile = &made->profile,
		.filter_text = "",
		.view = view_type(view),
		.order = order,
		.width = 80};
}

static void assert_text(enum view view, enum function_order order, size_t top, const char *golden)
{
	struct made made;
	char *text = NULL;

	sample_begin(&made.sample, 10);
	sample_fill(&made.sample);
	make(&made, view, order);
	struct functions_style style = style_of(&made, view, order);
	style.top = top;
	sample_print(text, out, functions_text(&made.table, &style, out));
	assert_golden(text, golden);
	free(text);
	unmake(&made);
}

static void the_tables_of_a_known_recording_read_as_expected(void **state)
{
	(void)state;

	assert_text(VIEW_ONCPU, FUNCTIONS_BY_SELF, 0, "functions.txt");
	assert_text(VIEW_OFFCPU, FUNCTIONS_BY_TOTAL, 6, "functions-total.txt");
	assert_text(VIEW_HOTCOLD, FUNCTIONS_BY_OBJECT, 2, "functions-object.txt");
}

static void the_json_of_a_known_recording_reads_as_expected(void **state)
{
	struct made made;
	char *text = NULL;
	(void)state;

	sample_begin(&made.sample, 10);
	sample_fill(&made.sample);
	make(&made, VIEW_ONCPU, FUNCTIONS_BY_SELF);
	struct functions_style style = style_of(&made, VIEW_ONCPU, FUNCTIONS_BY_SELF);
	sample_print(text, out, functions_json(&made.table, &style, out));
	assert_golden(text, "functions.json");
	free(text);
	unmake(&made);
}

/* Sums of the self columns over all lines but those of objects, in thousandths and tenths. */
static void add_columns(const char *text, bool has_heads, uint64_t *ret_ms, uint64_t *ret_permille)
{
	const char *line = strstr(text, "function\n");

	assert_non_null(line);
	for (line = strchr(line, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
		unsigned long long whole, part, percent, tenth;
		assert_int_equal(
			sscanf(line, " %llu.%llu %llu.%llu", &whole, &part, &percent, &tenth), 4);
		if (has_heads && line[34] != ' ')
			continue;
		*ret_ms += whole * 1000 + part;
		*ret_permille += percent * 10 + tenth;
	}
}

/* Many functions whose shares are no round numbers. */
static void begin_crowd(struct made *made)
{
	uint64_t each_ns = 33333331, all_ns = 0;

	sample_begin(&made->sample, 10);
	for (uint64_t i = 0; i < 97; i++) {
		char stack[64];
		snprintf(stack, sizeof(stack), "%smain;%sf%d", i % 3 ? "" : "!", i % 2 ? "" : "!",
			(int)i);
		sample_add_row(&made->sample, 1, 0, TIME_BLOCKED, 1, each_ns + i * 7,
			sample_user(&made->sample, stack), 0);
		all_ns += each_ns + i * 7;
	}
	sample_add_thread(
		&made->sample, 1, "a", "a", false, 0, all_ns, (uint64_t[]){0, 0, 0, all_ns});
}

static void what_is_printed_adds_up_whatever_is_cut(void **state)
{
	(void)state;

	for (size_t top = 1; top < 120; top += 13)
		for (unsigned int order = 0; order <= FUNCTIONS_BY_OBJECT; order++) {
			struct made made;
			char *text = NULL;
			uint64_t ms = 0, permille = 0;
			begin_crowd(&made);
			make(&made, VIEW_OFFCPU, (enum function_order)order);
			struct functions_style style =
				style_of(&made, VIEW_OFFCPU, (enum function_order)order);
			style.top = top;
			sample_print(text, out, functions_text(&made.table, &style, out));
			add_columns(text, order == FUNCTIONS_BY_OBJECT, &ms, &permille);
			assert_int_equal(ms, (made.table.total_weight + MS / 2) / MS);
			assert_int_equal(permille, 1000);
			free(text);
			unmake(&made);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_that_recurs_is_counted_once_for_each_stack),
		cmocka_unit_test(functions_of_one_name_in_two_objects_are_two),
		cmocka_unit_test(waiting_time_is_of_the_function_that_called_the_scheduler),
		cmocka_unit_test(running_in_the_scheduler_is_running),
		cmocka_unit_test(a_stack_without_functions_is_known_by_its_word),
		cmocka_unit_test(every_view_adds_up),
		cmocka_unit_test(the_tables_of_a_known_recording_read_as_expected),
		cmocka_unit_test(the_json_of_a_known_recording_reads_as_expected),
		cmocka_unit_test(what_is_printed_adds_up_whatever_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
