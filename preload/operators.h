/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operators.c interposes C++'s operators; what else there is to do for them. */
#ifndef DWELL_PRELOAD_OPERATORS_H
#define DWELL_PRELOAD_OPERATORS_H

/*
 * Looks for the program's operators if it has some from the start. dlsym() waits for a dlopen()
 * that runs, whose constructors may wait for a thread that allocates for the first time.
 */
void operators_start(void);

#endif
