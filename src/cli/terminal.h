/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much room there is for text. */
#ifndef DWELL_CLI_TERMINAL_H
#define DWELL_CLI_TERMINAL_H

#include <stddef.h>

/* Tables and sentences keep to as few columns as these; a narrower terminal breaks lines itself. */
#define TERMINAL_NARROWEST 50
/* Beyond that a line is not easier to read for being longer; --width can ask for more. */
#define TERMINAL_WIDEST 200

/*
 * Columns of stdout: what COLUMNS says, else the terminal's, else `otherwise`; none of the first
 * two is narrower or wider than the limits above.
 */
size_t terminal_columns(size_t otherwise);
/* Columns of a line on stderr that is to be taken back: one less than its terminal has. */
size_t terminal_live_columns(void);
/* Rows above that line which can be taken back, too: those that do not scroll away; 0: none. */
size_t terminal_live_rows(void);
/* Rows of the terminal that stdout is; 0: it is none. */
size_t terminal_rows(void);

#endif
