/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text from a recording, made fit for a page: bounded, harmless, and on demand without paths. */
#ifndef DWELL_RENDER_PAGE_TEXT_H
#define DWELL_RENDER_PAGE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* Names of a megabyte exist; nobody reads more than this of one. */
#define PAGE_TEXT_BYTES 2000

/*
 * A clean copy of at most PAGE_TEXT_BYTES, cut between characters. is_redacted: of what looks like
 * a path only the last part stays. Caller frees.
 */
char *page_text(const char *text, bool is_redacted);

/* Writes text so that it is text in HTML, in elements and in quoted attributes. */
void page_put_text(FILE *out, const char *text);

#endif
