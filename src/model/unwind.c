// SPDX-License-Identifier: GPL-2.0-or-later
/* Texts of the reason codes. */
#include "model/unwind.h"

#include <stddef.h>

static const struct {
	const char *text;
	const char *frame;
} ends[UNWIND_ENDS] = {
	[UNWIND_COMPLETE] = {"complete", NULL},
	[UNWIND_CUT] = {"cut at the frame limit", "[cut]"},
	[UNWIND_BROKEN] = {"broken: code without frame pointers", "[broken]"},
	[UNWIND_FAILED] = {"unreadable", "[unreadable stack]"},
	[UNWIND_LOST] = {"lost on the way to user space", "[lost stack]"},
	[UNWIND_OVERFLOW] = {"table full", "[overflow]"},
	[UNWIND_SKIPPED] = {"not asked for", NULL},
	[UNWIND_NONE] = {"none", NULL},
	[UNWIND_EARLIER] = {"asleep since before the recording", "[asleep since before]"},
	[UNWIND_NO_WAKER_STACK] = {"waker stack skipped", "[waker stack skipped]"},
};

const char *unwind_end_text(enum unwind_end end)
{
	return (unsigned int)end < UNWIND_ENDS ? ends[end].text : "unknown";
}

const char *unwind_end_frame(enum unwind_end end)
{
	return (unsigned int)end < UNWIND_ENDS ? ends[end].frame : NULL;
}

static const char *const reasons[NAME_REASONS] = {
	[NAME_OK] = "named",
	[NAME_NO_SYMBOL] = "no symbol covers the address",
	[NAME_STRIPPED] = "the file has no symbols",
	[NAME_NO_FILE] = "the file could not be opened",
	[NAME_NOT_MAPPED] = "the address is not mapped",
	[NAME_ANONYMOUS] = "code without a file",
	[NAME_PROCESS_GONE] = "the process ended before its mappings were read",
	[NAME_HIDDEN] = "kernel addresses are hidden (kptr_restrict)",
};

const char *name_reason_text(enum name_reason reason)
{
	return (unsigned int)reason < NAME_REASONS ? reasons[reason] : "unknown";
}
