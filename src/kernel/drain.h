/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that empties the kernel side in time, so that naming and writing may take theirs. It
 * reads the ring every 50 ms, flips the tables when a flip is due or one is half full, and hands
 * all of it over as batches. It never waits for the other side: when that falls behind, it stops
 * emptying and the kernel side counts what it cannot keep.
 */
#ifndef DWELL_KERNEL_DRAIN_H
#define DWELL_KERNEL_DRAIN_H

#include "kernel/kernel.h"

struct drain;

struct batch {
	VEC(char) records;     /* each: u64 length, then the record, padded to 8 bytes */
	VEC(char) map_records; /* of map_events.h, likewise */
	uint64_t ring_read_ns; /* all records of a time before are here */
	uint64_t map_records_lost;
	kernel_rows rows;
	kernel_waits waits;
	kernel_events events;
	struct kernel_call_rows calls;
	kernel_open_calls open_calls; /* if has_open */
	bool has_more_events;         /* some of before the last flip are still to come */
	kernel_threads open;          /* living threads, if has_open */
	bool has_open;
	bool is_flipped; /* rows are complete up to drained_ns */
	uint64_t drained_ns;
};

int drain_new(struct kernel *kernel, uint64_t flip_every_ns, struct drain **ret, struct why *why);
/* The share of the machine's CPU time that the thread holds the recording to, from its start on. */
void drain_set_budget(struct drain *drain, double share);
/* Starts the thread, with real-time priority if we may, else as nice as we can be. */
int drain_start(struct drain *drain, struct why *why);
/* How the thread is scheduled, in words. */
const char *drain_priority(const struct drain *drain);
/* Becomes readable when a batch is ready. */
int drain_fd(const struct drain *drain);
/* The batches so far as one, NULL if there is nothing. Caller frees with batch_free(). */
struct batch *drain_take(struct drain *drain);
/* The first error the thread met, 0 if none. */
int drain_error(struct drain *drain);
/* Ends the thread. */
void drain_stop(struct drain *drain);
/* Without the thread: one round now, into a batch of its own. */
struct batch *drain_now(struct drain *drain, bool with_open);
/* A thread met at the start, before the thread of this module runs; the next drain_now() has it. */
void drain_add_thread(struct drain *drain, const struct record_thread *thread);
/* CPUs that run, but without samples, perf events and records of mappings: they came after the
 * start. */
uint64_t drain_deaf_cpus(const struct drain *drain);
void drain_free(struct drain *drain);

/* Puts a record behind those that came by the ring. */
void batch_add_record(struct batch *batch, const void *record, size_t length);
/* The next of `count` bytes of records at *offset, which is moved on; NULL at the end. */
const void *batch_next_record(
	const char *records, size_t count, size_t *offset, size_t *ret_length);
void batch_free(struct batch *batch);

#endif
