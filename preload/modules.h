/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a module of a program in C sees of C++'s operators, without asking the dynamic linker: that
 * would wait for a dlopen() that runs, whose constructors may wait for a thread that is here, keep
 * modules from being unloaded, and take dlerror()'s words away.
 */
#ifndef DWELL_PRELOAD_MODULES_H
#define DWELL_PRELOAD_MODULES_H

/* Before there are threads: looks for what counts unloadings. */
void modules_start(void);

/* Operators are known by numbers below that. */
#define MODULES_OPERATORS 32

/*
 * The function of that name that the object with code at `caller` would call: its own, or that of
 * what it is linked to, breadth first. NULL if there is none. Remembered by object and number until
 * something is unloaded.
 */
void *modules_find(unsigned int number, const char *name, const void *caller);

#endif
