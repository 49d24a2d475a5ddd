/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts the rows of a recording into a call tree: names first (--by), then the user stack, then the
 * kernel stack, root to leaf. Labels are clean for terminals and folded lines. Stacks that differ
 * in addresses only, not in labels, end in one node; so do functions of one name in different
 * objects, unless the shape keeps objects apart.
 */
#ifndef DWELL_PROFILE_PLACER_H
#define DWELL_PROFILE_PLACER_H

#include "profile/tree.h"
#include "recording/reader.h"

enum view_by {
	BY_NAME,      /* the process's name: same-named processes fold */
	BY_COMM,      /* the thread's comm */
	BY_PROCESS,   /* name-PID */
	BY_THREAD,    /* name-PID/TID */
	BY_CONTAINER, /* container id, shortened, or [host] */
	BY_AWAITED,   /* what a wait was for */
	VIEW_BYS,
};

#define VIEW_BY_MAX 4

struct stack_shape {
	enum view_by by[VIEW_BY_MAX];
	size_t by_count;
	bool is_user_only;   /* leave kernel frames out */
	bool is_kernel_only; /* leave user frames out */
	bool has_suffixes;   /* _[k] kernel, _[i] inlined, _[j] code without a file */
	bool keeps_objects;  /* frames of one name in different objects are different */
	/* Of views of chains. */
	bool weighs_causes; /* VIEW_CHAIN: each hop its own share, instead of the whole wait */
	bool is_roots_only; /* leave out threads whose waits are seen in others' chains */
};

/* The word of --by. */
const char *view_by_name(enum view_by by);
/* "comm", "process,thread", ...: a list. 0, or -EINVAL with why. */
int stack_shape_set_by(struct stack_shape *shape, const char *text, struct why *why);

/* Are stacks named by what waits were for? Then there are stacks of waits only. */
bool stack_shape_is_of_waits(const struct stack_shape *shape);

struct placer;

/* Borrows all three; the tree must be empty or of the same recording and shape. */
struct placer *placer_new(
	const struct recording *recording, const struct stack_shape *shape, struct tree *tree);
void placer_free(struct placer *placer);

/* The node of the thread's names. A thing that names stacks is not told (THING_NOT_TOLD). */
uint32_t placer_root(struct placer *placer, const struct rec_thread *thread);
/* The node where a row's stacks end, below its thread's names. */
uint32_t placer_place(
	struct placer *placer, uint32_t thread_index, const struct rec_stacks *stacks);
/* The same of a wait, for the thing of that text; NULL: it is not told. */
uint32_t placer_place_wait(struct placer *placer, uint32_t thread_index,
	const struct rec_stacks *stacks, const char *thing);
/* The same as placer_place() below one name for all threads: there may be a million names, and few
 * stacks. */
uint32_t placer_stack(struct placer *placer, const struct rec_stacks *stacks);
/*
 * One hop below `at`, as a number into recording_hops(): "--", the waker's kernel and user frames
 * leaf to root, its name; of metal the name in brackets.
 */
uint32_t placer_hop(struct placer *placer, uint32_t at, uint32_t hop);
/* The waker's name, and below it its frames root to leaf. */
uint32_t placer_waker(struct placer *placer, uint32_t hop);
/* The names of a thread's waits for a thing below `at`; the thing as above. */
uint32_t placer_names(
	struct placer *placer, uint32_t at, const struct rec_thread *thread, const char *thing);

#endif
