/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names from outside are hostile: how they are made fit for a terminal or a folded line. */
#ifndef DWELL_UTIL_TEXT_H
#define DWELL_UTIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the UTF-8 character at text: 1 to 4, or 0 if it is not valid UTF-8 (or text is empty).
 */
size_t text_utf8_length(const char *text);

/* The number of the valid character of that length at text. */
uint32_t text_code(const char *text, size_t length);
/*
 * Can the character make a terminal or a reader see something else than what is written? Control
 * characters (C0, DEL, C1), those that turn the direction of writing, line separators, and those
 * that nobody sees.
 */
bool text_is_unsafe(uint32_t code);

/*
 * A copy fit for terminals and folded lines: unsafe characters and invalid bytes become '?', and
 * with is_frame ';' becomes ':'. Caller frees.
 */
char *text_clean(const char *text, bool is_frame);

/* Bytes of the whole characters at the start of a text that fit into so many bytes. */
size_t text_fitting(const char *text, size_t bytes);

/* Columns that valid, clean text takes on a terminal: one for each character. */
size_t text_width(const char *text);

/* Glob with * ? and nothing else, as for comms. */
bool text_matches_glob(const char *text, const char *glob);

/* Edits (insert, delete, replace) from a to b: for "did you mean". */
size_t text_distance(const char *a, const char *b);

/* Nearest of the NULL-terminated names if it is near enough to be meant, else NULL. */
const char *text_nearest(const char *wrong, const char *const *names);

/* "pool-1-thread-17" -> "pool-*-thread-*". Caller frees. */
char *text_fold_digits(const char *name);

#endif
