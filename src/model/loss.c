// SPDX-License-Identifier: GPL-2.0-or-later
/* Words for losses. */
#include "model/loss.h"

#include <string.h>

static const struct {
	const char *name;
	const char *text;
	const char *text_of_one;
	bool is_serious;
} losses[LOSSES] = {
	[LOSS_OVERFLOW] = {"overflow", "intervals lost their stacks: table full, raise --memory",
		"interval lost its stack: table full, raise --memory", true},
	[LOSS_UNSLICED] = {"unsliced",
		"intervals are in their threads' totals only: tables full, raise --memory",
		"interval is in its thread's totals only: tables full, raise --memory", true},
	[LOSS_SAMPLES] = {"samples", "on-CPU samples found no room: raise --memory",
		"on-CPU sample found no room: raise --memory", true},
	[LOSS_STACKS] = {"stacks", "intervals whose stacks did not reach user space",
		"interval whose stack did not reach user space", true},
	[LOSS_THREAD_ENDS] = {"thread_ends", "threads ended without their totals arriving",
		"thread ended without its totals arriving", true},
	[LOSS_UNCLOSED] = {"unclosed", "threads were never closed", "thread was never closed",
		true},
	[LOSS_NO_STORAGE] = {"no_storage", "threads could not be followed: kernel memory",
		"thread could not be followed: kernel memory", true},
	[LOSS_NO_WAKER] = {"no_waker", "waits ended without a wake seen",
		"wait ended without a wake seen", false},
	[LOSS_MISSED_SWITCHES] = {"missed_switches",
		"switches not seen, made good at the threads' next ones",
		"switch not seen, made good at the thread's next one", false},
	[LOSS_KERNEL_STACKS] = {"kernel_stacks", "kernel stacks could not be walked",
		"kernel stack could not be walked", true},
	[LOSS_USER_STACKS] = {"user_stacks", "user stacks could not be read",
		"user stack could not be read", false},
	[LOSS_MAPPINGS] = {"mappings", "records of new mappings lost: names may be missing",
		"record of a new mapping lost: names may be missing", false},
	[LOSS_UNWIND_TABLES] = {"unwind_tables",
		"unwind tables found no room: user stacks end early, raise --memory",
		"unwind table found no room: user stacks end early, raise --memory", false},
	[LOSS_UNKNOWN_THREADS] = {"unknown_threads", "intervals of threads never introduced",
		"interval of a thread never introduced", true},
};

const char *loss_name(enum loss loss)
{
	return (unsigned int)loss < LOSSES ? losses[loss].name : "unknown";
}

const char *loss_text(enum loss loss)
{
	return (unsigned int)loss < LOSSES ? losses[loss].text : "unknown";
}

const char *loss_text_of_one(enum loss loss)
{
	return (unsigned int)loss < LOSSES ? losses[loss].text_of_one : "unknown";
}

bool loss_is_serious(enum loss loss)
{
	return (unsigned int)loss >= LOSSES || losses[loss].is_serious;
}

bool loss_from_name(const char *name, enum loss *ret)
{
	for (unsigned int i = 0; i < LOSSES; i++)
		if (!strcmp(losses[i].name, name)) {
			*ret = (enum loss)i;
			return true;
		}
	return false;
}
