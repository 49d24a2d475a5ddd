/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a recording. Rows are collected in transactions: recording_writer_commit() ends one and
 * begins the next, so that a reader (and a crash) sees whole slices only. The rollback journal is
 * held throughout and emptied by each commit; nothing is synced: safe against kill -9, not against
 * power loss.
 *
 * All add functions are cheap prepared statements; an error (disk full) is remembered, makes later
 * calls do nothing and is returned by commit and finish, which say why.
 */
#ifndef DWELL_RECORDING_WRITER_H
#define DWELL_RECORDING_WRITER_H

#include "recording/recording.h"

struct recording_writer;

/*
 * Creates the file, mode 0600, replacing what is there (and a stale journal of it) only if that is
 * a regular file. Under sudo (SUDO_UID, SUDO_GID) it is given to the invoking user. Whoever can
 * write to the folder may rename or remove the file, but neither change it nor make the writer
 * touch another. 0 or -errno.
 */
int recording_writer_new(const char *path, struct recording_writer **ret, struct why *why);
/* Is its name still that of the file? In others' folders they may have put another one there. */
bool recording_writer_is_in_place(const struct recording_writer *writer);
/* Has a slice been committed? Without one a reader finds nothing. */
bool recording_writer_holds_something(const struct recording_writer *writer);
/* Closes the file; what was not committed is rolled back. NULL is allowed. */
void recording_writer_free(struct recording_writer *writer);
/* The same, and the file is gone. */
void recording_writer_discard(struct recording_writer *writer);

/* Known ids are ignored, so adding twice is harmless. */
void recording_writer_add_object(struct recording_writer *writer, const struct rec_object *object);
void recording_writer_add_frame(struct recording_writer *writer, const struct rec_frame *frame);
void recording_writer_add_stack(struct recording_writer *writer, const struct rec_stack *stack);
/* A thing that was waited for, before the rows and chains that name it. */
void recording_writer_add_awaited(
	struct recording_writer *writer, const struct rec_awaited *awaited);
/* With its hops; put its stacks too. -EINVAL later if it is not sound (recording.h). */
void recording_writer_add_chain(struct recording_writer *writer, const struct rec_chain *chain);
/* A known number is replaced. */
void recording_writer_put_process(
	struct recording_writer *writer, const struct rec_process *process);
void recording_writer_put_thread(struct recording_writer *writer, const struct rec_thread *thread);
/*
 * Rows of equal key are allowed; readers add them up. Put meta (slice_ns) before the first row. A
 * row whose parts or shares do not add up, or with a chain that is not blocked, is an error.
 */
void recording_writer_add_sum(struct recording_writer *writer, const struct rec_sum *sum);
/* A known number is replaced. */
void recording_writer_put_measure(
	struct recording_writer *writer, const struct rec_measure *measure);
/* Rows of equal key are allowed; readers add them up. One that is not sound is an error. */
void recording_writer_add_count(struct recording_writer *writer, const struct rec_count *count);
/* Of a process that is put sooner or later. That of a slice which is told again is replaced. One
 * that is not sound is an error. */
void recording_writer_put_memory(struct recording_writer *writer, const struct rec_memory *memory);
/* Rows of equal key are allowed; readers add them up. One that is not sound is an error. */
void recording_writer_add_queue(struct recording_writer *writer, const struct rec_queue *queue);
/* A known number is replaced. */
void recording_writer_put_function(
	struct recording_writer *writer, const struct rec_function *function);
/* Rows of equal key are allowed; readers add them up. One that is not sound is an error. */
void recording_writer_add_call(struct recording_writer *writer, const struct rec_call *call);
/*
 * A row of what slow calls of the function waited in or ran in, as recording_writer_add_sum() has
 * it, in one slice. By state, rows of a function may not exceed its slow calls' parts, open ones
 * included: that is checked when the recording is finished.
 */
void recording_writer_add_slow(
	struct recording_writer *writer, uint32_t function, const struct rec_sum *sum);
/* Calls that have not ended, as of now, replace all earlier ones. */
void recording_writer_begin_open_calls(struct recording_writer *writer);
void recording_writer_add_open_call(
	struct recording_writer *writer, const struct rec_open_call *call);
/* Slice number n: begins at n * slice_ns from the window's start, length_ns long (the last may be
 * short). Slices that rows name but nobody put are added, slice_ns long, by the next commit. */
void recording_writer_put_slice(
	struct recording_writer *writer, uint32_t slice, uint64_t length_ns);
/*
 * The open intervals of living threads as of now: replaces all earlier ones. They stand in for the
 * rows that a crash would keep from being written; finish forgets them. Nobody has woken them: if
 * they have a chain, it has no hops, and so they have no shares.
 */
void recording_writer_begin_open(struct recording_writer *writer);
void recording_writer_add_open(struct recording_writer *writer, const struct rec_sum *sum);
/* Absolute figures: replaces the row of that loss. */
void recording_writer_put_loss(struct recording_writer *writer, const struct rec_loss *loss);
void recording_writer_put_meta(struct recording_writer *writer, const struct rec_meta *meta);

/*
 * If a reader holds the file for longer than a moment, the transaction stays open and goes into the
 * next commit; that is no error.
 */
int recording_writer_commit(struct recording_writer *writer, struct why *why);
/* Drops the open intervals, marks the recording finished and commits. */
int recording_writer_finish(struct recording_writer *writer, struct why *why);

/* True while some writer, of any process, has the file open. Never ask about one's own. */
bool recording_is_being_written(const char *path);
/*
 * Renames a recording together with the journal that a crash may have left, without which it would
 * be damaged; replaces `to`. 0, -ENOENT if there is none, -EBUSY while it is being written.
 */
int recording_move(const char *from, const char *to, struct why *why);
/* Removes a recording and its journal, if they are ours to remove. */
void recording_remove(const char *path);

#endif
