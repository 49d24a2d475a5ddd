/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One recording session at the command line: from options to a finished file. */
#ifndef DWELL_CLI_SESSION_H
#define DWELL_CLI_SESSION_H

#include "cli/record_options.h"

/*
 * Records as asked. The exit status: with COMMAND its own, else STATUS_DONE, or what the complaint
 * that was printed stands for. *ret_path (borrowed from options) is set when there is a recording.
 */
int session_record(struct record_options *options, const char **ret_path);

#endif
