/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is refused because it would end a watched program, change what it does, or count something
 * else than was asked for. Each is 0, or -errno with why, which says what to ask for instead.
 */
#ifndef DWELL_KERNEL_EVENT_GUARD_H
#define DWELL_KERNEL_EVENT_GUARD_H

#include "kernel/event.h"
#include "kernel/event_file.h"

struct elf_usdt_place;
struct outside;
struct parser_function;

/* Returns, in a file whose functions are left by exceptions, or whose stacks are moved. */
int event_guard_returns(const struct event *event, struct outside *outside,
	const struct event_file *file, struct why *why);
/* Places within functions where no instruction begins. */
int event_guard_offsets(const struct event *event, struct outside *outside,
	const struct event_file *file, const struct parser_function *found, size_t count,
	struct why *why);
/* Arguments where they are no more. */
int event_guard_numbers(const struct event *event, struct why *why);
/* Marks that are on instructions which this kernel makes deadly. */
int event_guard_marks(const struct event *event, const struct elf_usdt_place *found, size_t count,
	struct why *why);

#endif
