/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The library that dwell carries in itself as a file, for a COMMAND to be started with: in a folder
 * of its own that everybody may read and nobody else write, until the recording is over.
 */
#ifndef DWELL_HOST_PRELOAD_FILE_H
#define DWELL_HOST_PRELOAD_FILE_H

#include "util/why.h"

struct preload_file {
	char *folder; /* NULL: there is none */
	char *path;
};

/* 0, or -errno with why: no folder will do from which programs may load a library. */
int preload_file_make(struct preload_file *ret, struct why *why);
/* All zero is allowed. */
void preload_file_remove(struct preload_file *file);

/*
 * Why a program cannot be started with a library, in words that go on after its name: "is
 * statically linked"; NULL: it can, as far as its file tells. Scripts are not looked into.
 */
const char *preload_refusal(const char *program);

#endif
