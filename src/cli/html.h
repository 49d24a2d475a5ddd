/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page as other commands call it: `dwell html` and the one-shot command. */
#ifndef DWELL_CLI_HTML_H
#define DWELL_CLI_HTML_H

#include "cli/summed.h"
#include "cli/view_options.h"

struct html_options {
	struct view_options view;
	const char *output;  /* NULL: from the recording's name; "-": stdout */
	const char *command; /* that asked for the page, in words; NULL: `dwell html FILE` */
	bool is_redacted;
	bool is_quiet; /* do not say what was written */
};

void html_options_init(struct html_options *options);
void html_options_clear(struct html_options *options);

/* Writes the page; an exit status, after a complaint if it is not STATUS_DONE. */
int html_write(const char *path, const struct html_options *options);
/* The same of figures that are there already, made by the options' view. */
int html_write_summed(
	const char *path, const struct summed *summed, const struct html_options *options);
/* last.dwell gives dwell.html, x.dwell x.html. Caller frees. */
char *html_default_output(const char *file);

#endif
