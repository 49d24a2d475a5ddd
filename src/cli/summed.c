// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/summed.h"

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

void summed_clear(struct summed *summed)
{
	summary_free(summed->summary);
	recording_free(summed->recording);
	*summed = (struct summed){0};
}
