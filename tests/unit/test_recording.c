// SPDX-License-Identifier: GPL-2.0-or-later
/* What is written is read back, in C and through the SQL views, finished or cut short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>

#include "recording_sample.h"

struct place {
	char *folder;
	char *path;
};

static int make_place(void **state)
{
	struct place *place = xcalloc(1, sizeof(*place));

	place->folder = sample_folder();
	place->path = xasprintf("%s/a.dwell", place->folder);
	*state = place;
	return 0;
}

static int remove_place(void **state)
{
	struct place *place = *state;

	sample_remove_folder(place->folder);
	free(place->path);
	free(place);
	return 0;
}

static void meta_comes_back(void **state)
{
	const struct place *place = *state;

	sample_write(place->path);
	struct recording *recording = sample_open(place->path);
	const struct rec_meta *meta = recording_meta(recording);
	struct rec_meta expected = sample_meta;

	assert_true(meta->is_finished);
	assert_string_equal(meta->dwell_version, "1.2.3");
	assert_string_equal(meta->host, sample_meta.host);
	assert_string_equal(meta->kernel_release, "6.1");
	assert_string_equal(meta->target, "all threads");
	assert_string_equal(meta->command_line, "dwell record -a");
	assert_string_equal(meta->sample_event, "cpu-clock");
	assert_string_equal(meta->user_stacks, "fp");
	/* Everything that is not text, at once. */
	expected.dwell_version = meta->dwell_version;
	expected.host = meta->host;
	expected.kernel_release = meta->kernel_release;
	expected.target = meta->target;
	expected.command_line = meta->command_line;
	expected.sample_event = meta->sample_event;
	expected.user_stacks = meta->user_stacks;
	expected.is_finished = true;
	assert_memory_equal(meta, &expected, sizeof(expected));
	assert_int_equal(recording_slice_count(recording), 6);
	recording_free(recording);
}

static void processes_and_threads_come_back(void **state)
{
	const struct place *place = *state;
	size_t count;

	sample_write(place->path);
	struct recording *recording = sample_open(place->path);
	const struct rec_process *processes = recording_processes(recording, &count);
	assert_int_equal(count, ARRAY_SIZE(sample_processes));
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(processes[i].id, sample_processes[i].id);
		assert_int_equal(processes[i].pid, sample_processes[i].pid);
		assert_string_equal(processes[i].name, sample_processes[i].name);
		assert_string_equal(processes[i].exe, sample_processes[i].exe);
		assert_string_equal(processes[i].container, sample_processes[i].container);
		assert_int_equal(processes[i].is_kernel, sample_processes[i].is_kernel);
	}
	const struct rec_thread *threads = recording_threads(recording, &count);
	assert_int_equal(count, ARRAY_SIZE(sample_threads));
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(threads[i].id, sample_threads[i].id);
		assert_int_equal(threads[i].tid, sample_threads[i].tid);
		assert_string_equal(threads[i].comm, sample_threads[i].comm);
		assert_int_equal(threads[i].start_ns, sample_threads[i].start_ns);
		assert_int_equal(threads[i].end_ns, sample_threads[i].end_ns);
		assert_memory_equal(threads[i].total_ns, sample_threads[i].total_ns,
			sizeof(threads[i].total_ns));
		assert_int_equal(threads[i].is_closed, sample_threads[i].is_closed);
		assert_int_equal(threads[i].is_kernel, sample_threads[i].is_kernel);
		assert_int_equal(recording_process_of(recording, &threads[i])->id,
			sample_threads[i].process);
	}
	recording_free(recording);
}

static const struct rec_node *node_of_frame(
	const struct recording *recording, const char *name, enum unwind_end end)
{
	size_t node_count, frame_count;
	const struct rec_node *nodes = recording_nodes(recording, &node_count);
	const struct rec_named_frame *frames = recording_frames(recording, &frame_count);

	for (size_t i = 0; i < node_count; i++)
		if (nodes[i].end == end && !strcmp(frames[nodes[i].frame].name, name))
			return &nodes[i];
	fail_msg("no node of %s", name);
	return NULL;
}

static void code_comes_back_with_ids_as_indices(void **state)
{
	const struct place *place = *state;
	size_t count;

	sample_write(place->path);
	struct recording *recording = sample_open(place->path);
	const struct rec_object *objects = recording_objects(recording, &count);
	assert_int_equal(count, SAMPLE_OBJECTS);
	const struct rec_named_frame *frames = recording_frames(recording, &count);
	assert_int_equal(count, SAMPLE_FRAMES);
	const struct rec_node *nodes = recording_nodes(recording, &count);
	assert_int_equal(count, SAMPLE_STACKS);

	const struct rec_node *leaf = node_of_frame(recording, "schedule", UNWIND_COMPLETE);
	assert_int_equal(leaf->depth, 2);
	assert_int_equal(frames[leaf->frame].address, 0x1000);
	assert_int_equal(frames[leaf->frame].offset, 0x10);
	assert_int_equal(objects[frames[leaf->frame].object].kind, OBJECT_KERNEL);
	assert_int_equal(objects[frames[leaf->frame].object].id, UINT64_MAX);
	const struct rec_node *root = &nodes[leaf->parent];
	assert_string_equal(frames[root->frame].name, "do_nanosleep");
	assert_int_equal(root->parent, REC_NONE);
	assert_int_equal(root->depth, 1);

	leaf = node_of_frame(recording, "", UNWIND_BROKEN);
	assert_int_equal(frames[leaf->frame].reason, NAME_STRIPPED);
	assert_int_equal(frames[leaf->frame].address, 0xfffffffffffffff0ULL);
	assert_string_equal(objects[frames[leaf->frame].object].path, "/usr/bin/server");
	assert_string_equal(objects[frames[leaf->frame].object].build_id, "0123456789abcdef");
	recording_free(recording);
}

static void the_last_figure_of_a_loss_is_kept(void **state)
{
	const struct place *place = *state;
	size_t count;

	sample_write(place->path);
	struct recording *recording = sample_open(place->path);
	const struct rec_loss *losses = recording_losses(recording, &count);
	assert_int_equal(count, 1);
	assert_int_equal(losses[0].loss, LOSS_OVERFLOW);
	assert_int_equal(losses[0].count, sample_loss.count);
	assert_int_equal(losses[0].ns, sample_loss.ns);
	recording_free(recording);
}

struct walk {
	const struct recording *recording;
	size_t seen;
};

static int check_row(const struct rec_row *row, void *context)
{
	struct walk *walk = context;
	size_t count;
	const struct rec_thread *threads = recording_threads(walk->recording, &count);
	const struct rec_sum *expected = &sample_rows[walk->seen++];

	assert_true(walk->seen <= SAMPLE_ROWS);
	assert_int_equal(threads[row->thread_index].id, expected->thread);
	assert_int_equal(row->sum.thread, expected->thread);
	assert_int_equal(row->sum.slice_first, expected->slice_first);
	assert_int_equal(row->sum.slice_last, expected->slice_last);
	assert_int_equal(row->sum.state, expected->state);
	assert_int_equal(row->sum.task_letter, expected->task_letter);
	assert_int_equal(row->sum.band, expected->band);
	assert_int_equal(row->sum.kernel_stack, expected->kernel_stack);
	assert_int_equal(row->sum.user_stack, expected->user_stack);
	assert_int_equal(row->sum.count, expected->count);
	assert_int_equal(row->sum.ns, expected->ns);
	assert_int_equal(row->sum.max_ns, expected->max_ns);
	assert_int_equal(row->sum.first_ns, expected->first_ns);
	assert_int_equal(row->sum.last_ns, expected->last_ns);
	assert_int_equal(row->sum.chain, expected->chain);
	assert_int_equal(row->chain == REC_NONE, expected->chain == 0);
	return 0;
}

static void rows_come_back_in_order(void **state)
{
	const struct place *place = *state;
	struct why why = {""};

	sample_write(place->path);
	struct recording *recording = sample_open(place->path);
	struct walk walk = {recording, 0};
	assert_int_equal(recording_each_row(recording, check_row, &walk, &why), 0);
	assert_int_equal(walk.seen, SAMPLE_ROWS);
	recording_free(recording);
}

static int check_shares(const struct rec_row *row, void *context)
{
	const struct recording *recording = context;
	size_t count;
	const struct rec_linked_chain *chains = recording_chains(recording, &count);

	if (row->sum.chain == SAMPLE_CHAIN) {
		assert_int_equal(row->sum.share_count, 3);
		assert_memory_equal(row->sum.shares, sample_shares, sizeof(sample_shares));
	} else if (row->sum.chain) {
		assert_int_equal(chains[row->chain].end, CHAIN_NOT_WOKEN);
		assert_int_equal(row->sum.share_count, 1);
		assert_int_equal(row->sum.shares[0].ran_ns, row->sum.ns);
	} else {
		assert_int_equal(row->sum.share_count, 0);
	}
	return 0;
}

static void chains_come_back_with_their_shares(void **state)
{
	const struct place *place = *state;
	struct why why = {""};
	size_t count;

	for (int is_finished = 0; is_finished < 2; is_finished++) {
		if (is_finished)
			sample_write(place->path);
		else
			sample_write_unfinished(place->path);
		struct recording *recording = sample_open(place->path);
		const struct rec_node *nodes = recording_nodes(recording, &count);
		const struct rec_chain_hop *hops = recording_hops(recording, &count);

		assert_true(recording_has_chains(recording));
		assert_int_equal(count, 2);
		const struct rec_linked_chain *chain = recording_chains(recording, &count);
		assert_int_equal(count, SAMPLE_CHAINS);
		assert_int_equal(chain[0].id, SAMPLE_CHAIN);
		assert_int_equal(chain[0].end, CHAIN_METAL);
		assert_int_equal(chain[0].hop_count, 2);
		assert_int_equal(hops[0].kind, HOP_TASK);
		assert_string_equal(hops[0].name, "feeder");
		assert_int_equal(nodes[hops[0].user_node].depth, 2);
		assert_int_equal(hops[0].waited_node, REC_NONE);
		assert_int_equal(hops[1].kind, HOP_TIMER);
		assert_string_equal(hops[1].name, "hrtimer_wakeup");
		assert_int_equal(hops[1].user_end, UNWIND_NONE);
		assert_int_equal(nodes[hops[1].waited_node].depth, 2);
		assert_int_equal(recording_each_row(recording, check_shares, recording, &why), 0);
		recording_free(recording);
	}
}

static void a_recording_of_version_1_is_read_without_chains(void **state)
{
	const struct place *place = *state;
	struct why why = {""};
	size_t seen = 0, count;

	sample_write_unfinished(place->path);
	sample_downgrade(place->path);
	struct recording *recording = sample_open(place->path);
	assert_false(recording_has_chains(recording));
	recording_chains(recording, &count);
	assert_int_equal(count, 0);
	assert_int_equal(recording_each_row(recording, sample_count_row, &seen, &why), 0);
	assert_int_equal(seen, SAMPLE_ROWS);
	recording_free(recording);
}

static void a_chain_that_cannot_be_is_refused(void **state)
{
	static const struct rec_hop metal_first[] = {
		{HOP_DISK, "vda", 0, 0, 0}, {HOP_TASK, "a", 0, 0, 0}};
	static const struct rec_hop many[CONTRACT_MAX_HOPS + 1];
	static const struct rec_chain chains[] = {
		{1, 2, CHAIN_AWAKE, metal_first},
		{1, 1, CHAIN_AWAKE, metal_first},
		{1, 1, CHAIN_METAL, many},
		{1, 0, CHAIN_METAL, NULL},
		{1, 0, CHAIN_AWAKE, NULL},
		{0, 1, CHAIN_AWAKE, many},
		{1, CONTRACT_MAX_HOPS + 1, CHAIN_AWAKE, many},
		{1, 1, CHAIN_ENDS, many},
	};
	const struct place *place = *state;

	for (size_t i = 0; i < ARRAY_SIZE(chains); i++) {
		struct recording_writer *writer = sample_writer(place->path);
		struct why why = {""};
		recording_writer_add_chain(writer, &chains[i]);
		assert_int_equal(recording_writer_commit(writer, &why), -EINVAL);
		recording_writer_free(writer);
	}
}

static void shares_that_do_not_add_up_are_refused(void **state)
{
	const struct place *place = *state;
	struct rec_share shares[3];

	for (int i = 0; i < 4; i++) {
		struct recording_writer *writer = sample_writer(place->path);
		struct rec_sum sum = sample_rows[2];
		struct why why = {""};

		memcpy(shares, sample_shares, sizeof(shares));
		sum.shares = shares;
		shares[0].ran_ns += i == 0;
		/* The rest is one figure. */
		if (i == 1) {
			shares[2].no_cpu_ns = 1;
			shares[0].ran_ns--;
		}
		sum.state = i == 2 ? TIME_WOKEN : TIME_BLOCKED;
		sum.chain = i == 3 ? 0 : SAMPLE_CHAIN;
		sample_add_tables(writer);
		recording_writer_add_sum(writer, &sum);
		assert_int_equal(recording_writer_commit(writer, &why), -EINVAL);
		assert_non_null(strstr(why.text, "do not add up"));
		recording_writer_free(writer);
	}
}

static void a_chain_is_known_by_all_that_it_holds(void **state)
{
	struct rec_hop hops[2];
	struct rec_chain chain = {1, 2, CHAIN_METAL, hops};
	uint64_t id = recording_chain_id(&sample_chains[0]);

	(void)state;
	memcpy(hops, sample_hops, sizeof(hops));
	assert_int_equal(recording_chain_id(&chain), id);
	hops[1].waited_stack++;
	assert_int_not_equal(recording_chain_id(&chain), id);
	hops[1].waited_stack--;
	hops[0].name = "reader";
	assert_int_not_equal(recording_chain_id(&chain), id);
	hops[0].name = "feeder";
	chain.hop_count = 1;
	assert_int_not_equal(recording_chain_id(&chain), id);
}

static void chains_are_told_in_words(void **state)
{
	const struct place *place = *state;
	const char *path = place->path;

	sample_write_unfinished(path);
	assert_int_equal(sample_query(path, "SELECT sum(total_ns) FROM wait_chains"), 12750 * MS);
	assert_int_equal(sample_query(path, "SELECT total_ns FROM wait_chains WHERE wakers ="
					    " 'feeder < [timer hrtimer_wakeup]'"
					    " AND chain_end = 'metal' AND comm = 'server'"),
		3250 * MS);
	assert_int_equal(sample_query(path, "SELECT count(*) FROM wait_chains WHERE"
					    " wakers = '[not woken]'"),
		2);
	assert_int_equal(sample_query(path, "SELECT no_cpu_ns FROM causes WHERE name = 'feeder'"
					    " AND position = 0 AND kind = 'task'"
					    " AND ran_ns = 200000000"),
		50 * MS);
	assert_int_equal(sample_query(path, "SELECT ran_ns FROM causes WHERE kind = 'timer'"
					    " AND waited_function = 'schedule'"),
		2000 * MS);
}

static int collect_row(const struct rec_row *row, void *context)
{
	struct rec_row **next = context;

	*(*next)++ = *row;
	return 0;
}

static void a_row_says_why_it_has_no_stack(void **state)
{
	const struct place *place = *state;
	struct rec_row rows[SAMPLE_ROWS], *next = rows;
	struct why why = {""};
	size_t count;

	sample_write(place->path);
	struct recording *recording = sample_open(place->path);
	const struct rec_node *nodes = recording_nodes(recording, &count);
	assert_int_equal(recording_each_row(recording, collect_row, &next, &why), 0);
	assert_int_equal(rows[0].kernel_node, REC_NONE);
	assert_int_equal(rows[0].kernel_end, UNWIND_NONE);
	assert_int_equal(rows[0].user_end, UNWIND_COMPLETE);
	assert_int_equal(nodes[rows[0].user_node].depth, 2);
	assert_int_equal(rows[2].user_end, UNWIND_BROKEN);
	assert_int_equal(rows[3].user_end, UNWIND_SKIPPED);
	assert_int_equal(rows[5].kernel_end, UNWIND_OVERFLOW);
	assert_int_equal(rows[5].user_end, UNWIND_FAILED);
	recording_free(recording);
}

static int stop_at_three(const struct rec_row *row, void *context)
{
	size_t *seen = context;

	(void)row;
	return ++*seen == 3 ? 42 : 0;
}

static void a_walk_ends_when_the_caller_says_so(void **state)
{
	const struct place *place = *state;
	struct why why = {""};
	size_t seen = 0;

	sample_write(place->path);
	struct recording *recording = sample_open(place->path);
	assert_int_equal(recording_each_row(recording, stop_at_three, &seen, &why), 42);
	assert_int_equal(seen, 3);
	recording_free(recording);
}

static void a_recording_cut_short_delivers_its_open_intervals(void **state)
{
	const struct place *place = *state;
	struct why why = {""};
	size_t count;

	sample_write_unfinished(place->path);
	struct recording *recording = sample_open(place->path);
	struct walk walk = {recording, 0};
	assert_false(recording_meta(recording)->is_finished);
	assert_int_equal(recording_meta(recording)->window_ns, SAMPLE_WINDOW_NS);
	assert_int_equal(recording_each_row(recording, check_row, &walk, &why), 0);
	assert_int_equal(walk.seen, SAMPLE_ROWS);
	const struct rec_thread *threads = recording_threads(recording, &count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(threads[i].is_closed, i == 0);
		assert_int_equal(threads[i].end_ns, SAMPLE_WINDOW_NS);
		assert_memory_equal(threads[i].total_ns, sample_threads[i].total_ns,
			sizeof(threads[i].total_ns));
	}
	recording_free(recording);
}

static void finishing_forgets_the_open_intervals(void **state)
{
	const struct place *place = *state;
	struct recording_writer *writer = sample_writer(place->path);
	struct why why = {""};
	size_t count = 0;

	sample_add_tables(writer);
	recording_writer_add_open(writer, &sample_rows[SAMPLE_ROWS - 1]);
	assert_int_equal(recording_writer_commit(writer, &why), 0);
	assert_int_equal(recording_writer_finish(writer, &why), 0);
	recording_writer_free(writer);
	struct recording *recording = sample_open(place->path);
	assert_int_equal(recording_each_row(recording, sample_count_row, &count, &why), 0);
	assert_int_equal(count, 0);
	assert_int_equal(sample_query(place->path, "SELECT count(*) FROM open"), 0);
	recording_free(recording);
}

static void what_was_not_committed_is_not_there(void **state)
{
	const struct place *place = *state;
	struct recording_writer *writer = sample_writer(place->path);
	struct why why = {""};
	size_t count = 0;

	sample_add_tables(writer);
	recording_writer_add_sum(writer, &sample_rows[0]);
	assert_int_equal(recording_writer_commit(writer, &why), 0);
	recording_writer_add_sum(writer, &sample_rows[1]);
	recording_writer_free(writer);
	struct recording *recording = sample_open(place->path);
	assert_int_equal(recording_each_row(recording, sample_count_row, &count, &why), 0);
	assert_int_equal(count, 1);
	recording_free(recording);
}

static int64_t view_total(const char *path, const char *column, uint32_t thread)
{
	_cleanup_free_ char *sql =
		xasprintf("SELECT %s FROM thread_time WHERE thread = %u", column, thread);

	return sample_query(path, sql);
}

static void compare_view_with_reader(const char *path)
{
	struct recording *recording = sample_open(path);
	size_t count;
	const struct rec_thread *threads = recording_threads(recording, &count);

	assert_int_equal(sample_query(path, "SELECT count(*) FROM thread_time"), count);
	for (size_t i = 0; i < count; i++) {
		const uint64_t *total_ns = threads[i].total_ns;
		assert_int_equal(view_total(path, "life_ns", threads[i].id),
			threads[i].end_ns - threads[i].start_ns);
		assert_int_equal(
			view_total(path, "running_ns", threads[i].id), total_ns[TIME_RUNNING]);
		assert_int_equal(view_total(path, "runnable_ns", threads[i].id),
			total_ns[TIME_WOKEN] + total_ns[TIME_PREEMPTED]);
		assert_int_equal(
			view_total(path, "blocked_ns", threads[i].id), total_ns[TIME_BLOCKED]);
		assert_int_equal(view_total(path, "tid", threads[i].id), threads[i].tid);
	}
	recording_free(recording);
}

static void thread_time_agrees_with_the_reader(void **state)
{
	const struct place *place = *state;

	sample_write(place->path);
	compare_view_with_reader(place->path);
	sample_write_unfinished(place->path);
	compare_view_with_reader(place->path);
}

static void waits_hold_all_blocked_time_in_words(void **state)
{
	const struct place *place = *state;
	const char *path = place->path;

	sample_write_unfinished(path);
	assert_int_equal(sample_query(path, "SELECT count(*) FROM waits"), 3);
	assert_int_equal(sample_query(path, "SELECT sum(total_ns) FROM waits"), 12750 * MS);
	assert_int_equal(
		sample_query(path, "SELECT total_ns FROM waits WHERE tid = 101 AND pid = 4000000000"
				   " AND state = 'blocked' AND task_state = 'uninterruptible'"
				   " AND kernel_function = 'schedule' AND user_function = 'work'"),
		4000 * MS);
	assert_int_equal(
		sample_query(path, "SELECT max_ns FROM waits WHERE count = 1 AND user_function ="
				   " '/usr/bin/server+0xfffffffffffffff0'"),
		3250 * MS);
	assert_int_equal(
		sample_query(path, "SELECT count(*) FROM waits WHERE user_function = '[none]'"), 1);
}

static void every_second_of_a_thread_is_in_its_slice(void **state)
{
	const struct place *place = *state;
	const char *path = place->path;

	sample_write(path);
	assert_int_equal(sample_query(path, "SELECT sum(ns) FROM sums_by_slice"), 15000 * MS);
	assert_int_equal(sample_query(path, "SELECT sum(count) FROM sums_by_slice"), 106);
	/* Thread 1 lived through all of every slice, thread 2 from 1.5 s on. */
	assert_int_equal(
		sample_query(path, "SELECT count(*) FROM (SELECT slice, sum(ns) AS ns FROM"
				   " sums_by_slice WHERE thread = 1 GROUP BY slice) b"
				   " JOIN slices s ON s.id = b.slice AND s.length_ns = b.ns"),
		6);
	assert_int_equal(sample_query(path,
				 "SELECT sum(ns) FROM sums_by_slice WHERE thread = 2 AND slice = 1"
				 " AND state = 'blocked' AND band = '>= 1 s'"),
		500 * MS);
	/* The wait's count belongs to the slice in which it ended. */
	assert_int_equal(sample_query(path, "SELECT slice FROM sums_by_slice WHERE count > 0"
					    " AND state = 'blocked'"),
		4);
}

static void stack_frames_lists_each_stack_from_the_root(void **state)
{
	const struct place *place = *state;
	const char *path = place->path;

	sample_write(path);
	assert_int_equal(sample_query(path, "SELECT count(*) FROM stack_frames"), 9);
	assert_int_equal(
		sample_query(path, "SELECT position FROM stack_frames WHERE stack = 102"
				   " AND function = 'main' AND object = '/usr/bin/server'"),
		1);
	assert_int_equal(sample_query(path, "SELECT position FROM stack_frames WHERE stack = 102"
					    " AND function = 'work'"),
		2);
}

static void a_row_may_span_36000_slices(void **state)
{
	const struct place *place = *state;
	struct recording_writer *writer = sample_writer(place->path);
	struct rec_meta meta = sample_meta;
	struct rec_thread thread = sample_threads[0];
	struct rec_sum sum = sample_rows[2];
	struct why why = {""};
	size_t count = 0;

	meta.slice_ns = 10 * MS;
	meta.window_ns = 36000 * meta.slice_ns;
	sum.slice_first = 0;
	sum.slice_last = 35999;
	sum.count = 0;
	sum.chain = 0;
	sum.share_count = 0;
	sum.first_ns = 4 * MS;
	sum.last_ns = 1;
	sum.ns = 35998 * 10 * MS + 4 * MS + 1;
	sample_add_tables(writer);
	recording_writer_put_meta(writer, &meta);
	recording_writer_put_thread(writer, &thread);
	for (uint32_t i = 0; i < 36000; i++) {
		recording_writer_put_slice(writer, i, meta.slice_ns);
		assert_int_equal(recording_writer_commit(writer, &why), 0);
	}
	recording_writer_add_sum(writer, &sum);
	assert_int_equal(recording_writer_finish(writer, &why), 0);
	recording_writer_free(writer);

	struct recording *recording = sample_open(place->path);
	assert_int_equal(recording_slice_count(recording), 36000);
	assert_int_equal(recording_each_row(recording, sample_count_row, &count, &why), 0);
	assert_int_equal(count, 1);
	assert_int_equal(sample_query(place->path, "SELECT sum(ns) FROM sums_by_slice"), sum.ns);
	assert_int_equal(sample_query(place->path, "SELECT count(*) FROM sums_by_slice"), 36000);
	recording_free(recording);
}

static void a_row_that_does_not_add_up_is_refused(void **state)
{
	const struct place *place = *state;
	struct recording_writer *writer = sample_writer(place->path);
	struct rec_sum sum = sample_rows[2];
	struct why why = {""};

	sample_add_tables(writer);
	sum.last_ns++;
	recording_writer_add_sum(writer, &sum);
	assert_int_equal(recording_writer_commit(writer, &why), -EINVAL);
	assert_non_null(strstr(why.text, "does not add up"));
	recording_writer_free(writer);
}

static void long_texts_are_cut_not_refused(void **state)
{
	const struct place *place = *state;
	struct recording_writer *writer = sample_writer(place->path);
	_cleanup_free_ char *long_text = xmalloc(200001);
	struct rec_meta meta = sample_meta;
	struct why why = {""};

	memset(long_text, 'x', 200000);
	long_text[200000] = 0;
	meta.command_line = long_text;
	meta.host = NULL;
	recording_writer_put_meta(writer, &meta);
	assert_int_equal(recording_writer_finish(writer, &why), 0);
	recording_writer_free(writer);
	struct recording *recording = sample_open(place->path);
	assert_int_equal(strlen(recording_meta(recording)->command_line), 65535);
	assert_string_equal(recording_meta(recording)->host, "");
	recording_free(recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(meta_comes_back, make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			processes_and_threads_come_back, make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			code_comes_back_with_ids_as_indices, make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			the_last_figure_of_a_loss_is_kept, make_place, remove_place),
		cmocka_unit_test_setup_teardown(rows_come_back_in_order, make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			a_row_says_why_it_has_no_stack, make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			chains_come_back_with_their_shares, make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			a_recording_of_version_1_is_read_without_chains, make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			a_chain_that_cannot_be_is_refused, make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			shares_that_do_not_add_up_are_refused, make_place, remove_place),
		cmocka_unit_test(a_chain_is_known_by_all_that_it_holds),
		cmocka_unit_test_setup_teardown(chains_are_told_in_words, make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			a_walk_ends_when_the_caller_says_so, make_place, remove_place),
		cmocka_unit_test_setup_teardown(a_recording_cut_short_delivers_its_open_intervals,
			make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			finishing_forgets_the_open_intervals, make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			what_was_not_committed_is_not_there, make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			thread_time_agrees_with_the_reader, make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			waits_hold_all_blocked_time_in_words, make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			every_second_of_a_thread_is_in_its_slice, make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			stack_frames_lists_each_stack_from_the_root, make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			a_row_may_span_36000_slices, make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			a_row_that_does_not_add_up_is_refused, make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			long_texts_are_cut_not_refused, make_place, remove_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
