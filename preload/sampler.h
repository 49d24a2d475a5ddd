/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which allocations are sampled: those in which a point of a Poisson process over the bytes that a
 * thread allocates falls. Each thread counts down the bytes to its next point, so most allocations
 * cost a comparison and a subtraction. A block of s bytes has a point with probability
 * 1 - exp(-s / period), whatever came before it, and so stands for the inverse of that many blocks
 * of its size (Horvitz and Thompson's estimator, as tcmalloc and Go use it).
 *
 * All is the thread's own: nothing is locked, and a signal handler that allocates in between costs
 * a few bytes of the countdown at worst.
 */
#ifndef DWELL_PRELOAD_SAMPLER_H
#define DWELL_PRELOAD_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLER_PERIOD_DEFAULT (512 * 1024)
#define SAMPLER_PERIOD_MAX (1ULL << 40)

struct sampler {
	uint64_t left;    /* bytes to the next point; 0: the thread has drawn none yet */
	uint64_t samples; /* taken so far */
	uint64_t random;  /* state of its random numbers */
};

extern __thread struct sampler sampler __attribute__((tls_model("initial-exec")));

/* `text` is the mean distance in bytes, or NULL. Nothing is sampled before; 1 samples everything.
 */
void sampler_start(const char *text);

/* Other random numbers from here on: a child of fork() is not to sample what its siblings do. */
void sampler_restart(void);

/* After sampler_skips() said no: whether a block of so many bytes is sampled. */
bool sampler_takes(size_t bytes);

/* How many allocations a sampled one of so many bytes stands for: a whole number, right on average.
 */
size_t sampler_weight(size_t bytes);

/* An allocation of no bytes has an address and can leak: it counts as one. */
static inline size_t sampler_bytes(size_t size)
{
	return size + !size;
}

/* The usual case, and it is counted then. */
static inline bool sampler_skips(size_t bytes)
{
	uint64_t left = sampler.left;

	if (__builtin_expect(bytes >= left, 0))
		return false;
	sampler.left = left - bytes;
	return true;
}

#endif
