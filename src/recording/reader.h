/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a recording, which is untrusted: every id is checked against what is there, every number
 * bounded, every cycle refused. What a view needs often (threads, processes, objects, frames, stack
 * nodes) is loaded into arrays on opening; sums are streamed.
 */
#ifndef DWELL_RECORDING_READER_H
#define DWELL_RECORDING_READER_H

#include <stddef.h>

#include "recording/recording.h"
#include "util/privacy.h"

struct recording;
struct words;

/* Indices into the arrays below instead of ids; texts live as long as the recording. */
#define REC_NONE UINT32_MAX

/* A stack node with indices: parent REC_NONE at the root. */
struct rec_node {
	uint32_t parent;
	uint32_t frame; /* index into frames */
	enum unwind_end end;
	uint16_t depth; /* 1 at the root */
};

struct rec_named_frame {
	uint32_t object; /* index into objects */
	uint64_t address;
	const char *name;
	uint64_t offset;
	enum name_reason reason;
};

/* A hop of a chain: stacks as in struct rec_row. */
struct rec_chain_hop {
	enum hop_kind kind;
	const char *name;
	uint32_t kernel_node;
	uint32_t user_node;
	uint32_t waited_node;
	uint32_t waited_user_node;
	enum unwind_end kernel_end;
	enum unwind_end user_end;
	enum unwind_end waited_end;
	enum unwind_end waited_user_end;
	uint32_t waited_for; /* into the awaited things, or REC_NONE */
};

/* A chain: hop_count hops from first_hop on. */
struct rec_linked_chain {
	uint64_t id;
	uint32_t first_hop;
	uint32_t hop_count;
	enum chain_end end;
};

/* Where a row was: node index, or REC_NONE with the reason why there is no stack. */
struct rec_stacks {
	uint32_t kernel_node;
	uint32_t user_node;
	enum unwind_end kernel_end;
	enum unwind_end user_end;
};

/* A row of sums with indices. */
struct rec_row {
	struct rec_sum sum;    /* as stored; thread is the number */
	uint32_t thread_index; /* into threads */
	struct rec_stacks stacks;
	/* Into chains, or REC_NONE: not blocked, or no chain recorded. With a chain, sum.shares
	 * holds hop_count + 1 shares that add up to sum.ns, valid during the call. */
	uint32_t chain;
	/* Into the awaited things, or REC_NONE: not blocked, or not told. */
	uint32_t awaited;
	/* Into threads: who had it when the longest wait began; or REC_NONE. */
	uint32_t owner;
	/* One interval that had not ended at the window's end. If not, a count of 0 means parts of
	 * waits that another row counts. */
	bool is_unended;
};

/*
 * 0, or -errno with why: no such file, not a recording, newer format, damaged. A recording that was
 * cut short by a crash opens like any other (meta.is_finished is false) and its open intervals are
 * part of the rows. Never writes to the file; needs no write permission on it or its folder.
 */
int recording_open(const char *path, struct recording **ret, struct why *why);
void recording_free(struct recording *recording);

const struct rec_meta *recording_meta(const struct recording *recording);
/* Is it still being made, or was it when it was opened? If not, and not finished, it was cut short.
 */
bool recording_is_live(const struct recording *recording);
/* Who may read the file, and so what is made from it. */
const struct privacy *recording_privacy(const struct recording *recording);
/* Slices 0 to count - 1; every row's slices are among them. */
uint32_t recording_slice_count(const struct recording *recording);
const struct rec_thread *recording_threads(const struct recording *recording, size_t *ret_count);
const struct rec_process *recording_processes(const struct recording *recording, size_t *ret_count);
const struct rec_object *recording_objects(const struct recording *recording, size_t *ret_count);
const struct rec_named_frame *recording_frames(
	const struct recording *recording, size_t *ret_count);
const struct rec_node *recording_nodes(const struct recording *recording, size_t *ret_count);
/* Things that threads waited for; none in recordings of a dwell that had none. */
const struct rec_awaited *recording_awaited(const struct recording *recording, size_t *ret_count);
/* Hops of all chains; every stack in them is known, every chain sound. */
const struct rec_chain_hop *recording_hops(const struct recording *recording, size_t *ret_count);
const struct rec_linked_chain *recording_chains(
	const struct recording *recording, size_t *ret_count);
/* False for recordings without chains: made with --depth 0, or by a dwell that had none. */
bool recording_has_chains(const struct recording *recording);
/* Events that were counted; none in recordings of a dwell that had none. */
const struct rec_measure *recording_measures(const struct recording *recording, size_t *ret_count);
/*
 * What was lost; once all rows have been walked over, also which rows hold numbers that this dwell
 * does not have. The array stays where it is.
 */
const struct rec_loss *recording_losses(const struct recording *recording, size_t *ret_count);
/* The words of this recording: numbers in it may be beyond this dwell's enums. */
const struct words *recording_words(const struct recording *recording);
/* The process a thread belongs to; never NULL. */
const struct rec_process *recording_process_of(
	const struct recording *recording, const struct rec_thread *thread);

/*
 * Calls `each` for every row (open intervals included) but those of a state that this dwell does
 * not have: their time is not the threads' in any way it knows. A non-zero return ends the walk and
 * is returned. A damaged file gives -EIO and why.
 */
typedef int (*recording_row_fn)(const struct rec_row *row, void *context);
int recording_each_row(
	struct recording *recording, recording_row_fn each, void *context, struct why *why);
/* They will be walked over several times: the next walk keeps them, if that is not too much. */
void recording_keep_rows(struct recording *recording);

/* A row of counts, with indices instead of ids. */
struct rec_counted {
	struct rec_count count;
	uint32_t measure_index;
	uint32_t thread_index;
	struct rec_stacks stacks;
	uint32_t awaited; /* into the awaited things: what they were on; or REC_NONE */
};

/* Likewise, for every row of every measure. */
typedef int (*recording_count_fn)(const struct rec_counted *row, void *context);
int recording_each_count(
	struct recording *recording, recording_count_fn each, void *context, struct why *why);

/* A row of memory, with the index of its process. */
struct rec_resident {
	struct rec_memory memory;
	uint32_t process_index;
};

/* Likewise, by process and slice; none in recordings of a dwell that did not look. */
typedef int (*recording_memory_fn)(const struct rec_resident *row, void *context);
int recording_each_memory(
	struct recording *recording, recording_memory_fn each, void *context, struct why *why);

/* Functions whose calls were watched; none in recordings of a dwell that had none. */
const struct rec_function *recording_functions(
	const struct recording *recording, size_t *ret_count);

/* A row of calls, with indices instead of ids. */
struct rec_called {
	struct rec_call call;
	uint32_t function_index;
	uint32_t thread_index; /* REC_NONE: of several threads */
};

/* Likewise, for every row of calls. */
typedef int (*recording_call_fn)(const struct rec_called *row, void *context);
int recording_each_call(
	struct recording *recording, recording_call_fn each, void *context, struct why *why);

/* A call that had not ended, with indices. */
struct rec_opened {
	struct rec_open_call call;
	uint32_t function_index;
	uint32_t thread_index;
	struct rec_stacks stacks;
	uint32_t awaited; /* into the awaited things, or REC_NONE */
};

typedef int (*recording_open_call_fn)(const struct rec_opened *row, void *context);
int recording_each_open_call(
	struct recording *recording, recording_open_call_fn each, void *context, struct why *why);

/*
 * From now on the rows of recording_each_row() are those of slow calls of that function alone, by
 * its index in recording_functions(); REC_NONE: the threads' again, all of them. Rows of slow calls
 * are like rows of sums: each time a slow call's thread was running, ready or blocked, with its
 * stacks, things and chains, and samples of it; but all are in the slice in which the call ended.
 */
void recording_choose_slow(struct recording *recording, uint32_t function_index);
/* What was chosen, or REC_NONE. */
uint32_t recording_slow_function(const struct recording *recording);

struct rec_queued {
	struct rec_queue queue; /* kind: one that this dwell may not have */
	uint32_t thread_index;
};

/* Likewise, for every row of queues; none in recordings of a dwell that had none. */
typedef int (*recording_queue_fn)(const struct rec_queued *row, void *context);
int recording_each_queue(
	struct recording *recording, recording_queue_fn each, void *context, struct why *why);

#endif
