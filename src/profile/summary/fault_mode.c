// SPDX-License-Identifier: GPL-2.0-or-later
/* User or kernel: by the frame at the root of the kernel stack. */
#include "profile/summary/fault_mode.h"

#include <string.h>

#include "util/mem.h"
#include "util/text.h"

const char *fault_mode_name(enum fault_mode mode)
{
	static const char *const names[FAULT_MODES] = {"user", "kernel", "untold"};

	return (unsigned int)mode < FAULT_MODES ? names[mode] : names[FAULT_UNTOLD];
}

/* What the kernel is in when a fault of user mode has entered it: on x86 and arm64, and what comes
 * next, for stacks that begin later. */
static bool is_entry_of_fault(const char *name)
{
	static const char *const patterns[] = {"asm_exc_*", "exc_page_fault", "do_user_addr_fault",
		"el0_da*", "el0_ia*", "do_mem_abort", "do_page_fault", "do_translation_fault",
		"handle_mm_fault", "__handle_mm_fault"};

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
		if (text_matches_glob(name, patterns[i]))
			return true;
	return false;
}

/* Where arm64 begins whatever brought it into the kernel: the next one tells. */
static bool is_any_entry(const char *name)
{
	return !strcmp(name, "el0t_64_sync") || !strcmp(name, "el0t_64_sync_handler") ||
	       !strcmp(name, "el0t_32_sync") || !strcmp(name, "el0t_32_sync_handler");
}

/* The outermost frame that tells; "" if none does. */
static const char *outermost(const struct recording *recording, uint32_t node)
{
	size_t unused;
	const struct rec_node *nodes = recording_nodes(recording, &unused);
	const struct rec_named_frame *frames = recording_frames(recording, &unused);
	const char *name = "";

	for (; node != REC_NONE; node = nodes[node].parent) {
		const char *here = frames[nodes[node].frame].name;
		if (!is_any_entry(here))
			name = here;
	}
	return name;
}

static bool is_entry_of_interrupt(const char *name)
{
	static const char *const patterns[] = {"asm_common_interrupt", "asm_sysvec_*",
		"asm_exc_nmi", "el1h_64_irq*", "el0t_64_irq*", "el1_irq*", "el0_irq*"};

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
		if (text_matches_glob(name, patterns[i]))
			return true;
	return false;
}

/* On its way back an interrupt lets the thread be what it was: it gives the CPU away, or handles
 * its signals. Softirqs come before that. */
static bool is_exit_of_interrupt(const char *name)
{
	static const char *const patterns[] = {"irqentry_exit*", "raw_irqentry_exit*",
		"exit_to_user_mode*", "arch_exit_to_user_mode*", "preempt_schedule_irq",
		"el1_preempt*", "ret_to_user"};

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
		if (text_matches_glob(name, patterns[i]))
			return true;
	return false;
}

bool event_is_in_interrupt(const struct recording *recording, const struct rec_stacks *stacks)
{
	size_t unused;
	const struct rec_node *nodes = recording_nodes(recording, &unused);
	const struct rec_named_frame *frames = recording_frames(recording, &unused);

	bool is_exit = false;

	for (uint32_t node = stacks->kernel_node; node != REC_NONE; node = nodes[node].parent) {
		const char *name = frames[nodes[node].frame].name;
		if (is_exit_of_interrupt(name)) {
			is_exit = true;
		} else if (is_entry_of_interrupt(name)) {
			if (!is_exit)
				return true;
			is_exit = false;
		}
	}
	return false;
}

enum fault_mode fault_mode_of(const struct recording *recording, const struct rec_stacks *stacks)
{
	if (stacks->kernel_node == REC_NONE)
		return stacks->kernel_end == UNWIND_NONE ? FAULT_IN_USER : FAULT_UNTOLD;
	return is_entry_of_fault(outermost(recording, stacks->kernel_node)) ? FAULT_IN_USER
									    : FAULT_IN_KERNEL;
}
