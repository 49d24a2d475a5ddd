// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A wait that three chains explain, one after the other, is in three rows: it is one wait in every
 * sum, as long as it was, and is not taken for one that has not ended.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chain_sample.h"
#include "profile/cube/cube.h"
#include "profile/view.h"
#include "render/report/report_json.h"
#include "render/report/report_text.h"
#include "render/report/report_wait.h"

static const struct summary_shapes shapes = {
	.waits = {.by = {BY_COMM}, .by_count = 1},
	.groups = {.by = {BY_NAME}, .by_count = 1},
};

static const struct report_style style = {
	.file = "last.dwell", .width = REPORT_WIDTH, .is_by_process = true};

/* A part of the client's wait of 2.5 s, which began with the window; the last one counts it. */
static void add_part(struct view_sample *sample, struct rec_sum part, bool is_last, uint64_t chain,
	const struct rec_share *shares, uint32_t share_count)
{
	part.thread = 1;
	part.state = TIME_BLOCKED;
	part.task_letter = 'S';
	part.count = is_last;
	part.max_ns = is_last ? 2500 * MS : part.ns;
	part.band = band_of(2500 * MS);
	part.chain = chain;
	part.shares = shares;
	part.share_count = share_count;
	recording_writer_add_sum(sample->writer, &part);
}

/* The client waits for a server, which reads two disks and then runs; at the end nobody wakes it.
 */
static void fill(struct view_sample *sample)
{
	uint64_t user = sample_user(sample, "main;ask;recv");
	uint64_t socket = sample_kernel(sample, KERNEL_RECV);
	uint64_t sync = sample_kernel(sample, KERNEL_SYNC);
	const struct rec_hop server = {HOP_TASK, "server", 0, 0, 0, 0, 0};
	const struct rec_hop vda = {HOP_DISK, "vda", 0, 0, sync, 0, 0},
			     vdb = {HOP_DISK, "vdb", 0, 0, sync, 0, 0};
	uint64_t first = sample_chain(sample, CHAIN_METAL, (struct rec_hop[]){server, vda}, 2);
	uint64_t second = sample_chain(sample, CHAIN_METAL, (struct rec_hop[]){server, vdb}, 2);
	uint64_t last = sample_chain(sample, CHAIN_AWAKE, &server, 1);
	uint64_t nobody = sample_chain(sample, CHAIN_NOT_WOKEN, NULL, 0);
	struct rec_sum part = {.user_stack = user, .kernel_stack = socket};

	sample->meta.chain_depth = 8;
	sample_add_thread(sample, 1, "client", "client", false, 0, 10000 * MS,
		(uint64_t[]){6500 * MS, 0, 0, 3500 * MS});
	part.ns = part.first_ns = 800 * MS;
	add_part(sample, part, false, first,
		(struct rec_share[]){{100 * MS, 0, 0}, {700 * MS, 0, 0}, {0}}, 3);
	part.slice_last = 2;
	part.ns = 1500 * MS;
	part.first_ns = 200 * MS;
	part.last_ns = 300 * MS;
	add_part(sample, part, false, second, (struct rec_share[]){{0}, {1500 * MS, 0, 0}, {0}}, 3);
	part.slice_first = 2;
	part.ns = part.first_ns = 200 * MS;
	part.last_ns = 0;
	add_part(sample, part, true, last, (struct rec_share[]){{200 * MS, 0, 0}, {0}}, 2);
	sample_add_row(sample, 1, 2, TIME_RUNNING, 1, 500 * MS, 0, 0);
	for (uint32_t slice = 3; slice < 9; slice++)
		sample_add_row(sample, 1, slice, TIME_RUNNING, 1, 1000 * MS, 0, 0);
	sample_add_wait(sample,
		(struct rec_sum){.thread = 1,
			.slice_first = 9,
			.slice_last = 9,
			.ns = 1000 * MS,
			.user_stack = user,
			.kernel_stack = socket},
		nobody, NULL, 0);
}

static void open_parts(struct view_sample *sample)
{
	sample_begin(sample, 10);
	fill(sample);
	sample_finish(sample);
}

/* to_s: the end of the range; 0: all of it. */
static struct summary *summary_until(struct view_sample *sample, uint64_t to_s)
{
	struct view_filter filter;
	struct summary *summary = NULL;
	struct why why = {""};

	view_filter_init(&filter);
	filter.idle = IDLE_HIDE;
	if (to_s)
		filter.to_ns = to_s * NS_PER_S;
	if (summary_new(sample->recording, &filter, &shapes, &summary, &why))
		fail_msg("%s", why.text);
	view_filter_clear(&filter);
	return summary;
}

static void the_parts_are_one_wait_that_has_ended(void **state)
{
	struct view_sample sample;
	(void)state;

	open_parts(&sample);
	struct summary *summary = summary_until(&sample, 0);
	assert_int_equal(summary->idle_ns[IDLE_UNENDED], 1000 * MS);
	assert_int_equal(summary->aside_ns, 1000 * MS);
	assert_int_equal(summary->lines.count, 1);
	const struct summary_line *line = &summary->lines.at[0];
	assert_int_equal(line->count, 1);
	assert_int_equal(line->total_ns, 2500 * MS);
	assert_int_equal(line->max_ns, 2500 * MS);
	assert_int_equal(line->uncounted_ns, 0);
	assert_int_equal(line->band_ns[band_of(2500 * MS)], 2500 * MS);
	vec_each (wait, &summary->waits)
		if (!wait->is_aside) {
			assert_int_equal(wait->count, 1);
			assert_int_equal(wait->unended, 0);
			assert_int_equal(wait->band_count[band_of(2500 * MS)], 1);
		}
	assert_int_equal(summary->conservation.worst_slice_ns, 0);
	summary_free(summary);
	sample_end(&sample);
}

static void a_range_that_ends_within_the_wait_has_its_parts_uncounted(void **state)
{
	struct view_sample sample;
	char *text = NULL;
	(void)state;

	open_parts(&sample);
	struct summary *summary = summary_until(&sample, 1);
	assert_int_equal(summary->lines.count, 1);
	assert_int_equal(summary->lines.at[0].total_ns, 1000 * MS);
	assert_int_equal(summary->lines.at[0].count, 0);
	assert_int_equal(summary->lines.at[0].max_ns, 800 * MS);
	assert_int_equal(summary->idle_ns[IDLE_UNENDED], 0);
	sample_print(text, out, report_text(summary, &style, out));
	assert_non_null(strstr(text, "1.0 s       0       -      -  ......#"));
	free(text);
	summary_free(summary);
	sample_end(&sample);
}

static void a_chain_that_ends_no_wait_is_said_to_be_of_parts(void **state)
{
	struct view_sample sample;
	char *text = NULL;
	(void)state;

	open_parts(&sample);
	struct summary *summary = summary_until(&sample, 0);
	sample_print(text, out, report_wait(summary, 1, &style, out));
	assert_non_null(strstr(text,
		"chain 1 of 3: 1.5 s of client's 2.5 s (60 %), part of waits that others end\n"));
	assert_non_null(strstr(text,
		"chain 2 of 3: 800 ms of client's 2.5 s (32 %), part of waits that others end\n"));
	assert_non_null(
		strstr(text, "chain 3 of 3: 200 ms of client's 2.5 s (8 %), ends 1 wait\n"));
	free(text);
	summary_free(summary);
	sample_end(&sample);
}

static void views_count_the_wait_once(void **state)
{
	static const enum view views[] = {VIEW_OFFCPU, VIEW_WAKEUP, VIEW_OFFWAKE, VIEW_CHAIN};
	struct view_sample sample;
	struct view_filter filter;
	struct why why = {""};
	(void)state;

	open_parts(&sample);
	view_filter_init(&filter);
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		struct profile profile;
		uint64_t count = 0, ns = 0;
		if (profile_of_view(sample.recording, view_type(views[i]), &filter, &shapes.waits,
			    &profile, &why))
			fail_msg("%s", why.text);
		vec_each (node, &profile.tree.nodes) {
			count += node->self_count;
			ns += node->self_weight;
		}
		assert_int_equal(count, 1);
		assert_int_equal(ns, 3500 * MS);
		profile_clear(&profile);
	}
	view_filter_clear(&filter);
	sample_end(&sample);
}

static void the_page_has_the_parts_at_their_times(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct cube *cube = NULL;
	struct why why = {""};
	uint64_t blocked_ns[10] = {0}, count = 0;
	(void)state;

	open_parts(&sample);
	view_filter_init(&filter);
	if (cube_new(sample.recording, &filter, &shapes.waits, NULL, NULL, &cube, &why))
		fail_msg("%s", why.text);
	assert_int_equal(cube->buckets, 10);
	vec_each (cell, &cube->time.cells) {
		const struct cube_key *key = &cube->time.keys.at[cell->key];
		assert_false(cube->kinds.at[key->kind].is_unsliced);
		if (cube->kinds.at[key->kind].state != TIME_BLOCKED)
			continue;
		blocked_ns[cell->bucket] += cell->weight;
		count += cell->count;
	}
	assert_int_equal(count, 1);
	assert_int_equal(blocked_ns[0], 1000 * MS);
	assert_int_equal(blocked_ns[1], 1000 * MS);
	assert_int_equal(blocked_ns[2], 500 * MS);
	assert_int_equal(blocked_ns[9], 1000 * MS);
	cube_free(cube);
	view_filter_clear(&filter);
	sample_end(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_parts_are_one_wait_that_has_ended),
		cmocka_unit_test(a_range_that_ends_within_the_wait_has_its_parts_uncounted),
		cmocka_unit_test(a_chain_that_ends_no_wait_is_said_to_be_of_parts),
		cmocka_unit_test(views_count_the_wait_once),
		cmocka_unit_test(the_page_has_the_parts_at_their_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
