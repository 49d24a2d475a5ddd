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
	vec_clear(&recording->losses);
	map64_clear(&recording->thread_by_id);
	map64_clear(&recording->process_by_id);
	map64_clear(&recording->node_by_id);
	map64_clear(&recording->chain_by_id);
	intern_clear(&recording->texts);
	free(recording->path);
	free(recording);
}

const struct rec_meta *recording_meta(const struct recording *recording)
{
	return &recording->meta;
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

const struct rec_loss *recording_losses(const struct recording *recording, size_t *ret_count)
{
	*ret_count = recording->losses.count;
	return recording->losses.at;
}

const struct rec_process *recording_process_of(
	const struct recording *recording, const struct rec_thread *thread)
{
	/* Checked on loading: every thread's process is there. */
	return &recording->processes.at[*map64_find(&recording->process_by_id, thread->process)];
}
