/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of one file `dwell list` can show: its functions and the probes that its authors left. */
#ifndef DWELL_CLI_LIST_FILE_H
#define DWELL_CLI_LIST_FILE_H

#include <stdbool.h>

#include "cli/listing.h"
#include "util/why.h"

/* Is it about a file: "uprobe:...", "u:...", "usdt:..."? */
bool list_file_is(const char *pattern);
/*
 * Adds "uprobe:PATH[:GLOB]"'s functions or "usdt:PATH[:GLOB]"'s probes ("provider:name"). 0, also
 * if nothing matches, and then why says what may be meant; -EINVAL: the file cannot be looked into,
 * or too much matches.
 */
int list_file(const char *pattern, struct listing *listing, struct why *why);

#endif
