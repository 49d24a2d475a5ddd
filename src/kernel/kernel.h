/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel side as an object: the skeleton configured, loaded and attached, and the few things
 * that are done with it afterwards. The only place that knows the skeleton's layout.
 */
#ifndef DWELL_KERNEL_H
#define DWELL_KERNEL_H

#include "kernel/options.h"
#include "kernel/own_code.h"
#include "unwind/tables.h"
#include "symbol/kernel.h"
#include "util/vec.h"

struct kernel;
struct outside;
struct helpers;

struct kernel_row {
	struct sum_key key;
	struct sum sum;
};

/* A row of waits with a chain; of the shares those of the chain's hops and the rest count. */
struct kernel_wait {
	struct sum_key key;
	struct wait_sum row;
};

struct kernel_event {
	struct event_key key;
	struct event_sum sum;
};

struct kernel_call {
	struct call_key key;
	struct call_sum sum;
};

typedef VEC(struct kernel_call) kernel_calls;
typedef VEC(struct call_entry) kernel_slow_rows;

struct kernel_call_rows {
	kernel_calls calls;
	kernel_slow_rows slow;
};

/* Rows as they come from the kernel, one behind the other; kernel_next_wait() reads them. */
typedef VEC(char) kernel_waits;
typedef VEC(struct kernel_row) kernel_rows;
typedef VEC(struct kernel_event) kernel_events;
typedef VEC(struct thread_now) kernel_threads;
typedef VEC(struct call_open) kernel_open_calls;
typedef VEC(struct record_sleeper) kernel_sleepers;

/* How many threads can be given other stacks at once. */
#define KERNEL_MAX_REPAIRS 4096

/*
 * Opens the programs and makes the tables of rows and those of user stacks, which can be filled
 * from then on: of what there is before anything is recorded most time goes into these and into
 * loading, and the two need not wait for each other. makers (makers.h) make what tables grow by;
 * NULL: they do not grow.
 */
int kernel_new(const struct capture_options *options, struct helpers *makers, struct kernel **ret,
	struct why *why);
/* Loads the programs; nothing runs yet. */
int kernel_load(struct kernel *kernel, struct why *why);
/* What they need to know of kernel text, when they are loaded. symbols may be NULL, and are kept.
 */
int kernel_set_symbols(
	struct kernel *kernel, const struct kernel_symbols *symbols, struct why *why);
/* Detaches and unloads everything. */
void kernel_free(struct kernel *kernel);

/* Adds where the programs are, all of which are loaded; nothing if the kernel does not tell us
 * addresses. */
void kernel_own_code(const struct kernel *kernel, struct own_code *ret);

/*
 * Finds where the events are that are asked for, before the programs are loaded: files are found
 * and read by `outside`.
 */
int kernel_find_events(struct kernel *kernel, struct outside *outside, struct why *why);
/* To these. */
int kernel_attach_events(struct kernel *kernel, struct why *why);
int kernel_attach(struct kernel *kernel, struct why *why);
/* "cpu-clock" or "cycles"; "" without sampling. */
const char *kernel_sample_event(const struct kernel *kernel);
/* Learns from what the kernel side says of its stacks, for it to walk them faster; by one thread at
 * a time. */
void kernel_learn(struct kernel *kernel);
/* Bytes that the tables take by now. */
uint64_t kernel_table_bytes(const struct kernel *kernel);
/* What is mapped of them, as a process's resident memory counts it. */
uint64_t kernel_mapped_bytes(const struct kernel *kernel);
int kernel_records_fd(const struct kernel *kernel);
/* The ring of the events' stacks; -1: there are no events. */
int kernel_event_records_fd(const struct kernel *kernel);

/*
 * Makes the threads that exist known: calls for each of them that is a target. The ring has to be
 * emptied meanwhile, because their stacks come that way. To be done twice, the second time just
 * before the window, for threads that were met on their way out.
 */
int kernel_read_start(struct kernel *kernel,
	void (*each)(void *context, const struct record_thread *thread), void *context,
	struct why *why);
/* Where the unwind tables are, mapped; -ENOTSUP without user stacks by table. */
int kernel_unwind_areas(struct kernel *kernel, struct unwind_areas *ret, struct why *why);
/* The ring in which the kernel side asks for tables. */
int kernel_wants_fd(const struct kernel *kernel);
/* What ran at the start has its tables: from now on a stack that finds none ends there. */
void kernel_set_tables_ready(struct kernel *kernel);
/* Threads off their CPU whose user stack nobody could walk yet. */
int kernel_read_sleepers(struct kernel *kernel, kernel_sleepers *ret);
/* Gives the threads other stacks, unless they have run; calls with the serials of those. */
int kernel_repair(struct kernel *kernel, const struct repair *repairs, const uint32_t *threads,
	size_t count, void (*each)(void *context, const void *serial), void *context);
/* Switch-outs whose user stacks lacked tables, so far. */
uint32_t kernel_lacking(const struct kernel *kernel);
/* The books of all living threads. */
int kernel_read_threads(struct kernel *kernel, kernel_threads *ret);
/* Calls that have not ended; and what they have waited for, which is of one moment with them only
 * when the window is closed. */
int kernel_read_open_calls(struct kernel *kernel, kernel_open_calls *ret);
int kernel_read_open_waits(struct kernel *kernel, kernel_slow_rows *ret);

/* The window opens `ahead_ns` from now and is `length_ns` long; 0: until it is closed. */
int kernel_open_window(struct kernel *kernel, uint64_t ahead_ns, uint64_t length_ns,
	uint64_t *ret_start_ns, struct why *why);
/* From now on tables stay as large as they are. */
void kernel_end_growth(struct kernel *kernel);
/* The window ends `ahead_ns` from now, or when it ends anyway if that is sooner. */
int kernel_close_window(struct kernel *kernel, uint64_t ahead_ns, uint64_t *ret_end_ns);
/* Returns when no program that began before is still running on any CPU. */
int kernel_barrier(struct kernel *kernel);
/* How full the active table is, 0 to 1. */
double kernel_fill(const struct kernel *kernel);
/*
 * Makes the other tables active and moves the rows of these to the end of `rows` and `waits`. No
 * row is of a time after *ret_ns, and none of a time before it is missing but those of the last
 * microseconds.
 */
int kernel_flip(struct kernel *kernel, kernel_rows *rows, kernel_waits *waits, uint64_t *ret_ns);
/*
 * Likewise for events and calls, whose writers may be interrupted: as long as one is in the middle
 * of the resting table, for at most patience_ns, that one is waited for; then the table keeps its
 * rows for the next time, unless there was patience, which is for the end. *ret_has_rest: not even
 * the rows of the flip before have all come; those of this one may always come with the next.
 */
int kernel_flip_events(struct kernel *kernel, kernel_events *rows, struct kernel_call_rows *calls,
	uint64_t patience_ns, bool *ret_has_rest);
/* Events that found their CPU in the middle of too many others: in rows without stacks, or in none.
 */
void kernel_slotless_events(const struct kernel *kernel, uint64_t *ret_bare, uint64_t *ret_refused);
/* The wait at *offset, which is moved on; false at the end. */
bool kernel_next_wait(const kernel_waits *waits, size_t *offset, struct kernel_wait *ret);
/* With --budget: one of so many stacks is kept from now on. */
void kernel_thin(struct kernel *kernel, uint32_t every);
/* Sums over all CPUs. */
void kernel_counters(const struct kernel *kernel, uint64_t ret[static COUNTERS]);
/* Detaches all programs; tables stay readable. Each tracepoint may wait for all CPUs. */
void kernel_detach(struct kernel *kernel);
/* The same by a thread, which kernel_detach() waits for: they run on for a while, in vain. */
void kernel_begin_detach(struct kernel *kernel);

#endif
