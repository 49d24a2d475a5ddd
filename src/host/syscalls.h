/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls of this machine by number and name, as the headers have them that dwell was built
 * with. Names are the kernel's, which strace shows: pread64, newfstatat. */
#ifndef DWELL_HOST_SYSCALLS_H
#define DWELL_HOST_SYSCALLS_H

/* Numbers are below this. */
#define SYSCALLS_MOST 1024

/* NULL: there is none, or a newer one. */
const char *syscall_name(unsigned int number);
/* -1: there is none. A few that the C library calls otherwise are known by that name, too: pread.
 */
int syscall_number(const char *name);
/* The three names nearest to this one, "fsync, fdatasync", caller frees; NULL: none is near. */
char *syscall_near(const char *name);

#endif
