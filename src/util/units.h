/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Durations and sizes, from and to the words that people write. */
#ifndef DWELL_UTIL_UNITS_H
#define DWELL_UTIL_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define NS_PER_US 1000ULL
#define NS_PER_MS 1000000ULL
#define NS_PER_S 1000000000ULL

/*
 * "10s", "250ms", "1.5", "10us", "2m", "1h"; without a unit: seconds. Up to ten years.
 * 0, or -EINVAL for anything else.
 */
int units_parse_duration(const char *text, uint64_t *ret_ns);
/* "256M", "1G", "64K", "4096": powers of 1024. 0 or -EINVAL. */
int units_parse_bytes(const char *text, uint64_t *ret_bytes);

/* For the formatters below: longer than any of their results. */
#define UNITS_ROOM 32

/* "850 ns", "12 us", "4.9 ms", "61 ms", "22.6 s", "1840.0 s": three significant digits below 1 s,
 * one decimal above. */
const char *units_duration(uint64_t ns, char room[static UNITS_ROOM]);
/* "61,000" */
const char *units_count(uint64_t count, char room[static UNITS_ROOM]);
/* "256 MiB", "1.5 GiB", "812 B" */
const char *units_bytes(uint64_t bytes, char room[static UNITS_ROOM]);

#endif
