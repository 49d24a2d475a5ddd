// SPDX-License-Identifier: GPL-2.0-or-later
/* The outside of the reader: opening, and the arrays. */
#include "recording/reader.h"

#include "recording/reader_private.h"

int recording_open(const char *path, struct recording **ret, struct why *why)
{
	struct recording *recording = xcalloc(1, sizeof(*recording));
	int error;

	recording->path = xstrdup(path);
	recording->database.file = RECORDING_FILE_NONE;
	recording->slow_function = recording->kept_function = REC_NONE;
	error = database_open(path, &recording->database, &recording->text_budget_bytes, why);
	if (!error)
		error = recording_load(recording, why);
	if (!error)
		error = recording_close_threads(recording, why);
	if (error)
		recording_free(recording);
	else
		*ret = recording;
	return error;
}

void recording_free(struct recording *recording)
{
	if (!recording)
		return;
	database_close(&recording->database);
	vec_clear(&recording->threads);
	vec_clear(&recording->processes);
	vec_clear(&recording->objects);
	vec_clear(&recording->frames);
	vec_clear(&recording->nodes);
	vec_clear(&recording->hops);
	vec_clear(&recording->chains);
	vec_clear(&recording->awaited);
	vec_clear(&recording->measures);
	vec_clear(&recording->functions);
	vec_clear(&recording->losses);
	words_free(recording->words);
	kept_rows_clear(&recording->of_all.kept);
	kept_rows_clear(&recording->of_slow.kept);
	map64_clear(&recording->node_by_id);
	map64_clear(&recording->chain_by_id);
	map64_clear(&recording->awaited_by_id);
	intern_clear(&recording->texts);
	free(recording->path);
	free(recording);
}

const struct rec_meta *recording_meta(const struct recording *recording)
{
	return &recording->meta;
}

bool recording_is_live(const struct recording *recording)
{
	return recording->database.is_live;
}

const struct privacy *recording_privacy(const struct recording *recording)
{
	return &recording->database.privacy;
}

uint32_t recording_slice_count(const struct recording *recording)
{
	return recording->slice_count;
}

const struct rec_thread *recording_threads(const struct recording *recording, size_t *ret_count)
{
	*ret_count = recording->threads.count;
	return recording->threads.at;
}

const struct rec_process *recording_processes(const struct recording *recording, size_t *ret_count)
{
	*ret_count = recording->processes.count;
	return recording->processes.at;
}

const struct rec_object *recording_objects(const struct recording *recording, size_t *ret_count)
{
	*ret_count = recording->objects.count;
	return recording->objects.at;
}

const struct rec_named_frame *recording_frames(const struct recording *recording, size_t *ret_count)
{
	*ret_count = recording->frames.count;
	return recording->frames.at;
}

const struct rec_node *recording_nodes(const struct recording *recording, size_t *ret_count)
{
	*ret_count = recording->nodes.count;
	return recording->nodes.at;
}

const struct rec_chain_hop *recording_hops(const struct recording *recording, size_t *ret_count)
{
	*ret_count = recording->hops.count;
	return recording->hops.at;
}

const struct rec_linked_chain *recording_chains(
	const struct recording *recording, size_t *ret_count)
{
	*ret_count = recording->chains.count;
	return recording->chains.at;
}

bool recording_has_chains(const struct recording *recording)
{
	return recording->meta.chain_depth != 0;
}

const struct rec_awaited *recording_awaited(const struct recording *recording, size_t *ret_count)
{
	*ret_count = recording->awaited.count;
	return recording->awaited.at;
}

const struct rec_measure *recording_measures(const struct recording *recording, size_t *ret_count)
{
	*ret_count = recording->measures.count;
	return recording->measures.at;
}

const struct rec_function *recording_functions(const struct recording *recording, size_t *ret_count)
{
	*ret_count = recording->functions.count;
	return recording->functions.at;
}

const struct rec_loss *recording_losses(const struct recording *recording, size_t *ret_count)
{
	*ret_count = recording->losses.count;
	return recording->losses.at;
}

const struct words *recording_words(const struct recording *recording)
{
	return recording->words;
}

const struct rec_process *recording_process_of(
	const struct recording *recording, const struct rec_thread *thread)
{
	/* Checked on loading: every thread's process is there. */
	return &recording->processes.at[recording_process_index(recording, thread->process)];
}

static uint32_t id_at(const void *items, size_t item_bytes, size_t index)
{
	return *(const uint32_t *)((const char *)items + index * item_bytes);
}

/*
 * Items that begin with their id and ascend by it. As ids are whole numbers, an item cannot lie
 * further from either end than its id does from that end's: where none is missing that leaves one.
 */
static uint32_t find_id(const void *items, size_t count, size_t item_bytes, uint32_t id)
{
	uint32_t first = count ? id_at(items, item_bytes, 0) : 0;
	uint32_t last = count ? id_at(items, item_bytes, count - 1) : 0;

	if (!count || id < first || id > last)
		return REC_NONE;
	size_t low = last - id < count - 1 ? count - 1 - (last - id) : 0;
	size_t high = id - first < count ? id - first : count - 1;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (id_at(items, item_bytes, middle) < id)
			low = middle + 1;
		else
			high = middle;
	}
	return id_at(items, item_bytes, low) == id ? (uint32_t)low : REC_NONE;
}

uint32_t recording_thread_index(const struct recording *recording, uint32_t id)
{
	_Static_assert(offsetof(struct rec_thread, id) == 0, "find_id() looks there");
	return find_id(
		recording->threads.at, recording->threads.count, sizeof(struct rec_thread), id);
}

uint32_t recording_process_index(const struct recording *recording, uint32_t id)
{
	_Static_assert(offsetof(struct rec_process, id) == 0, "find_id() looks there");
	return find_id(recording->processes.at, recording->processes.count,
		sizeof(struct rec_process), id);
}

uint32_t recording_measure_index(const struct recording *recording, uint32_t id)
{
	_Static_assert(offsetof(struct rec_measure, id) == 0, "find_id() looks there");
	return find_id(
		recording->measures.at, recording->measures.count, sizeof(struct rec_measure), id);
}

uint32_t recording_function_index(const struct recording *recording, uint32_t id)
{
	_Static_assert(offsetof(struct rec_function, id) == 0, "find_id() looks there");
	return find_id(recording->functions.at, recording->functions.count,
		sizeof(struct rec_function), id);
}
