// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who an owner's word in a lock is. A futex holds the tid that its thread sees itself, in its own
 * pid namespace, so that it means a thread only together with the process; of kernel locks the
 * kernel side has found the task, and says its tid as dwell sees it. A word that is no living
 * thread's tid tells nothing: it may be anything. Nor does one at a futex of which the stack does
 * not say that it is a lock of pthread's: others have something else there.
 *
 * A pipe's owner is who has the other end.
 */
#include "capture/books_private.h"

#include <string.h>

#include "capture/awaited.h"
#include "capture/pipe_ends.h"
#include "symbol/outside/errand.h"

/* Threads that are asked about: each may take an errand's patience. */
#define MOST_ASKED 64
/* Threads at pipes whose other ends are looked for. */
#define MOST_AT_PIPES 1024
/* From the futex to the owner's tid: of a mutex, and of a rwlock's third word (see
 * bpf/awaited_call.bpf.h). */
#define OWNER_IN_MUTEX 8
#define OWNER_IN_RWLOCK 16
#define TID_MASK 0x3fffffff

static uint64_t key_of(uint32_t image, uint32_t own_tid)
{
	return (uint64_t)image << 32 | own_tid;
}

void books_note_ids(struct books *books, struct book *book, uint32_t own_tid)
{
	book->own_tid = own_tid;
	if (book->own_tid)
		*map64_put(&books->by_own_tid, key_of(book->image, own_tid), NULL) = book->serial;
	*map64_put(&books->by_tid, book->tid, NULL) = book->serial;
}

static void forget(struct map64 *map, uint64_t key, uint32_t serial)
{
	const uint64_t *known = map64_find(map, key);

	/* Tids are given again: it may be another's by now. */
	if (known && *known == serial)
		map64_remove(map, key);
}

void books_forget_ids(struct books *books, const struct book *book)
{
	if (book->own_tid)
		forget(&books->by_own_tid, key_of(book->image, book->own_tid), book->serial);
	forget(&books->by_tid, book->tid, book->serial);
}

uint32_t books_owner(
	const struct books *books, const struct book *book, const struct owner_word *owner)
{
	const uint64_t *serial = NULL;

	if (!owner->word)
		return 0;
	switch (owner->raw_awaited & (AWAITED_FIRST_ID - 1)) {
	case AWAITED_FUTEX:
		if (namer_tells_owner(books->namer, owner->raw_user_stack))
			serial = map64_find(&books->by_own_tid, key_of(book->image, owner->word));
		break;
	case AWAITED_KERNEL_MUTEX:
	case AWAITED_KERNEL_RWSEM:
	case AWAITED_MMAP_LOCK:
	case AWAITED_FILE:
	case AWAITED_PIPE:
		serial = map64_find(&books->by_tid, owner->word);
		break;
	default:
		break;
	}
	return serial && *serial != book->serial ? (uint32_t)*serial : 0;
}

bool books_read_word(
	struct errands *errands, uint32_t pid, uint32_t tid, uint64_t address, uint64_t *ret)
{
	uint64_t page = address & ~(uint64_t)(ERRAND_PAGE_BYTES - 1);
	size_t offset = address - page;
	char *pages;

	if (offset > ERRAND_PAGE_BYTES - sizeof(*ret))
		return false;
	pages = xmalloc(ERRAND_PAGES * ERRAND_PAGE_BYTES);
	bool is_read = errand_memory(errands, pid, tid, page, pages) & 1;
	if (is_read)
		memcpy(ret, pages + offset, sizeof(*ret));
	free(pages);
	return is_read;
}

/* The owner in a lock; 0 if it cannot be read. */
static uint32_t read_owner(struct errands *errands, uint32_t pid, uint32_t tid, uint64_t address)
{
	uint64_t word;

	/* A lock is aligned for its word, which has the tid in its lower or upper half. */
	if (!books_read_word(errands, pid, tid, address & ~7ULL, &word))
		return 0;
	return (uint32_t)(word >> 8 * (address & 4)) & TID_MASK;
}

static bool goes_on(const struct thread_now *now)
{
	return now->open_state == TIME_BLOCKED && !now->is_dead && !now->wake_ns;
}

/* Is it a wait for a lock of pthread's that goes on? */
static enum known_owner kind_of_lock(const struct books *books, const struct thread_now *now)
{
	return goes_on(now) ? namer_tells_owner(books->namer, now->user_stack) : KNOWN_OWNER_NOT;
}

static uint64_t pipe_of(const struct books *books, const struct thread_now *now)
{
	return goes_on(now) ? awaited_pipe(books->things, now->awaited) : 0;
}

/* Who has the other ends of the pipes that are waited for. */
static void look_for_ends(
	const struct books *books, const struct batch *batch, struct pipe_ends *ret)
{
	vec_each (now, &batch->open)
		if (pipe_of(books, now))
			pipe_ends_want(ret, pipe_of(books, now));
	pipe_ends_look(ret);
}

static uint32_t pid_of(struct books *books, const struct thread_now *now)
{
	return books_pid_of(books, books_book_of(books, now->thread)->image);
}

void books_ask_owners(struct books *books, struct batch *batch, struct errands *errands)
{
	struct pipe_ends ends = {0};
	size_t asked = 0, pipes = 0;

	look_for_ends(books, batch, &ends);
	vec_each (now, &batch->open) {
		enum known_owner kind = kind_of_lock(books, now);
		uint64_t address = kind ? awaited_address(books->things, now->awaited) : 0;
		uint64_t pipe = pipe_of(books, now);

		/* What was noted when the wait began may be another's by now: of those who wait on,
		 * only what is so now is told, or somebody would see a deadlock in it. */
		now->owner = pipe && pipes++ < MOST_AT_PIPES
				     ? pipe_ends_other(&ends, pipe, pid_of(books, now))
				     : 0;
		if (!address || asked++ >= MOST_ASKED)
			continue;
		now->owner = read_owner(errands, pid_of(books, now),
			books_book_of(books, now->thread)->tid,
			address +
				(kind == KNOWN_OWNER_OF_MUTEX ? OWNER_IN_MUTEX : OWNER_IN_RWLOCK));
	}
	pipe_ends_clear(&ends);
}
