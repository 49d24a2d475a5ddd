/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What calls can be watched of, and what their lengths say: percentiles from bands of lengths. */
#ifndef DWELL_MODEL_CALL_H
#define DWELL_MODEL_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/call.h"

/* Calls above 1 ms are slow until there are as many as a percentile needs. */
#define CALL_FIRST_SLOW_NS 1000000ULL

enum call_kind {
	CALL_OF_FUNCTION, /* of a program or library */
	CALL_OF_SYSTEM,   /* a system call */
	CALL_OF_MARKS,    /* from one USDT mark to another */
	CALL_OF_KERNEL,   /* a function of the kernel */
	CALL_KINDS,
};

/* "function", "syscall", "marks", "kernel" */
const char *call_kind_name(enum call_kind kind);
/* CALL_OF_FUNCTION if none has that name. */
enum call_kind call_kind_from_name(const char *name);

/* Lengths of calls, by the bands of contract/call.h. */
struct call_lengths {
	uint64_t count[CONTRACT_CALL_BANDS];
	uint64_t ns[CONTRACT_CALL_BANDS];
	uint64_t calls;
	uint64_t max_ns;
};

void call_lengths_add(
	struct call_lengths *lengths, uint32_t band, uint64_t count, uint64_t ns, uint64_t max_ns);
/* Where a band begins; UINT64_MAX behind the last. */
uint64_t call_lengths_begin(uint32_t band);
/* The band that holds the call below which so many millionths of all are; 0 without calls. */
uint32_t call_lengths_band_at(const struct call_lengths *lengths, uint32_t millionths);
/* The mean of that band, which is within 19 % of the percentile; 0 without calls. */
uint64_t call_lengths_at(const struct call_lengths *lengths, uint32_t millionths);

#endif
