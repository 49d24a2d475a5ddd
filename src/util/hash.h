/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one 64-bit hash of the program. Ids in a recording are made with it from content, so its
 * results are part of the recording format: changing it means a new format version.
 */
#ifndef DWELL_UTIL_HASH_H
#define DWELL_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A bijection of 64-bit words that spreads every input bit (the finaliser of MurmurHash3). */
static inline uint64_t hash_mix(uint64_t word)
{
	word ^= word >> 33;
	word *= 0xff51afd7ed558ccdULL;
	word ^= word >> 33;
	word *= 0xc4ceb9fe1a85ec53ULL;
	return word ^ (word >> 33);
}

/* Order matters: hash_add(hash_add(s, a), b) differs from (b, a). */
static inline uint64_t hash_add(uint64_t so_far, uint64_t word)
{
	return hash_mix((so_far ^ word) + 0x9e3779b97f4a7c15ULL);
}

static inline uint64_t hash_bytes(uint64_t so_far, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	uint64_t word;

	so_far = hash_add(so_far, length);
	for (; length >= 8; at += 8, length -= 8) {
		memcpy(&word, at, 8);
		so_far = hash_add(so_far, word);
	}
	if (length) {
		word = 0;
		memcpy(&word, at, length);
		so_far = hash_add(so_far, word);
	}
	return so_far;
}

static inline uint64_t hash_text(uint64_t so_far, const char *text)
{
	return hash_bytes(so_far, text, strlen(text));
}

#endif
