/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much memory of each recorded process is resident, looked at as the recording goes on. */
#ifndef DWELL_CAPTURE_RESIDENT_H
#define DWELL_CAPTURE_RESIDENT_H

#include <stdint.h>

#include "capture/books.h"

/* Processes that are looked at each time: a whole machine has more, and few of them grow. */
#define RESIDENT_MOST_PROCESSES 1024

/* Writes what the processes of the books have now, as of these slices: those since the last look.
 */
void resident_write(
	struct books *books, struct recording_writer *writer, uint32_t first_slice, uint32_t slice);

#endif
