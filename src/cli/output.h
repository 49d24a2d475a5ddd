/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that a looking command writes: whole, or not at all. */
#ifndef DWELL_CLI_OUTPUT_H
#define DWELL_CLI_OUTPUT_H

#include <stdio.h>

#include "util/place.h"
#include "util/privacy.h"
#include "util/why.h"

/*
 * A regular file is written through a temporary file beside it, so that what was there stays until
 * the new one is whole; so is a link to one, and what it pointed to stays as it was. Devices, pipes
 * and descriptors (/dev/null, /dev/stdout, /dev/fd/3) are written in place. A pipe of another user,
 * or another user's link to anything but a file, is refused.
 *
 * Readable for those who may read what it is made from, less the umask; the invoking user's under
 * sudo.
 */
struct output {
	FILE *stream;
	char *path;
	struct place place;
	char *temporary; /* its name in the folder; NULL: written in place */
};

int output_open(
	const char *path, const struct privacy *privacy, struct output *ret, struct why *why);
/* Puts it in its place. 0, or -errno with why; then nothing is left behind. */
int output_finish(struct output *output, struct why *why);
void output_abandon(struct output *output);

/* Flushes any stream: 0, or the -errno that kept something from being written, now or earlier. */
int output_flush(FILE *stream);

#endif
