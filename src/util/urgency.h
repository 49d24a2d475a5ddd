/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Urgency: for a moment, before all threads of normal priority. A thread that is nice -20 goes
 * before others of its cgroup and session only, so with 40 busy ones elsewhere it has a fortieth of
 * the machine; real-time priority counts everywhere. It is the lowest there is, and shared in turns
 * (SCHED_RR), so that who needs real time for good goes first. What is forked does not inherit it:
 * threads and helper processes that have a part in the urgent work are given it one by one.
 */
#ifndef DWELL_UTIL_URGENCY_H
#define DWELL_UTIL_URGENCY_H

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Makes the calling thread urgent; true if it was not and is. False without the right to be
 * (CAP_SYS_NICE), and if somebody has given it a priority of another kind, which it keeps.
 */
bool urgency_take(void);
/* Gives it to a thread, or to a process of one thread, if the caller has it itself. */
void urgency_share(pthread_t thread);
void urgency_share_with(pid_t pid);
/* The calling thread is real-time for good (SCHED_FIFO), which nobody takes from it. */
void urgency_keep(void);
/* Takes it from the calling thread, or from a process of one thread, if that has it. */
void urgency_drop(void);
bool urgency_drop_of(pid_t pid); /* true if it had it and has it no more */
/* From all threads but the calling one; `threads` is /proc/self/task. None of them has it to give
 * to another from then on. */
void urgency_drop_others(DIR *threads);

#endif
