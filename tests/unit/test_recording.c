// SPDX-License-Identifier: GPL-2.0-or-later
/* What a recording says of its machine, its threads and its code is read back as it was written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recording_sample.h"

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

static void what_a_newer_dwell_lost_is_told_in_its_word(void **state)
{
	const struct place *place = *state;
	sqlite3 *db;
	size_t count;

	sample_write(place->path);
	assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(db, "INSERT INTO losses VALUES ('luggage', 3, 5)", NULL, NULL, NULL),
		SQLITE_OK);
	sqlite3_close(db);
	struct recording *recording = sample_open(place->path);
	const struct rec_loss *losses = recording_losses(recording, &count);
	assert_int_equal(count, 2);
	assert_int_equal(losses[1].loss, LOSSES);
	assert_int_equal(losses[1].count, 3);
	assert_string_equal(loss_words(losses[1].loss, losses[1].name, losses[1].count), "luggage");
	assert_true(loss_is_serious(losses[1].loss));
	recording_free(recording);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, sample_make_place, sample_remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(meta_comes_back),
		TEST(processes_and_threads_come_back),
		TEST(code_comes_back_with_ids_as_indices),
		TEST(the_last_figure_of_a_loss_is_kept),
		TEST(what_a_newer_dwell_lost_is_told_in_its_word),
		TEST(long_texts_are_cut_not_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
