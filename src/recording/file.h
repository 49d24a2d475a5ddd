/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recording as a file among files: made safely, marked as being written, found again by nobody
 * but through its descriptors. Private to src/recording/.
 */
#ifndef DWELL_RECORDING_FILE_H
#define DWELL_RECORDING_FILE_H

#include "util/place.h"

/* SQLite's lock bytes, which ordinary readers use, too (sqlite.org/fileformat2, "lock-byte page").
 */
#define FILE_PENDING_BYTE 0x40000000
#define FILE_RESERVED_BYTE (FILE_PENDING_BYTE + 1)
#define FILE_SHARED_BYTES (FILE_PENDING_BYTE + 2)
#define FILE_SHARED_COUNT 510

struct recording_file {
	struct place place; /* PLACE_NONE: without a name */
	char *journal_name;
	int main;
	/* Of a file that is written: its journal, held from the beginning to the end, empty between
	 * transactions. -1 of one that is read: the journal in the folder, if any, counts. */
	int journal;
};

#define RECORDING_FILE_NONE                                                                        \
	((struct recording_file){.place = {.folder = -1}, .main = -1, .journal = -1})

/*
 * Makes an empty file of mode 0600 and its journal, both the invoking user's, in place of a regular
 * file (or a link to one) of that name and the journal that a crash left beside it. The file is
 * marked as being written, and as reserved for this writer, until it is closed. 0 or -errno.
 */
int recording_file_create(const char *path, struct recording_file *ret, struct why *why);

/* True while some writer, of any process, has the file open; it is asked by its descriptor. */
bool recording_file_is_being_written(const struct recording_file *file);
/* Removes the file and its journal, as far as their names still stand for them. */
void recording_file_remove(struct recording_file *file);
/* Removes the journal if nothing in it is needed, and closes all. */
void recording_file_close(struct recording_file *file);

#endif
