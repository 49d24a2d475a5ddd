/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What could not be kept, on its way into the recording. */
#ifndef DWELL_CAPTURE_LOSSES_H
#define DWELL_CAPTURE_LOSSES_H

#include "capture/books.h"
#include "contract/contract.h"
#include "recording/writer.h"

/* Writes one loss, if there is any. */
void losses_put(struct recording_writer *writer, enum loss loss, uint64_t count, uint64_t ns);
/* Writes those that the kernel side and the books count. */
void losses_write(struct recording_writer *writer, const uint64_t counters[static COUNTERS],
	const struct books_totals *totals);

#endif
