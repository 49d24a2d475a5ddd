// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/summed.h"

#include "cli/command.h"
#include "profile/nothing.h"
#include "recording/reader.h"

int summed_open(
	const char *path, const struct view_options *view, struct summed *ret, struct why *why)
{
	struct summary_shapes shapes = {view->shape, view->shape};
	struct summed summed = {0};
	int error = recording_open(path, &summed.recording, why);

	if (error)
		return error;
	if (!view->has_by)
		shapes.groups.by[0] = BY_NAME;
	recording_keep_rows(summed.recording);
	error = summary_new(summed.recording, &view->filter, &shapes, &summed.summary, why);
	if (error)
		summed_clear(&summed);
	else
		*ret = summed;
	return error;
}

bool summed_is_empty(const struct summed *summed, const char *path, const struct view_options *view)
{
	const struct summary *summary = summed->summary;

	size_t measures;

	if (summary->threads.count && summary->busy_ns + summary->aside_ns)
		return false;
	/* What was counted is in the report, too. */
	recording_measures(summed->recording, &measures);
	if (measures && !summary->is_filtered)
		return false;
	_cleanup_free_ char *nothing = nothing_text(summed->recording, &view->filter);
	if (!summary->meta->window_ns)
		fail(STATUS_NOTHING, "%s: the recording is empty: its window has no length", path);
	else if (summary->is_filtered || nothing)
		fail(STATUS_NOTHING, "%s: nothing passes the filters%s%s", path,
			nothing ? ": " : "", nothing ? nothing : "");
	else
		fail(STATUS_NOTHING, "%s: the recording is empty: of %s none was seen", path,
			summary->meta->target);
	return true;
}

void summed_clear(struct summed *summed)
{
	summary_free(summed->summary);
	recording_free(summed->recording);
	*summed = (struct summed){0};
}
