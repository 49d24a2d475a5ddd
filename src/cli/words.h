/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of reports, explained: dwell help words. */
#ifndef DWELL_CLI_WORDS_H
#define DWELL_CLI_WORDS_H

void print_words(void);

#endif
