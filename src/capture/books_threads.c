// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who the threads are: each has a book from its first record or row on, and is written when it is
 * announced and when it is closed. Processes live as long as the books of their threads; a book is
 * kept until no row of its thread can come any more.
 */
#include "capture/books_private.h"

#include <string.h>

#include "host/containers.h"

/* After its end a thread's rows may be in the table that was active and in the one being drained.
 */
#define FLIPS_TO_KEEP 2

struct books_process {
	uint32_t pid;
	uint32_t threads; /* living, or with rows to come */
};

struct book *books_book_of(struct books *books, uint32_t serial)
{
	bool is_new;
	uint64_t *slot = map64_put(&books->by_serial, serial, &is_new);

	if (is_new) {
		struct book *book = xcalloc(1, sizeof(*book));
		book->serial = serial;
		strcpy(book->comm, "?");
		*slot = (uintptr_t)book;
		books->totals.living++;
	}
	return (struct book *)(uintptr_t)*slot;
}

static uint64_t since_start(const struct books *books, uint64_t ns)
{
	return ns > books->start_ns ? ns - books->start_ns : 0;
}

void books_write_thread(
	struct books *books, const struct book *book, const struct thread_now *end, uint64_t end_ns)
{
	struct rec_thread thread = {.id = book->serial,
		.tid = book->tid,
		.process = book->image,
		.comm = book->comm,
		.is_kernel = book->is_kernel,
		.start_ns = since_start(books, book->birth_ns)};

	if (end) {
		thread.end_ns = since_start(books, end_ns);
		memcpy(thread.total_ns, end->total_ns, sizeof(thread.total_ns));
		thread.is_closed = true;
	}
	/* A thread that nobody introduced is of process 0. */
	if (!book->is_announced) {
		struct rec_process unknown = {.name = "?", .exe = "", .container = ""};
		recording_writer_put_process(books->writer, &unknown);
	}
	recording_writer_put_thread(books->writer, &thread);
}

static struct books_process *process_of(struct books *books, uint32_t image)
{
	uint64_t *slot = map64_find(&books->processes, image);

	return slot ? (struct books_process *)(uintptr_t)*slot : NULL;
}

uint32_t books_pid_of(const struct books *books, uint32_t image)
{
	const uint64_t *slot = map64_find(&books->processes, image);

	return slot ? ((const struct books_process *)(uintptr_t)*slot)->pid : 0;
}

uint32_t books_process_of(const struct books *books, uint32_t image)
{
	return map64_find(&books->processes, image) ? image : 0;
}

static void drop_unused_image(struct books *books, uint32_t image)
{
	if (!process_of(books, image) && !books_has_waker(books, image))
		namer_drop_image(books->namer, image);
}

static void leave_process(struct books *books, uint32_t image)
{
	struct books_process *process = process_of(books, image);

	if (!process || --process->threads)
		return;
	map64_remove(&books->processes, image);
	free(process);
	drop_unused_image(books, image);
}

static const char *container_of(struct books *books, const struct record_thread *record)
{
	const struct cgroup_target cgroups[] = {
		{.hierarchy = 0, .id = record->cgroup},
		{.hierarchy = (int)record->v1_hierarchy, .id = record->v1_cgroup},
	};

	return containers_find(books->containers, record->pid, cgroups, ARRAY_SIZE(cgroups));
}

/* The process gets its name from its first thread, or from the first of it that is seen. */
static void enter_process(struct books *books, const struct record_thread *record, const char *comm)
{
	struct books_process *process = process_of(books, record->image);
	const char *exe = "", *container = "";
	bool is_new = !process;

	if (is_new) {
		process = xcalloc(1, sizeof(*process));
		process->pid = record->pid;
		*map64_put(&books->processes, record->image, NULL) = (uintptr_t)process;
	}
	process->threads++;
	if (!is_new && record->tid != record->pid)
		return;
	if (!record->is_kernel_thread) {
		namer_add_image(books->namer, record->image, record->pid, record->start_stack);
		exe = namer_exe(books->namer, record->image);
		container = container_of(books, record);
		if (is_new)
			books_meet_program(books, record->image, exe);
	}
	struct rec_process row = {.id = record->image,
		.pid = record->pid,
		.name = comm,
		.exe = exe,
		.container = container,
		.is_kernel = record->is_kernel_thread};
	recording_writer_put_process(books->writer, &row);
}

void books_add_thread(struct books *books, const struct record_thread *record)
{
	struct book *book = books_book_of(books, record->thread);
	bool is_known = book->is_announced;
	uint32_t old_image = book->image;

	if (!is_known)
		books->totals.threads++;
	books_forget_ids(books, book);
	book->is_announced = true;
	book->tid = record->tid;
	book->image = record->image;
	book->is_kernel = record->is_kernel_thread;
	book->birth_ns = record->birth_ns;
	books_note_ids(books, book, record->own_tid);
	memcpy(book->comm, record->comm, CONTRACT_COMM_LEN);
	enter_process(books, record, book->comm);
	if (is_known) {
		struct books_leaving leaving = {.image = old_image, .left_at = books->flips};
		vec_push(&books->leaving, leaving);
		/* What a program held that another one took over from is gone, whenever that was.
		 */
		if (books->heap && old_image != record->image)
			heap_end_image(books->heap, old_image, 0, books->start_ns);
	}
	books_write_thread(books, book, NULL, 0);
}

void books_forget_closed(struct books *books)
{
	size_t kept = 0;

	for (size_t i = 0; i < books->leaving.count; i++) {
		struct books_leaving leaving = books->leaving.at[i];
		if (leaving.left_at + FLIPS_TO_KEEP >= books->flips)
			books->leaving.at[kept++] = leaving;
		else
			leave_process(books, leaving.image);
	}
	books->leaving.count = kept;
	kept = 0;

	books_sweep_wakers(books);
	for (size_t i = 0; i < books->leaving_wakers.count; i++) {
		struct books_leaving leaving = books->leaving_wakers.at[i];
		if (leaving.left_at + FLIPS_TO_KEEP >= books->flips)
			books->leaving_wakers.at[kept++] = leaving;
		else
			drop_unused_image(books, leaving.image);
	}
	books->leaving_wakers.count = kept;
	kept = 0;

	for (size_t i = 0; i < books->closed.count; i++) {
		struct book *book = books->closed.at[i];
		if (book->closed_at + FLIPS_TO_KEEP >= books->flips) {
			books->closed.at[kept++] = book;
			continue;
		}
		leave_process(books, book->image);
		books_forget_ids(books, book);
		map64_remove(&books->by_serial, book->serial);
		free(book);
	}
	books->closed.count = kept;
}
