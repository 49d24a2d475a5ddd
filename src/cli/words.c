// SPDX-License-Identifier: GPL-2.0-or-later
/* The glossary. dwell(1) says the same at length. */
#include "cli/words.h"

#include <stdio.h>

#include "util/mem.h"

#define WORD_COLUMNS 18

static const struct {
	const char *word, *meaning;
} words[] = {
	{"running", "the thread had a CPU"},
	{"no CPU", "it was ready to run, but no CPU had come to it yet"},
	{"behind X", "(of no CPU) X had the CPU that it was ready for"},
	{"until an idle CPU", "(had woken up) the CPU was free, but asleep itself"},
	{"CPU quota", "a limit of its cgroup that keeps a ready thread from free CPUs"},
	{"blocked", "it waited for something that was not a CPU"},
	{"wait", "from the moment it stops to the moment it is made ready again"},
	{"idle", "a wait of a thread that has nothing to do; it is set aside"},
	{"never woken", "idle: the wait had not ended when the recording did"},
	{"own timers", "idle: a timer that the thread had set ended it"},
	{"kernel threads", "idle: in the main loop of a kernel thread"},
	{"parked workers", "idle: a worker of a pool that got no work"},
	{"for X", "X ended the wait; what follows is what X did meanwhile"},
	{"held by X", "the same for a lock: X had it all that time"},
	{"through Y", "Y passed the end of the wait on, but did not hold it up"},
	{"running", "(of X) X had a CPU and worked"},
	{"without a CPU", "X was ready to work, but had no CPU"},
	{"asleep in f", "X slept of its own accord; the function f asked for it"},
	{"in fsync (f)", "X was itself in that system call, which f had called"},
	{"see 3", "entry 3 of the list tells more"},
	{"the network", "a packet came in from outside, or through a local socket"},
	{"its own timer", "it had a timeout, and that passed"},
	{"timed out", "a try for a lock that was given up and made again"},
	{"stuck", "it waited for a lock to the end, and nobody gave it back"},
	{"not explained", "who or what it was for is not known, with the reason why"},
	{"too far back", "a waker remembers some 30 of its waits; this was before them"},
	{"elsewhere", "small parts of waits whose large ones have their own entries"},
	{"waker, chain", "who ended a wait; who ended the waker's own wait, and so on"},
	{"accounted", "share of all threads' lives that is in the recording"},
	{"lost, noted", "detail that could not be kept; what was missed and made good"},
};

void print_words(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		printf("%-*s%s\n", WORD_COLUMNS, words[i].word, words[i].meaning);
	puts("\nReasons (disk, futex, ...) and all options: man dwell, man dwell-report.");
}
