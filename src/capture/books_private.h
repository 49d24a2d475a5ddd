/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the books share: books_threads.c knows who the threads are and forgets them,
 * books_owners.c finds them by the ids in locks, books_wakers.c knows whose stacks may come because
 * they wake others, books_rows.c writes the rows that were drained, books_heap.c those of events,
 * books_calls.c those of calls, books_open.c open intervals and what ends with a thread or the
 * window, books.c is the outside. Private to the books.
 */
#ifndef DWELL_CAPTURE_BOOKS_PRIVATE_H
#define DWELL_CAPTURE_BOOKS_PRIVATE_H

#include "capture/books.h"
#include "capture/books_calls.h"
#include "capture/heap.h"
#include "util/map64.h"
#include "util/vec.h"

struct book {
	uint32_t serial;
	uint32_t tid;
	uint32_t own_tid; /* as the thread sees it */
	uint32_t image;
	char comm[CONTRACT_COMM_LEN + 1];
	bool is_kernel;
	bool is_announced;
	bool is_ended;
	bool is_closed; /* its books, too */
	uint64_t birth_ns;
	uint64_t closed_at; /* flip */
	__u64 rows_ns[TIME_STATES];
};

/* A thread has left this image by an exec, or a waker has ended: stacks and rows may still come. */
struct books_leaving {
	uint32_t image;
	uint64_t left_at; /* flip */
};

/* A program that a process ran, and its file. */
struct books_program {
	uint32_t image;
	char *exe;
};

struct books {
	struct recording_writer *writer;
	struct namer *namer;
	struct containers *containers;
	struct chains *chains; /* NULL: none are recorded */
	struct occupants *occupants;
	struct awaited_things *things;
	struct heap *heap; /* NULL: nobody follows allocations */
	struct books_measures measures;
	VEC(struct books_program) programs; /* with a heap only */
	VEC(struct books_call_total) calls; /* by function; none if none is watched */
	uint64_t slice_ns;
	uint64_t start_ns;
	uint64_t flips;
	struct map64 by_serial; /* -> struct book * */
	/* Who a lock's owner is: (image, tid as the thread sees it) and tid -> serial. */
	struct map64 by_own_tid;
	struct map64 by_tid;
	struct map64 processes; /* image -> struct books_process * */
	VEC(struct book *) closed;
	VEC(struct books_leaving) leaving;
	struct map64 wakers; /* image -> pid */
	VEC(struct books_leaving) leaving_wakers;
	uint64_t next_sweep_ns;
	struct timeline *timeline;
	kernel_threads dead; /* in the window, after the rows that are in */
	kernel_threads late; /* died after the window's end, before their books were read */
	struct books_totals totals;
};

/* Makes one that is not known. */
struct book *books_book_of(struct books *books, uint32_t serial);
/* Writes the thread as known so far; with its end and totals when it is closed. */
void books_write_thread(struct books *books, const struct book *book, const struct thread_now *end,
	uint64_t end_ns);
/* Announced, for the first time or again after an exec. */
void books_add_thread(struct books *books, const struct record_thread *record);
/* A waker, target or not: its stacks will be asked for as long as its process lives. */
void books_add_waker(struct books *books, const struct record_thread *record);
bool books_has_waker(const struct books *books, uint32_t image);
/* Now and then, if there are many: moves those that are over to leaving_wakers. */
void books_sweep_wakers(struct books *books);
/* Forgets threads and images of which nothing can come any more. */
void books_forget_closed(struct books *books);

/* The recording's number of an image's process; 0: it has none. */
uint32_t books_process_of(const struct books *books, uint32_t image);
/* The thread is known by its ids, those in the book and the one that it sees itself, or not any
 * more. */
void books_note_ids(struct books *books, struct book *book, uint32_t own_tid);
void books_forget_ids(struct books *books, const struct book *book);
/* Its pid; 0: not known any more. */
uint32_t books_pid_of(const struct books *books, uint32_t image);
/* The thread with that owner's word (struct wait_sum), of a lock that is waited for by `book`'s
 * thread; 0: none that is known. */
struct owner_word {
	uint64_t raw_awaited;    /* what was waited for */
	uint64_t raw_user_stack; /* and where: of a futex it says whether that is a lock */
	uint32_t word;
};
uint32_t books_owner(
	const struct books *books, const struct book *book, const struct owner_word *owner);
struct errands;
/* A word of a thread's memory; false: it cannot be read, or lies across two pages. */
bool books_read_word(
	struct errands *errands, uint32_t pid, uint32_t tid, uint64_t address, uint64_t *ret);
void books_add_row(struct books *books, const struct kernel_row *row);
/* Does nothing without chains. */
void books_add_waits(struct books *books, const kernel_waits *waits);
/* A process was met that runs this program. Does nothing without a heap. */
void books_meet_program(struct books *books, uint32_t image, const char *exe);
void books_clear_programs(struct books *books);
void books_add_event(struct books *books, const struct kernel_event *event);
/* Time and count of an interval without its stack, or of a thread that nobody introduced. */
void books_note_losses(struct books *books, const struct book *book, const struct rec_sum *row);

/* An open interval up to until_ns, as rows that are replaced by the next ones, or is_final. */
void books_add_open(
	struct books *books, const struct thread_now *now, uint64_t until_ns, bool is_final);
/* Has the thread had no switch since this was read? Then its rows do not go beyond these totals. */
bool books_is_still_open(struct books *books, const struct thread_now *now);
/* A thread's last words: it died in the window, or after its end with an interval still open. */
void books_add_end(struct books *books, const struct thread_now *now);
/* Closes the threads that died before the rows at hand were drained: their last rows are in. */
void books_close_dead(struct books *books, uint64_t drained_ns);
/* Closes what is open at its death or at end_ns and adds its life up; once for each thread. */
void books_close_thread(struct books *books, const struct thread_now *now, uint64_t end_ns);
/* Its end was lost: what its rows hold is all that is known of its life. */
void books_close_by_rows(struct books *books, struct book *book);

#endif
