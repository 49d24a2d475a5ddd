/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that a looking command writes: whole, or not at all. */
#ifndef DWELL_CLI_OUTPUT_H
#define DWELL_CLI_OUTPUT_H

#include <stdio.h>

#include "util/why.h"

/*
 * Written through a temporary file beside it, so that what was there stays until the new one is
 * whole. Made as by hand: by umask, and the invoking user's under sudo.
 */
struct output {
	FILE *stream;
	char *path;
	char *temporary;
};

int output_open(const char *path, struct output *ret, struct why *why);
/* Puts it in its place. 0, or -errno with why; then nothing is left behind. */
int output_finish(struct output *output, struct why *why);
void output_abandon(struct output *output);

#endif
