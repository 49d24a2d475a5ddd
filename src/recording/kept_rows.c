// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/kept_rows.h"

/* Some minutes of a busy machine; what is longer is read from the file. */
#define MOST_BYTES (32U << 20)

void kept_rows_begin(struct kept_rows *kept)
{
	kept->rows.count = kept->shares.count = 0;
	kept->rooms_bytes = 0;
}

void kept_rows_add(struct kept_rows *kept, const struct rec_row *row)
{
	struct kept_row added = {.row = *row, .first_share = kept->shares.count};

	if (!kept->is_wanted)
		return;
	kept->rooms_bytes += sizeof(added) + row->sum.share_count * sizeof(*row->sum.shares);
	if (kept->rooms_bytes > MOST_BYTES) {
		kept_rows_clear(kept);
		return;
	}
	added.row.sum.shares = NULL;
	vec_push(&kept->rows, added);
	if (row->sum.share_count)
		vec_append(&kept->shares, row->sum.shares, row->sum.share_count);
}

void kept_rows_end(struct kept_rows *kept, bool is_whole)
{
	kept->is_whole = kept->is_wanted && is_whole;
}

int kept_rows_each(const struct kept_rows *kept, recording_row_fn each, void *context)
{
	int result = 0;

	for (size_t i = 0; i < kept->rows.count && !result; i++) {
		struct rec_row row = kept->rows.at[i].row;

		if (row.sum.share_count)
			row.sum.shares = kept->shares.at + kept->rows.at[i].first_share;
		result = each(&row, context);
	}
	return result;
}

void kept_rows_clear(struct kept_rows *kept)
{
	vec_clear(&kept->rows);
	vec_clear(&kept->shares);
	*kept = (struct kept_rows){0};
}
