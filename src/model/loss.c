// SPDX-License-Identifier: GPL-2.0-or-later
/* Words for losses. */
#include "model/loss.h"

#include <string.h>

/* Lines of an imported file. */
#define LINES(loss, name, what, is_serious)                                                        \
	[LOSS_LINES_##loss] = {                                                                    \
		"lines_" name, "imported lines " what, "imported line " what, is_serious}

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
	[LOSS_BARE_SAMPLES] = {"bare_samples",
		"on-CPU samples lost their stacks: table full or in use, raise --memory",
		"on-CPU sample lost its stack: table full or in use, raise --memory", true},
	[LOSS_EVENTS] = {"events",
		"events were seen and could not be kept: too many at once, or tables full (raise "
		"--memory)",
		"event was seen and could not be kept: too many at once, or tables full (raise "
		"--memory)",
		true},
	[LOSS_BARE_EVENTS] = {"bare_events",
		"events lost their stacks: too many at once, or table full (raise --memory)",
		"event lost its stack: too many at once, or table full (raise --memory)", true},
	[LOSS_ODD_VALUES] = {"odd_values",
		"events brought a number below 0, an absurd one or one that cannot be read: taken "
		"as 0",
		"event brought a number below 0, an absurd one or one that cannot be read: taken "
		"as 0",
		false},
	[LOSS_UNTRACKED_BLOCKS] = {"untracked_blocks",
		"allocations that were looked at could not be followed: not in what lives or leaks "
		"(raise --memory, or start the program with --alloc -- COMMAND)",
		"allocation that was looked at could not be followed: not in what lives or leaks "
		"(raise --memory, or start the program with --alloc -- COMMAND)",
		true},
	[LOSS_UNWATCHED_PROCESSES] = {"unwatched_processes",
		"processes whose allocations were not seen: static, set-uid, or with an allocator "
		"of their own",
		"process whose allocations were not seen: static, set-uid, or with an allocator of "
		"its own",
		true},
	[LOSS_CALL_MISMATCH] = {"call_mismatch", "calls left out: their parts do not add up",
		"call left out: its parts do not add up", true},
	[LOSS_CALLS] = {"calls",
		"calls found no room and are in no figure: raise --memory, or watch fewer "
		"functions",
		"call found no room and is in no figure: raise --memory, or watch fewer functions",
		true},
	[LOSS_BARE_CALLS] = {"bare_calls",
		"calls are counted without their threads: table nearly full, raise --memory",
		"call is counted without its thread: table nearly full, raise --memory", false},
	[LOSS_SLOW_WAITS] = {"slow_waits",
		"waits of slow calls lost their stacks: table full, raise --memory",
		"wait of a slow call lost its stacks: table full, raise --memory", true},
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
		"switches not seen, repaired at the threads' next ones",
		"switch not seen, repaired at the thread's next one", false},
	[LOSS_KERNEL_STACKS] = {"kernel_stacks", "kernel stacks could not be walked",
		"kernel stack could not be walked", true},
	[LOSS_USER_STACKS] = {"user_stacks", "user stacks could not be read",
		"user stack could not be read", false},
	[LOSS_MAPPINGS] = {"mappings", "records of new mappings lost: names may be missing",
		"record of a new mapping lost: names may be missing", false},
	[LOSS_UNWIND_TABLES] = {"unwind_tables",
		"unwind tables found no room: user stacks end early, raise --memory",
		"unwind table found no room: user stacks end early, raise --memory", false},
	[LOSS_UNKNOWN_THREADS] = {"unknown_threads",
		"intervals or events of threads never introduced",
		"interval or event of a thread never introduced", true},
	[LOSS_WRONG_STACKS] = {"wrong_stacks",
		"audits found a stack that was taken for another: others may be wrong, too",
		"audit found a stack that was taken for another: others may be wrong, too", true},
	[LOSS_CHAIN_MISMATCH] = {"chain_mismatch", "waits whose causes do not add up",
		"wait whose causes do not add up", true},
	[LOSS_CHAIN_TRUNCATED] = {"chain_truncated", "wake chains were longer than --depth",
		"wake chain was longer than --depth", false},
	[LOSS_CHAIN_OVERFLOW] = {"chain_overflow",
		"wake chains were shortened: table full, raise --memory",
		"wake chain was shortened: table full, raise --memory", true},
	[LOSS_WAKER_STACKS] = {"waker_stacks", "stacks of wakers left out (--waker-stacks-from)",
		"stack of a waker left out (--waker-stacks-from)", false},
	[LOSS_THINNED] = {"thinned",
		"stacks left out to keep to --budget: those that were kept stand for them, and "
		"[thinned] where there are none",
		"stack left out to keep to --budget: those that were kept stand for it, and "
		"[thinned] where there are none",
		false},
	[LOSS_AWAITED_FOLDED] = {"awaited_folded",
		"short waits for so many things that not all are told apart",
		"short wait for one of so many things that not all are told apart", false},
	[LOSS_AWAITED_UNNAMED] = {"awaited_unnamed",
		"waits for things whose names did not reach user space",
		"wait for a thing whose name did not reach user space", false},
	[LOSS_UNANSWERED] = {"unanswered",
		"files or stacks of other processes could not be read in time: names are missing",
		"file or stack of another process could not be read in time: names are missing",
		false},
	[LOSS_CPUS] = {"cpus",
		"CPUs came (back) after the start: of what ran there no samples, and no events but "
		"calls",
		"CPU came (back) after the start: of what ran there no samples, and no events but "
		"calls",
		false},
	[LOSS_LOGGED] = {"logged", "events were lost before the import, says the imported file",
		"event was lost before the import, says the imported file", true},
	[LOSS_OTHER_SAMPLES] = {"other_samples",
		"samples of further clocks or cycles are not in the import's running time, which "
		"is "
		"that of the first",
		"sample of a further clock or cycles is not in the import's running time, which is "
		"that of the first",
		false},
	[LOSS_UNPLACED_SAMPLES] = {"unplaced_samples",
		"imported samples have no thread and were left out",
		"imported sample has no thread and was left out", false},
	[LOSS_TOO_LARGE] = {"too_large",
		"imported intervals or samples left out: their sum is too large",
		"imported interval or sample left out: its sum is too large", true},
	LINES(BINARY, "binary", "skipped: NUL bytes", true),
	LINES(TOO_LONG, "too_long", "skipped: too long", true),
	LINES(NO_COUNT, "no_count", "skipped: no count", true),
	LINES(NEGATIVE, "negative", "skipped: a count below zero", true),
	LINES(TOO_LARGE, "too_large", "skipped: a count too large", true),
	LINES(NO_STACK, "no_stack", "skipped: no stack", true),
	LINES(NO_TIME, "no_time", "skipped: a scheduler event without time or fields", true),
	LINES(HISTOGRAM, "histogram", "skipped: a histogram or statistics", false),
	LINES(UNKNOWN, "unknown", "skipped: not understood", true),
	LINES(CUT, "cut", "kept without their outermost frames: stack too deep", true),
	[LOSS_NAMES_CUT] = {"names_cut", "imported names were cut: too long for a recording",
		"imported name was cut: too long for a recording", true},
	[LOSS_STACKS_CUT] = {"stacks_cut",
		"imported stacks lost their outermost frames: too deep for a recording",
		"imported stack lost its outermost frames: too deep for a recording", true},
	LINES(NOT_UTF8, "not_utf8", "kept with ? in names: no UTF-8", false),
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

const char *loss_words(enum loss loss, const char *stored_name, uint64_t count)
{
	if ((unsigned int)loss >= LOSSES)
		return stored_name;
	return count == 1 ? loss_text_of_one(loss) : loss_text(loss);
}

bool loss_is_serious(enum loss loss)
{
	return loss == LOSSES || ((unsigned int)loss < LOSSES && losses[loss].is_serious);
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
