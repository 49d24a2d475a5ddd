/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames of a table as rows of a recording, and what they tell about the stacks they are in.
 * Names come as text, so ids are made from object, name and address. Private to src/format/.
 */
#ifndef DWELL_FORMAT_IMPORT_FRAMES_H
#define DWELL_FORMAT_IMPORT_FRAMES_H

#include "format/stack_table.h"
#include "recording/writer.h"

enum frame_border {
	BORDER_UNKNOWN,
	BORDER_NONE,
	BORDER_KERNEL,    /* the kernel begins here: its frame, or one of its entry points */
	BORDER_DELIMITER, /* and here behind it: "-", as bcc writes it with -d */
};

struct import_frames;

/* Borrows both. */
struct import_frames *import_frames_new(
	struct recording_writer *writer, const struct stack_table *table);
void import_frames_free(struct import_frames *frames);

/* Frames are known by their numbers in the table. */
uint64_t import_frames_id(struct import_frames *frames, uint32_t number);
enum frame_border import_frames_border(struct import_frames *frames, uint32_t number);
/* How a user stack ends with that frame as its root. */
enum unwind_end import_frames_end(const struct import_frames *frames, uint32_t number);
/* Is it where kernel threads begin? */
bool import_frames_begins_kernel_thread(const struct import_frames *frames, uint32_t number);

/* Writes it and its object, unless that was done. */
void import_frames_put(struct import_frames *frames, uint32_t number);
/* Names of those that were put that are longer than a recording keeps. */
uint64_t import_frames_cut(const struct import_frames *frames);

#endif
