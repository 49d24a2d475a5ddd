/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names from outside are hostile: how they are made fit for a terminal or a folded line. */
#ifndef DWELL_UTIL_TEXT_H
#define DWELL_UTIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the UTF-8 character at text: 1 to 4, or 0 if it is not valid UTF-8 (or text is empty).
 */
size_t text_utf8_length(const char *text);

/*
 * A copy fit for terminals and folded lines: control characters (C0, DEL, C1, and the bidirectional
 * overrides) and invalid bytes become '?', and with is_frame ';' becomes ':'. Caller frees.
 */
char *text_clean(const char *text, bool is_frame);

/* Columns that valid, clean text takes on a terminal: one for each character. */
size_t text_width(const char *text);

/* Glob with * ? and nothing else, as for comms. */
bool text_matches_glob(const char *text, const char *glob);

/* Edits (insert, delete, replace) from a to b: for "did you mean". */
size_t text_distance(const char *a, const char *b);

#endif
