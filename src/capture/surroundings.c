// SPDX-License-Identifier: GPL-2.0-or-later
/* Read from /proc and from the cgroup, when the window opens and when its figures are written. */
#include "capture/surroundings.h"

void surroundings_begin(struct surroundings *around, const struct capture_options *options)
{
	around->before = cpu_load_now();
	if (options->id_count)
		quota_begin(&around->quota, options->ids[0]);
	else if (options->cgroup)
		quota_begin_in(&around->quota, options->cgroup);
}

void surroundings_tell(const struct surroundings *around, struct rec_meta *meta)
{
	struct cpu_load now = cpu_load_now();

	meta->cpu_busy_ppm = cpu_load_share(&around->before, &now);
	meta->held_back_ns = quota_held_back_ns(&around->quota);
}

void surroundings_clear(struct surroundings *around)
{
	quota_clear(&around->quota);
}
