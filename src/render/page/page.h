/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report page: one HTML file that holds a whole recording as a cube, and the script that looks
 * at it (web/page/). It fetches nothing and may not: its policy allows the script and the style
 * that it was built with, by their hashes, and no connection. Where scripts do not run, a summary,
 * tables and a flame graph remain.
 */
#ifndef DWELL_RENDER_PAGE_H
#define DWELL_RENDER_PAGE_H

#include "profile/cube/cube.h"
#include "profile/summary/summary.h"

/* Texts are borrowed. */
struct page_options {
	const char *file;        /* the recording */
	const char *command;     /* that makes the page, in words */
	const char *by;          /* how stacks are named at first: "comm", "process", "thread" */
	enum idle_choice idle;   /* at first */
	bool is_redacted;        /* leave paths, command lines, containers and the host out */
	const char *filter_text; /* what was left out, in words; NULL: as the summary has it */
	const struct tree *tree; /* of the picture that needs no script; NULL: none */
};

/*
 * Errors of writing are the stream's; else 0, or -errno with why. With is_redacted the summary's
 * things lose what is not to be told, so that no sentence can tell it.
 */
int page_write(const struct cube *cube, struct summary *summary, const struct page_options *options,
	FILE *out, struct why *why);

#endif
