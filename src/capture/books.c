// SPDX-License-Identifier: GPL-2.0-or-later
/* Books: records, rows and ends of threads, turned into rows of the recording. */
#include "capture/books.h"

#include <string.h>

#include "capture/chains.h"
#include "capture/containers.h"
#include "capture/timeline.h"
#include "util/map64.h"
#include "util/units.h"

/* After its end a thread's rows may be in the table that was active and in the one being drained.
 */
#define FLIPS_TO_KEEP 2
/* Images of wakers outside the target; when their processes end is not seen. */
#define MAX_WAKER_IMAGES 4096

struct book {
	uint32_t serial;
	uint32_t tid;
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

struct process {
	uint32_t pid;
	uint32_t threads; /* living, or with rows to come */
};

/* A thread has left this image by an exec; stacks and rows of it may still come. */
struct leaving {
	uint32_t image;
	uint64_t left_at; /* flip */
};

struct books {
	struct recording_writer *writer;
	struct namer *namer;
	struct containers *containers;
	struct chains *chains; /* NULL: none are recorded */
	uint64_t slice_ns;
	uint64_t start_ns;
	uint64_t flips;
	struct map64 by_serial; /* -> struct book * */
	struct map64 processes; /* image -> struct process * */
	VEC(struct book *) closed;
	VEC(struct leaving) leaving;
	VEC(uint32_t) waker_images; /* a ring once it is full */
	size_t oldest_image;
	struct timeline *timeline;
	kernel_threads dead; /* in the window, after the rows that are in */
	kernel_threads late; /* died after the window's end, before their books were read */
	struct books_totals totals;
};

struct books *books_new(
	struct recording_writer *writer, struct namer *namer, uint64_t slice_ns, bool has_chains)
{
	struct books *books = xcalloc(1, sizeof(*books));

	books->writer = writer;
	books->namer = namer;
	books->slice_ns = slice_ns;
	books->start_ns = UINT64_MAX;
	books->timeline = timeline_new();
	books->containers = containers_new();
	if (has_chains)
		books->chains = chains_new(writer, namer);
	return books;
}

void books_free(struct books *books)
{
	if (!books)
		return;
	for (size_t i = 0; i < books->by_serial.room; i++)
		if (books->by_serial.slots[i].is_used)
			free((void *)(uintptr_t)books->by_serial.slots[i].value);
	for (size_t i = 0; i < books->processes.room; i++)
		if (books->processes.slots[i].is_used)
			free((void *)(uintptr_t)books->processes.slots[i].value);
	map64_clear(&books->by_serial);
	map64_clear(&books->processes);
	vec_clear(&books->closed);
	vec_clear(&books->leaving);
	vec_clear(&books->waker_images);
	chains_free(books->chains);
	vec_clear(&books->late);
	vec_clear(&books->dead);
	timeline_free(books->timeline);
	containers_free(books->containers);
	free(books);
}

void books_set_start(struct books *books, uint64_t start_ns)
{
	books->start_ns = start_ns;
}

static struct book *book_of(struct books *books, uint32_t serial)
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

static uint64_t sum_of(const __u64 ns[static TIME_STATES])
{
	uint64_t sum = 0;

	for (size_t i = 0; i < TIME_STATES; i++)
		sum += ns[i];
	return sum;
}

static uint64_t since_start(const struct books *books, uint64_t ns)
{
	return ns > books->start_ns ? ns - books->start_ns : 0;
}

/* Writes the thread as known so far; with its end and totals when it is closed. */
static void write_thread(
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

static struct process *process_of(struct books *books, uint32_t image)
{
	uint64_t *slot = map64_find(&books->processes, image);

	return slot ? (struct process *)(uintptr_t)*slot : NULL;
}

static void leave_process(struct books *books, uint32_t image)
{
	struct process *process = process_of(books, image);

	if (!process || --process->threads)
		return;
	namer_drop_image(books->namer, image);
	map64_remove(&books->processes, image);
	free(process);
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
	struct process *process = process_of(books, record->image);
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
	}
	struct rec_process row = {.id = record->image,
		.pid = record->pid,
		.name = comm,
		.exe = exe,
		.container = container,
		.is_kernel = record->is_kernel_thread};
	recording_writer_put_process(books->writer, &row);
}

static void add_thread(struct books *books, const struct record_thread *record)
{
	struct book *book = book_of(books, record->thread);
	bool is_known = book->is_announced;
	uint32_t old_image = book->image;

	if (!is_known)
		books->totals.threads++;
	book->is_announced = true;
	book->tid = record->tid;
	book->image = record->image;
	book->is_kernel = record->is_kernel_thread;
	book->birth_ns = record->birth_ns;
	memcpy(book->comm, record->comm, CONTRACT_COMM_LEN);
	enter_process(books, record, book->comm);
	if (is_known) {
		struct leaving leaving = {.image = old_image, .left_at = books->flips};
		vec_push(&books->leaving, leaving);
	}
	write_thread(books, book, NULL, 0);
}

/* A waker that is no target: its stacks will be asked for, its time will not. */
static void add_waker(struct books *books, const struct record_thread *record)
{
	uint32_t *oldest;

	namer_add_image(books->namer, record->image, record->pid, record->start_stack);
	if (books->waker_images.count < MAX_WAKER_IMAGES) {
		vec_push(&books->waker_images, record->image);
		return;
	}
	oldest = &books->waker_images.at[books->oldest_image];
	if (*oldest != record->image && !process_of(books, *oldest))
		namer_drop_image(books->namer, *oldest);
	*oldest = record->image;
	books->oldest_image = (books->oldest_image + 1) % MAX_WAKER_IMAGES;
}

/* Time and count of an interval without its stack, or of a thread that nobody introduced. */
static void note_losses(struct books *books, const struct book *book, const struct rec_sum *row)
{
	if (row->kernel_stack == STACK_LOST || row->user_stack == STACK_LOST) {
		books->totals.lost_stacks += row->count ? row->count : 1;
		books->totals.lost_stacks_ns += row->ns;
	}
	if (!book->is_announced) {
		books->totals.unknown += row->count;
		books->totals.unknown_ns += row->ns;
	}
}

/* A row as the kernel keeps it, without its chain. */
static struct rec_sum sum_of_row(
	const struct books *books, const struct sum_key *key, const struct sum *sum)
{
	return (struct rec_sum){.thread = key->thread,
		.slice_first = key->slice_first,
		.slice_last = key->slice_last,
		.state = (enum time_state)key->state,
		.task_letter = (char)key->task_letter,
		.band = key->band,
		.kernel_stack = namer_stack(books->namer, key->kernel_stack),
		.user_stack = namer_stack(books->namer, key->user_stack),
		.count = sum->count,
		.ns = sum->ns,
		.max_ns = sum->max_ns,
		.first_ns = sum->first_ns,
		.last_ns = sum->last_ns};
}

static void add_sum(struct books *books, const struct rec_sum *sum)
{
	struct book *book = book_of(books, sum->thread);

	if (sum->state < TIME_STATES)
		book->rows_ns[sum->state] += sum->ns;
	books->totals.rows += sum->count;
	books->totals.rows_ns += sum->ns;
	if (sum->state == TIME_BLOCKED)
		books->totals.waits += sum->count;
	note_losses(books, book, sum);
	recording_writer_add_sum(books->writer, sum);
}

static void add_row(struct books *books, const struct kernel_row *row)
{
	struct rec_sum sum = sum_of_row(books, &row->key, &row->sum);
	uint64_t chain = row->key.chain;

	if (books->chains && chain && chain < CONTRACT_CHAIN_OF_END(CHAIN_ENDS))
		sum.chain = chains_of_end(
			books->chains, (enum chain_end)(chain - CONTRACT_CHAIN_OF_END(0)));
	add_sum(books, &sum);
}

static void add_wait(struct books *books, const struct kernel_wait *wait)
{
	struct rec_sum sum = sum_of_row(books, &wait->key, &wait->row.sum);
	struct rec_share shares[CONTRACT_MAX_HOPS + 1];
	uint32_t hop_count;

	if (!chains_find(books->chains, wait->key.chain, &sum.chain, &hop_count)) {
		books->totals.lost_chains += sum.count;
		books->totals.lost_chains_ns += sum.ns;
		sum.chain = chains_of_end(books->chains, CHAIN_OVERFLOW);
		add_sum(books, &sum);
		return;
	}
	sum.share_count = hop_count + 1;
	sum.shares = shares;
	for (uint32_t i = 0; i < sum.share_count; i++)
		shares[i] = (struct rec_share){.ran_ns = wait->row.shares[i].ran_ns,
			.no_cpu_ns = wait->row.shares[i].no_cpu_ns,
			.earlier_ns = wait->row.shares[i].earlier_ns};
	add_sum(books, &sum);
}

static void add_waits(struct books *books, const kernel_waits *waits)
{
	struct kernel_wait wait;
	size_t offset = 0;

	while (books->chains && kernel_next_wait(waits, &offset, &wait))
		add_wait(books, &wait);
}

/* The part [from, to) of an open interval as a row that has not ended: count 0. */
static void add_open_part(struct books *books, const struct thread_now *now, enum time_state state,
	uint64_t from, uint64_t to, bool is_final)
{
	if (from < books->start_ns)
		from = books->start_ns;
	if (to <= from)
		return;
	uint64_t first = (from - books->start_ns) / books->slice_ns;
	uint64_t last = (to - 1 - books->start_ns) / books->slice_ns;
	struct rec_sum sum = {.thread = now->thread,
		.slice_first = (uint32_t)first,
		.slice_last = (uint32_t)last,
		.state = state,
		.ns = to - from,
		.max_ns = to - from,
		.first_ns = to - from};

	if (first != last) {
		sum.first_ns = books->start_ns + (first + 1) * books->slice_ns - from;
		sum.last_ns = to - (books->start_ns + last * books->slice_ns);
	}
	if (state != TIME_RUNNING) {
		sum.kernel_stack = namer_stack(books->namer, now->kernel_stack);
		sum.user_stack = namer_stack(books->namer, now->user_stack);
		sum.band = band_of(sum.ns);
	}
	if (state == TIME_BLOCKED)
		sum.task_letter = (char)now->task_letter;
	if (state == TIME_BLOCKED && books->chains)
		sum.chain = chains_of_end(books->chains, CHAIN_NOT_WOKEN);
	if (!is_final) {
		recording_writer_add_open(books->writer, &sum);
		return;
	}
	struct book *book = book_of(books, now->thread);
	book->rows_ns[state] += sum.ns;
	note_losses(books, book, &sum);
	recording_writer_add_sum(books->writer, &sum);
}

/* Where the blocked part of an open interval ends: at its wake, which may lie before its start. */
static uint64_t wake_of(const struct thread_now *now, uint64_t until_ns)
{
	uint64_t wake = now->wake_ns ? now->wake_ns : until_ns;

	if (wake < now->since_ns)
		wake = now->since_ns;
	return wake < until_ns ? wake : until_ns;
}

static void add_open(
	struct books *books, const struct thread_now *now, uint64_t until_ns, bool is_final)
{
	uint64_t wake = until_ns;

	if (now->open_state == TIME_BLOCKED) {
		wake = wake_of(now, until_ns);
		add_open_part(books, now, TIME_BLOCKED, now->since_ns, wake, is_final);
		add_open_part(books, now, TIME_WOKEN, wake, until_ns, is_final);
	} else {
		add_open_part(books, now, (enum time_state)now->open_state, now->since_ns, until_ns,
			is_final);
	}
}

static uint64_t length_from(uint64_t start, uint64_t from, uint64_t to)
{
	if (from < start)
		from = start;
	return to > from ? to - from : 0;
}

/* The totals of a thread with its open interval closed at end_ns. */
static struct thread_now closed_at(
	const struct books *books, const struct thread_now *now, uint64_t end_ns)
{
	struct thread_now closed = *now;
	uint64_t wake = end_ns;

	if (now->is_dead)
		return closed;
	if (now->open_state == TIME_BLOCKED) {
		wake = wake_of(now, end_ns);
		closed.total_ns[TIME_WOKEN] += length_from(books->start_ns, wake, end_ns);
	}
	closed.total_ns[now->open_state] += length_from(books->start_ns, now->since_ns, wake);
	return closed;
}

static void close_thread(struct books *books, const struct thread_now *now, uint64_t end_ns)
{
	struct book *book = book_of(books, now->thread);
	struct books_totals *totals = &books->totals;
	uint64_t accounted = 0, life, off;

	if (book->is_closed)
		return;
	if (now->is_dead)
		end_ns = now->since_ns;
	else
		add_open(books, now, end_ns, true);
	struct thread_now closed = closed_at(books, now, end_ns);
	accounted = sum_of(closed.total_ns);
	life = length_from(books->start_ns, now->birth_ns, end_ns);
	off = life > accounted ? life - accounted : accounted - life;
	book->is_closed = true;
	book->birth_ns = now->birth_ns;
	book->closed_at = books->flips;
	if (!book->is_ended)
		totals->living--;
	book->is_ended = true;
	totals->expected_ns += life;
	totals->accounted_ns += accounted;
	if (off > totals->worst_thread_ns)
		totals->worst_thread_ns = off;
	write_thread(books, book, &closed, end_ns);
	vec_push(&books->closed, book);
}

/* Forgets threads and images of which nothing can come any more. */
static void forget_closed(struct books *books)
{
	size_t kept = 0;

	for (size_t i = 0; i < books->leaving.count; i++) {
		struct leaving leaving = books->leaving.at[i];
		if (leaving.left_at + FLIPS_TO_KEEP >= books->flips)
			books->leaving.at[kept++] = leaving;
		else
			leave_process(books, leaving.image);
	}
	books->leaving.count = kept;
	kept = 0;

	for (size_t i = 0; i < books->closed.count; i++) {
		struct book *book = books->closed.at[i];
		if (book->closed_at + FLIPS_TO_KEEP >= books->flips) {
			books->closed.at[kept++] = book;
			continue;
		}
		leave_process(books, book->image);
		map64_remove(&books->by_serial, book->serial);
		free(book);
	}
	books->closed.count = kept;
}

/* A thread's last words: it died in the window, or after its end with an interval still open. */
static void add_end(struct books *books, const struct thread_now *now)
{
	struct book *book = book_of(books, now->thread);

	if (!book->is_ended)
		books->totals.living--;
	book->is_ended = true;
	if (now->is_dead)
		vec_push(&books->dead, *now);
	else
		vec_push(&books->late, *now);
}

/* Closes the threads that died before the rows at hand were drained: their last rows are in. */
static void close_dead(struct books *books, uint64_t drained_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < books->dead.count; i++) {
		struct thread_now now = books->dead.at[i];
		if (now.since_ns <= drained_ns)
			close_thread(books, &now, 0);
		else
			books->dead.at[kept++] = now;
	}
	books->dead.count = kept;
}

/* Calls for each record of that kind; kinds are taken in an order that their meaning needs. */
static void add_records(struct books *books, const struct batch *batch, uint32_t wanted)
{
	size_t offset = 0, length;
	const void *record;

	while ((record = batch_next_record(
			batch->records.at, batch->records.count, &offset, &length))) {
		uint32_t kind = 0;

		if (length >= sizeof(kind))
			memcpy(&kind, record, sizeof(kind));
		if (kind == RECORD_THREAD_END && wanted == kind &&
			length >= sizeof(struct thread_now))
			add_end(books, record);
		else if ((kind == RECORD_KERNEL_STACK || kind == RECORD_USER_STACK) &&
			 wanted == RECORD_KERNEL_STACK)
			namer_add_stack(books->namer, record, length);
		else if (kind == RECORD_HOP && wanted == kind && books->chains)
			chains_add_hop(books->chains, record, length);
		else if (kind == RECORD_CHAIN && wanted == kind && books->chains)
			chains_add(books->chains, record, length);
	}
}

/* Each announcement at its place among the mappings: see timeline.h. */
static void add_threads(struct books *books, const struct batch *batch)
{
	size_t offset = 0, length;
	const void *record;

	timeline_add(books->timeline, batch->map_records.at, batch->map_records.count,
		batch->ring_read_ns);
	while ((record = batch_next_record(
			batch->records.at, batch->records.count, &offset, &length))) {
		const struct record_thread *thread = record;
		if (length < sizeof(*thread) ||
			(thread->kind != RECORD_THREAD && thread->kind != RECORD_WAKER))
			continue;
		timeline_tell(books->timeline, books->namer, thread->at_ns);
		if (thread->kind == RECORD_WAKER)
			add_waker(books, thread);
		else
			add_thread(books, thread);
	}
	timeline_tell(books->timeline, books->namer, UINT64_MAX);
}

/* Has the thread had no switch since this was read? Then its rows do not go beyond these totals. */
static bool is_still_open(struct books *books, const struct thread_now *now)
{
	const struct book *book = book_of(books, now->thread);
	uint64_t total_ns = sum_of(now->total_ns);

	return !book->is_closed && sum_of(book->rows_ns) <= total_ns;
}

void books_add(struct books *books, const struct batch *batch)
{
	/* Threads first: a stack's image must be known, and whether it is still the latest. */
	add_threads(books, batch);
	add_records(books, batch, RECORD_KERNEL_STACK);
	add_records(books, batch, RECORD_HOP);
	add_records(books, batch, RECORD_CHAIN);
	vec_each (row, &batch->rows)
		add_row(books, row);
	add_waits(books, &batch->waits);
	add_records(books, batch, RECORD_THREAD_END);
	books->totals.lost_mappings = batch->map_records_lost;
	if (batch->is_flipped)
		close_dead(books, batch->drained_ns);
	if (batch->has_open) {
		recording_writer_begin_open(books->writer);
		vec_each (now, &batch->open)
			if (is_still_open(books, now))
				add_open(books, now, batch->drained_ns, false);
	}
	if (batch->is_flipped) {
		books->flips++;
		forget_closed(books);
		if (books->chains)
			chains_age(books->chains);
	}
}

void books_close(struct books *books, const struct batch *batch, uint64_t end_ns)
{
	close_dead(books, UINT64_MAX);
	vec_each (now, &batch->open)
		close_thread(books, now, end_ns);
	vec_each (now, &books->late)
		close_thread(books, now, end_ns);
	books->late.count = 0;
}

/* Its end was lost: what its rows hold is all that is known of its life. */
static void close_by_rows(struct books *books, struct book *book)
{
	struct thread_now now = {.thread = book->serial};
	uint64_t known_ns = sum_of(book->rows_ns);
	uint64_t birth_ns = book->birth_ns > books->start_ns ? book->birth_ns : books->start_ns;

	memcpy(now.total_ns, book->rows_ns, sizeof(now.total_ns));
	write_thread(books, book, &now, birth_ns + known_ns);
	books->totals.unclosed++;
	books->totals.unclosed_ns += known_ns;
	books->totals.expected_ns += known_ns;
	books->totals.accounted_ns += known_ns;
}

void books_close_rest(struct books *books)
{
	for (size_t i = 0; i < books->by_serial.room; i++) {
		if (!books->by_serial.slots[i].is_used)
			continue;
		struct book *book = (struct book *)(uintptr_t)books->by_serial.slots[i].value;
		if (!book->is_closed)
			close_by_rows(books, book);
	}
}

void books_totals(const struct books *books, struct books_totals *ret)
{
	*ret = books->totals;
}
