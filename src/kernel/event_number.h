/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers that events bring: from the word that a person has for one, "bytes", "arg1", "ret", to
 * where the programs find it. Without a word (NULL) there is none.
 */
#ifndef DWELL_KERNEL_EVENT_NUMBER_H
#define DWELL_KERNEL_EVENT_NUMBER_H

#include "kernel/event.h"

struct elf_usdt_place;
struct tracepoint;

/* The arguments of a function that are needed where it is watched: bit n is argument n + 1. */
unsigned int event_arguments_needed(const struct event *event);
/* The bit of "arg1" in that; 0: it is no such word, or NULL. */
unsigned int event_argument_bit(const char *word);
/* Where the kernel stores the register of "arg1" of a call, or of a system call; false: it is no
 * such word. */
bool event_argument_offset(const char *word, bool is_of_system, uint32_t *ret);
/* 0, or -EINVAL with why, which names those that there are. */
int event_number_of_call(
	const struct event *event, const char *word, struct event_number *ret, struct why *why);
int event_number_of_mark(const struct event *event, const char *word,
	const struct elf_usdt_place *place, struct event_number *ret, struct why *why);
int event_number_of_field(const struct tracepoint *tracepoint, const char *word,
	struct event_number *ret, struct why *why);

#endif
