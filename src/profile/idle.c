// SPDX-License-Identifier: GPL-2.0-or-later
/* Which waits are idle: dwell(1) has the rules in words. */
#include <string.h>

#include "profile/selection_private.h"

const char *idle_kind_name(enum idle_kind kind)
{
	static const char *const kind_names[IDLE_KINDS] = {
		"", "unended", "main_loop", "own_timer", "parked"};

	return (unsigned int)kind < IDLE_KINDS ? kind_names[kind] : "";
}

/*
 * Did the thread's own timer end the wait? Where the waker is known it decides: a timer, whatever
 * the thread slept in, or somebody else although it slept in nanosleep (a signal). Interrupts are
 * not always told from timers.
 */
static bool ends_by_own_timer(
	const struct selection *selection, const struct rec_row *row, const struct meaning *meaning)
{
	size_t unused;
	const struct rec_linked_chain *chains = recording_chains(selection->recording, &unused);
	const struct rec_chain_hop *hops = recording_hops(selection->recording, &unused);

	if (row->chain == REC_NONE || !chains[row->chain].hop_count)
		return meaning->is_own_timer;
	const struct rec_chain_hop *waker = &hops[chains[row->chain].first_hop];
	if (hop_is_own_timer(waker->kind, waker->name))
		return true;
	return meaning->is_own_timer && hop_kind_is_metal(waker->kind);
}

/* Sleeps that others wait for, of which this part or more is waited for, are not idle. */
#define AWAITED_PART 10
/* Where threads end this part or more of the time at a place, its timeouts are tries of one wait.
 */
#define RETRIED_PART 10
/* And only if they come one soon after the other. */
#define RETRIED_MOST_NS 100000000ULL

/*
 * Is a wait that its own timer ended nevertheless a wait? So it is if others waited for its end,
 * and if it is one of several tries: a lock or condition at whose place threads end other waits.
 */
static bool is_wait_with_timeout(
	const struct selection *selection, const struct rec_row *row, const struct meaning *meaning)
{
	struct sleep_facts facts =
		sleeps_find(&selection->sleeps, selection->threads[row->thread_index].comm,
			row->stacks.kernel_node, row->stacks.user_node);

	/* Event loops that wait with a timeout for each other have nothing to do. */
	if (meaning->reason != REASON_SLEEP)
		facts.awaited_ns -= facts.loop_ns;
	if (facts.awaited_ns >= facts.ns / AWAITED_PART && facts.awaited_ns)
		return true;
	return meaning->reason == REASON_FUTEX && row->sum.max_ns < RETRIED_MOST_NS &&
	       facts.thread_ns && facts.thread_ns >= facts.ns / RETRIED_PART;
}

/* Reasons for which nobody waits of his own accord. */
static bool is_never_idle(enum reason reason, char letter)
{
	return letter == 'D' || reason == REASON_LOCK || reason == REASON_DISK ||
	       reason == REASON_JOURNAL || reason == REASON_KERNEL || reason == REASON_STOPPED ||
	       reason == REASON_FAULT || reason == REASON_VFORK;
}

/* A thread that ran less than this part of its life, and was blocked for all but this, did nothing.
 */
#define HARDLY_RAN 100
#define HARDLY_AWAKE 10
/* Who ends in this last part of the window ends with its process, mostly. */
#define LAST_PART 20

/* A wait of this part of the window or more is a worker's for work. */
#define LONG_PART 4

/*
 * Was a thread that lives on given work when this wait ended? Not if one of its own kind ended it,
 * as a lock goes from hand to hand, nor if it had to wait for somebody's sleep.
 */
static bool is_given_work(struct selection *selection, const struct rec_row *row, const char *comm)
{
	size_t unused;
	const struct rec_linked_chain *chains = recording_chains(selection->recording, &unused);
	const struct rec_chain_hop *hops = recording_hops(selection->recording, &unused);
	const struct rec_linked_chain *chain = row->chain == REC_NONE ? NULL : &chains[row->chain];

	if (row->is_unended ||
		row->sum.max_ns >= recording_meta(selection->recording)->window_ns / LONG_PART)
		return true;
	if (!chain || !chain->hop_count || !strcmp(hops[chain->first_hop].name, comm))
		return false;
	return chain->hop_count < 2 ||
	       selection_waited(selection, &hops[chain->first_hop + 1]).reason != REASON_SLEEP;
}

/*
 * Is it a worker that got no work, and was woken only to end with its process? It is not the main
 * thread, hardly ran, and waited for what its program gives out: a condition, a queue. Of one that
 * lives on, the wait must look like one for work.
 */
static bool is_parked(
	struct selection *selection, const struct rec_row *row, const struct meaning *meaning)
{
	const struct rec_thread *thread = &selection->threads[row->thread_index];
	const struct rec_process *process = recording_process_of(selection->recording, thread);
	uint64_t window_ns = recording_meta(selection->recording)->window_ns;
	uint64_t life_ns = thread->end_ns - thread->start_ns;

	return (meaning->reason == REASON_FUTEX || meaning->reason == REASON_POLL) &&
	       thread->is_closed && thread->tid != process->pid &&
	       thread->end_ns >= window_ns - window_ns / LAST_PART && life_ns >= window_ns / 2 &&
	       thread->total_ns[TIME_RUNNING] <= life_ns / HARDLY_RAN &&
	       thread->total_ns[TIME_BLOCKED] >= life_ns - life_ns / HARDLY_AWAKE &&
	       (thread->end_ns < window_ns || is_given_work(selection, row, thread->comm));
}

enum idle_kind selection_idle(struct selection *selection, const struct rec_row *row,
	const struct meaning *meaning, enum known_kind known)
{
	if (meaning->reason == REASON_KTHREAD)
		return IDLE_MAIN_LOOP;
	if (is_never_idle(meaning->reason, row->sum.task_letter) || known == KNOWN_LOCK ||
		known == KNOWN_ASKED)
		return IDLE_NOT;
	if (known == KNOWN_PARKED || (known != KNOWN_OTHERS && is_parked(selection, row, meaning)))
		return IDLE_PARKED;
	if (ends_by_own_timer(selection, row, meaning))
		return is_wait_with_timeout(selection, row, meaning) ? IDLE_NOT : IDLE_OWN_TIMER;
	return row->is_unended ? IDLE_UNENDED : IDLE_NOT;
}
