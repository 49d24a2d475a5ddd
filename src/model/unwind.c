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
	[UNWIND_BROKEN] = {"code without frame pointers", "[broken]"},
	[UNWIND_FAILED] = {"unreadable", "[unreadable stack]"},
	[UNWIND_LOST] = {"lost on the way to user space", "[lost stack]"},
	[UNWIND_OVERFLOW] = {"table full", "[overflow]"},
	[UNWIND_SKIPPED] = {"not asked for", NULL},
	[UNWIND_NONE] = {"none", NULL},
	[UNWIND_EARLIER] = {"asleep since before the recording", "[asleep since before]"},
	[UNWIND_NO_WAKER_STACK] = {"waker stack skipped", "[waker stack skipped]"},
	[UNWIND_NO_TABLES] = {"process too young: its unwind tables were not loaded yet",
		"[tables not loaded yet]"},
	[UNWIND_NOT_MAPPED] = {"an address in no known mapping", "[unknown mapping]"},
	[UNWIND_NO_FILE] = {"generated code without frame pointers", "[code without file]"},
	[UNWIND_NO_CFI] = {"a file without usable unwind information", "[no unwind information]"},
	[UNWIND_GAP] = {"code that its file does not describe", "[undescribed code]"},
	[UNWIND_BAD_RULE] = {"code described in a way that is not followed", "[unusual code]"},
	[UNWIND_ABSENT] = {"a page of the stack is not in memory", "[stack page absent]"},
	[UNWIND_BACKWARDS] = {"the stack does not lead to its root", "[broken]"},
	[UNWIND_COMPAT] = {"32-bit code", "[32-bit code]"},
	[UNWIND_NO_ROOM] = {"no room for a file's unwind table: raise --memory",
		"[no room for table]"},
	[UNWIND_NOT_OPENED] = {"a file that could not be opened", "[file not opened]"},
	[UNWIND_OTHER_STACK] = {"goes on on a goroutine's stack", "[goroutine's stack]"},
	[UNWIND_DOUBTFUL] = {"may lack methods (no frame pointers)", "[methods may be missing]"},
	[UNWIND_PROBED] = {"inside a uprobe of some tool", "[uprobe]"},
	[UNWIND_THINNED] = {"left out to keep to --budget", "[thinned]"},
	[UNWIND_MORE_WAITS] = {"more waits than are kept of a slow call", "[more waits]"},
};

static const enum unwind_end of_stop[UNWIND_STOPS] = {
	[UNWIND_STOP_DONE] = UNWIND_COMPLETE,
	[UNWIND_STOP_NOPROC] = UNWIND_NO_TABLES,
	[UNWIND_STOP_NOVMA] = UNWIND_NOT_MAPPED,
	[UNWIND_STOP_ANON] = UNWIND_NO_FILE,
	[UNWIND_STOP_NOTABLE] = UNWIND_NO_CFI,
	[UNWIND_STOP_GAP] = UNWIND_GAP,
	[UNWIND_STOP_BADRULE] = UNWIND_BAD_RULE,
	[UNWIND_STOP_READ_RA] = UNWIND_ABSENT,
	[UNWIND_STOP_READ_FP] = UNWIND_ABSENT,
	[UNWIND_STOP_READ_CFA] = UNWIND_ABSENT,
	[UNWIND_STOP_SPBACK] = UNWIND_BACKWARDS,
	[UNWIND_STOP_MAXF] = UNWIND_CUT,
	[UNWIND_STOP_ZEROPC] = UNWIND_COMPLETE,
	[UNWIND_STOP_KTHREAD] = UNWIND_NONE,
	[UNWIND_STOP_EXITING] = UNWIND_NONE,
	[UNWIND_STOP_COMPAT] = UNWIND_COMPAT,
	[UNWIND_STOP_PENDING] = UNWIND_NO_TABLES,
	[UNWIND_STOP_NOROOM] = UNWIND_NO_ROOM,
	[UNWIND_STOP_NOOPEN] = UNWIND_NOT_OPENED,
	[UNWIND_STOP_SWITCH] = UNWIND_OTHER_STACK,
	[UNWIND_STOP_DOUBT] = UNWIND_DOUBTFUL,
	[UNWIND_STOP_PROBE] = UNWIND_PROBED,
};

enum unwind_end unwind_end_of(enum unwind_stop stop)
{
	return (unsigned int)stop < UNWIND_STOPS ? of_stop[stop] : UNWIND_BROKEN;
}

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
	[NAME_NO_FILE] = "the file could not be opened, or is not ELF of 64 bits",
	[NAME_NOT_MAPPED] = "the address is not mapped",
	[NAME_ANONYMOUS] = "code without a file",
	[NAME_PROCESS_GONE] = "the process ended before its mappings were read",
	[NAME_HIDDEN] = "kernel addresses are hidden (kptr_restrict)",
	[NAME_NO_ROOM] = "the files have more names than are kept",
	[NAME_NO_ANSWER] = "the file could not be read in time, or broke its reader",
	[NAME_FORBIDDEN] = "the file is not yours to read",
	[NAME_INLINED] = "inlined into its caller",
};

const char *name_reason_text(enum name_reason reason)
{
	return (unsigned int)reason < NAME_REASONS ? reasons[reason] : "unknown";
}
