/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording with measures of all kinds, for the tests of what is made of them. Include after
 * cmocka.
 *
 * 90 s of one service with two threads. `shop` allocates 20 MiB a second in parse, which it frees,
 * and 1 MiB a second in session_new, which it never does; `batch` 2 MiB a second in load, which it
 * frees but for the last 5 s. One in 500 allocations of parse is looked at, one in 250 of the
 * others. 90 major faults, each looked at, in /srv/shop/index.db (80) and /opt/lib/libfoo.so.1 (10)
 * cost shop 3.6 s blocked, and one in 100 of 54,000 minor faults is looked at, a tenth of them in
 * the kernel. The address space grows by 1 MiB a second, and so does what is resident.
 */
#ifndef DWELL_TESTS_MEMORY_SAMPLE_H
#define DWELL_TESTS_MEMORY_SAMPLE_H

#include "thing_sample.h"

#define MIB (1ULL << 20)
#define MEMORY_SECONDS 90
#define KERNEL_FAULT_OF_USER "asm_exc_page_fault;exc_page_fault;do_user_addr_fault;handle_mm_fault"
#define KERNEL_FAULT_OF_COPY                                                                       \
	KERNEL_ENTRY "ksys_read;vfs_read;copy_to_user;asm_exc_page_fault;exc_page_fault"
#define KERNEL_MAJOR                                                                               \
	"asm_exc_page_fault;exc_page_fault;do_user_addr_fault;handle_mm_fault;filemap_fault;"      \
	"folio_wait_bit_common;io_schedule;schedule"

/* clang-format off */
static const struct rec_measure memory_measures[] = {
	{1, "alloc", "bytes", "allocation", "memory that was allocated, by who asked for it", "alloc"},
	{2, "freed", "bytes", "allocation", "memory that was given back, by who had allocated it", "freed"},
	{3, "live", "bytes", "allocation", "memory that was not freed, by who had allocated it", "live"},
	{4, "leaks", "bytes", "allocation", "memory that grew and was never freed", "leaks"},
	{5, "minor-faults", "count", "minor fault", "where memory was touched that was not mapped yet", "faults"},
	{6, "major-faults", "count", "major fault", "where memory was touched that had to be read in", "faults"},
	{7, "growth", "bytes", "mapping", "address space that was mapped", "growth"},
	{8, "shrink", "bytes", "unmapping", "address space that was given back", "shrink"},
	{9, "syscalls:sys_exit_write", "bytes", "write", "bytes that were written", "event"},
	{10, "cycles", "count", "cycle", "where the CPU spent its cycles", "event"},
	{11, "never", "count", "unicorn", "what nobody has seen", "event"},
};
/* clang-format on */

/* So many samples, each of them of so much and standing for so many events. */
static inline void memory_add(struct view_sample *sample, uint32_t measure, uint32_t slice,
	uint32_t thread, const char *user, uint64_t samples, uint64_t each, uint64_t events,
	const char *kernel, uint64_t thing)
{
	struct rec_count row = {.measure = measure,
		.thread = thread,
		.slice = slice,
		.kernel_stack = kernel ? sample_kernel(sample, kernel) : STACK_NONE,
		.user_stack = sample_user(sample, user),
		.count = samples,
		.value = samples * each,
		.max_value = each,
		.events = samples * events,
		.awaited = thing};

	recording_writer_add_count(sample->writer, &row);
}

#define MEMORY_PARSE "main;serve;parse;malloc"
#define MEMORY_SESSION "main;serve;session_new;malloc"
#define MEMORY_LOAD "main;load;malloc"

static inline void memory_add_allocations(struct view_sample *sample, uint32_t slice)
{
	bool is_late = slice >= MEMORY_SECONDS - 5;

	memory_add(sample, 1, slice, 1, MEMORY_PARSE, 40, MIB / 2, 500, NULL, 0);
	memory_add(sample, 2, slice, 1, MEMORY_PARSE, 40, MIB / 2, 500, NULL, 0);
	memory_add(sample, 1, slice, 1, MEMORY_SESSION, 2, MIB / 2, 250, NULL, 0);
	memory_add(sample, 3, slice, 1, MEMORY_SESSION, 2, MIB / 2, 250, NULL, 0);
	if (slice < MEMORY_SECONDS / 2)
		memory_add(sample, 4, slice, 1, MEMORY_SESSION, 2, MIB / 2, 250, NULL, 0);
	memory_add(sample, 1, slice, 2, MEMORY_LOAD, 4, MIB / 2, 250, NULL, 0);
	memory_add(sample, is_late ? 3 : 2, slice, 2, MEMORY_LOAD, 4, MIB / 2, 250, NULL, 0);
}

static inline void memory_add_faults(
	struct view_sample *sample, uint32_t slice, uint64_t index_file, uint64_t library)
{
	memory_add(sample, 5, slice, 1, "main;serve;parse;memcpy", 5, 100, 100,
		KERNEL_FAULT_OF_USER, library);
	/* A perf event is on the user's registers: its kernel stack is empty. */
	memory_add(sample, 5, slice, 2, "main;load;memset", 1, 40, 40, NULL, 0);
	memory_add(sample, 5, slice, 2, "main;load;read", 1, 60, 60, KERNEL_FAULT_OF_COPY, 0);
	memory_add(sample, 6, slice, 1, "main;serve;lookup", 1, 1, 1, KERNEL_FAULT_OF_USER,
		slice % 9 ? index_file : library);
}

static inline void memory_add_events(struct view_sample *sample, uint32_t slice)
{
	memory_add(sample, 7, slice, 1, "main;serve;session_new;malloc;brk", 1, MIB, 1,
		KERNEL_ENTRY "__do_sys_brk", 0);
	if (slice % 10 == 9)
		memory_add(sample, 8, slice, 2, "main;load;free;munmap", 1, 2 * MIB, 1,
			KERNEL_ENTRY "__x64_sys_munmap", 0);
	memory_add(
		sample, 9, slice, 2, "main;load;write", 30, 4096, 1, KERNEL_ENTRY "ksys_write", 0);
	memory_add(sample, 10, slice, 1, "main;serve;parse", 50, 20000000, 20000000, NULL, 0);
	for (uint32_t process = 1; process <= 2; process++)
		recording_writer_put_memory(sample->writer,
			&(struct rec_memory){process, slice, (60 + slice / process) * MIB,
				(40 + slice / process) * MIB});
}

/* Running, waits for pages, and sleep: 90 s of each thread. */
static inline void memory_add_time(
	struct view_sample *sample, uint64_t index_page, uint64_t library_page)
{
	const uint64_t totals[TIME_STATES] = {40000 * MS, 0, 0, 50000 * MS};

	sample_add_thread(sample, 1, "shop", "shop", false, 0, 90000 * MS, totals);
	sample_add_thread(sample, 2, "batch", "batch", false, 0, 90000 * MS, totals);
	for (uint32_t thread = 1; thread <= 2; thread++) {
		for (uint32_t slice = 0; slice < 40; slice++)
			sample_add_row(sample, thread, slice, TIME_RUNNING, 1, 1000 * MS,
				STACK_NONE, STACK_NONE);
		for (uint32_t slice = 40 + (thread == 1 ? 4 : 0); slice < MEMORY_SECONDS; slice++)
			sample_add_row(sample, thread, slice, TIME_BLOCKED, 1, 1000 * MS,
				sample_user(sample, "main;nap"), sample_kernel(sample, KERNEL_NAP));
	}
	uint64_t lookup = sample_user(sample, "main;serve;lookup");
	uint64_t fault = sample_kernel(sample, KERNEL_MAJOR);
	sample_wait_for(sample, 1, 80, 3600 * MS, lookup, fault, index_page, 0);
	sample_wait_for(sample, 1, 10, 400 * MS, lookup, fault, library_page, 0);
}

static inline uint64_t memory_thing(
	struct view_sample *sample, enum awaited_kind kind, const char *path)
{
	return sample_thing(sample,
		(struct awaited){.kind = kind, .name = path, .place = "vda1", .address = 7});
}

static inline void memory_make(struct view_sample *sample)
{
	sample_begin(sample, MEMORY_SECONDS);
	memory_add_time(sample, memory_thing(sample, AWAITED_FAULT, INDEX_PATH),
		memory_thing(sample, AWAITED_FAULT, "/opt/lib/libfoo.so.1"));
	uint64_t index_file = memory_thing(sample, AWAITED_FILE, INDEX_PATH);
	uint64_t library = memory_thing(sample, AWAITED_FAULT, "/opt/lib/libfoo.so.1");
	for (size_t i = 0; i < ARRAY_SIZE(memory_measures); i++)
		recording_writer_put_measure(sample->writer, &memory_measures[i]);
	for (uint32_t slice = 0; slice < MEMORY_SECONDS; slice++) {
		memory_add_allocations(sample, slice);
		memory_add_faults(sample, slice, index_file, library);
		memory_add_events(sample, slice);
	}
	sample_finish(sample);
}

#endif
