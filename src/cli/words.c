// SPDX-License-Identifier: GPL-2.0-or-later
/* The glossary. dwell(1) says the same at length. */
#include "cli/words.h"

#include <stdio.h>

#include "cli/terminal.h"
#include "render/layout.h"
#include "util/mem.h"

#define WORD_COLUMNS 20
#define WIDEST_COLUMNS 80

static const struct {
	const char *word, *meaning;
} words[] = {
	{"running", "the thread had a CPU"},
	{"no CPU", "ready to run, but not given a CPU"},
	{"behind X", "(of no CPU) meanwhile X had the CPU"},
	{"waking an idle CPU", "(of no CPU) the CPU was free, but asleep itself"},
	{"CPU quota", "limit of its cgroup (cpu.max) that holds a ready thread back"},
	{"blocked", "it waited for something that was not a CPU"},
	{"wait", "from when it stops to when it is made ready again"},
	{"idle", "a wait that looks like nothing to do; set aside"},
	{"never woken", "idle: the wait had not ended when the recording did"},
	{"own timers", "idle: a timer that the thread had set ended it"},
	{"kernel threads", "idle: in the main loop of a kernel thread"},
	{"parked workers", "idle: hardly ran, and waited for work; see dwell(1)"},
	{"for X", "X ended the wait; what follows is what X did meanwhile"},
	{"held by X", "the same for a lock: X had it for that share"},
	{"through Y", "Y only passed the wake on; it was not the cause"},
	{"running (of X)", "X had a CPU and worked"},
	{"12 % in f", "(of computing) share of its samples in f, or what f had done"},
	{"mostly f", "half or more of the samples of such threads were in f"},
	{"without a CPU", "X was ready to work, but had no CPU"},
	{"asleep in f", "X slept of its own accord; the function f asked for it"},
	{"in fsync (f)", "X was itself in that system call, which f had called"},
	{"see 3", "entry 3 of the list tells more"},
	{"the network", "a packet came in from outside, or through a local socket"},
	{"its own timer", "it had a timeout, and that passed"},
	{"timed out", "gave up on a lock and tried again"},
	{"of F, for F", "F is what was waited for: a file, a socket, a lock, ..."},
	{"other things", "the same wait for other, smaller things"},
	{"stuck", "it waited for a lock until the recording ended"},
	{"Deadlock", "each of these threads waits for a lock that the next one has"},
	{"found it with X", "X had the lock when that wait began"},
	{"still waiting", "the part of it that had not ended when the recording did"},
	{"not explained", "who or what it was for is not known, with the reason why"},
	{"too far back", "a waker remembers 30 waits, and what it does over and over"},
	{"not watched then", "a waker is watched once it has woken a target"},
	{"elsewhere", "the same wait from other, smaller places"},
	{"after a wake", "(of no CPU) it had been woken; preempted: it had to leave"},
	{"10u..1s", "time by length of wait, from 10 us to 1 s: # half, = a fifth"},
	{"waker, chain", "who ended a wait; who ended the waker's own wait, and so on"},
	{"call", "of a function that was watched: from its beginning to its return"},
	{"slow (of calls)", "took --slower or more; by default the longest of a hundred"},
	{"the others", "all calls of that function that were not slow"},
	{"more waits", "earlier waits of a slow call, more than are kept of one"},
	{"accounted", "share of all threads' time that is recorded"},
	{"lost", "detail that could not be kept"},
	{"noted", "what was missed and repaired, or left out on purpose"},
};

void print_words(void)
{
	size_t columns = terminal_columns(WIDEST_COLUMNS);

	if (columns > WIDEST_COLUMNS)
		columns = WIDEST_COLUMNS;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		printf("%-*s", WORD_COLUMNS, words[i].word);
		layout_wrap(stdout, words[i].meaning, columns, WORD_COLUMNS, WORD_COLUMNS);
	}
	putchar('\n');
	layout_wrap(stdout,
		"Reasons (disk, futex, ...) and all options: man dwell, man dwell-report.", columns,
		0, 0);
}
