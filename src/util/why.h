/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why something failed, in words for the user. Silent folders fill it and return -errno; the
 * command line prints it, once. The text is one line without a final newline and says what to do.
 */
#ifndef DWELL_UTIL_WHY_H
#define DWELL_UTIL_WHY_H

struct why {
	char text[512];
};

/* Fills why (NULL is allowed) and returns `error`, so that a failure is one statement. */
__attribute__((format(printf, 3, 4))) int why_set(
	struct why *why, int error, const char *format, ...);

#endif
