// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a waker has forgotten: the kinds of time that it was, and what it was for as far as the
 * waker did it over and over.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "chain_log.h"
#include "util/units.h"

/* What A's wait came to: by the kind of metal that ended B's sleeps, and B's own. */
struct naps {
	struct log log;
	uint64_t by_metal_ns[26]; /* by letter, from 'a' on */
	uint64_t own_ns;
};

static void note_nap(const struct replay_interval *interval, void *context)
{
	struct naps *naps = context;
	const struct chain_table *table = &naps->log.result.chains;

	note(interval, &naps->log);
	if (interval->state != TIME_BLOCKED ||
		naps->log.result.threads.at[interval->thread].tid != 'A')
		return;
	const struct table_chain *chain = chain_table_get(table, interval->chain);
	naps->own_ns += interval->shares[0].ran_ns;
	if (chain->hop_count == 2)
		naps->by_metal_ns[table->links.at[chain->first + 1].waker.name - 'a'] +=
			interval->shares[1].ran_ns;
}

enum { NAPS = 500 };

/* What ends the i-th nap, and how long it is; B is awake for 4 ms after each. */
struct nap {
	char metal;
	uint64_t ms;
};

/* A waits for B, which naps `count` times; before A does, B naps `early` of these. */
static struct naps *nap_by(struct nap (*nap_of)(int number), int early, int count)
{
	struct replay_event events[3 * NAPS + 6] = {IN(0, 'A'), IN(0, 'B')};
	struct naps *naps = calloc(1, sizeof(*naps));
	size_t used = 2;
	uint64_t at = NS_PER_MS;

	assert_true(count <= NAPS);
	for (int i = 0; i < count; i++) {
		struct nap nap = nap_of(i);
		uint64_t end = at + nap.ms * NS_PER_MS;
		struct replay_event out = OUT(at - 1, 'A'),
				    one[] = {OUT(at, 'B'), TIMER(end, 'X', 'B'), IN(end, 'B')};
		if (i == early)
			events[used++] = out;
		one[1].hop_name = nap.metal;
		memcpy(events + used, one, sizeof(one));
		used += 3;
		at = end + 4 * NS_PER_MS;
	}
	struct replay_event end[] = {WAKE(at, 'B', 'A'), IN(at, 'A'), OUT(at + 5, 'B')};
	memcpy(events + used, end, sizeof(end));
	naps->log.depth = 8;
	replay_run(events, used + 3, 8, note_nap, naps, &naps->log.result);
	assert_int_equal(naps->log.result.chain_mismatches, 0);
	assert_int_equal(naps->log.blocked_ns, naps->log.shared_ns);
	return naps;
}

static void free_naps(struct naps *naps)
{
	replay_clear(&naps->log.result);
	free(naps);
}

static struct nap another(int number)
{
	return (struct nap){(char)('a' + number % 26), 6};
}

/* Of what B no longer remembers one by one, and what was not alike, the kinds of time are known. */
static void of_what_is_forgotten_the_kinds_of_time_are_known(void **state)
{
	struct naps *naps = nap_by(another, 0, NAPS);
	(void)state;

	/* Sleeps, and not the 4 ms between them. */
	assert_in_range(naps->own_ns, 1980 * NS_PER_MS, 2020 * NS_PER_MS);
	/* Of 468 that are forgotten; some kinds may be told. */
	assert_in_range(naps->log.earlier_ns, 2000 * NS_PER_MS, 2830 * NS_PER_MS);
	for (int i = 0; i < 26; i++)
		assert_true(naps->by_metal_ns[i] < 20 * 6 * NS_PER_MS * 11 / 10);
	free_naps(naps);
}

static struct nap always(int number)
{
	(void)number;
	return (struct nap){'a', 6};
}

static struct nap in_turns(int number)
{
	return (struct nap){(char)('a' + number % 4), 6};
}

static struct nap one_after_the_other(int number)
{
	return (struct nap){number < 200 ? 'a' : 'b', 6};
}

/* Of what B does again and again it is known what for, however long ago. */
static void of_habits_it_is_known_what_for(void **state)
{
	struct {
		struct nap (*nap_of)(int);
		uint64_t naps[4];
	} cases[] = {{always, {500}}, {in_turns, {125, 125, 125, 125}},
		{one_after_the_other, {200, 300}}};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct naps *naps = nap_by(cases[i].nap_of, 0, NAPS);
		assert_true(naps->log.earlier_ns < 40 * NS_PER_MS);
		for (int k = 0; k < 4; k++) {
			uint64_t ns = cases[i].naps[k] * 6 * NS_PER_MS;
			assert_in_range(naps->by_metal_ns[k], ns - ns / 50, ns + ns / 50);
		}
		free_naps(naps);
	}
}

/* Whatever B did for a minute before, what it does now is a habit soon. */
static struct nap idle_before(int number)
{
	return number < 4 ? (struct nap){(char)('w' + number), 59000} : (struct nap){'a', 6};
}

static void long_idle_waits_do_not_keep_habits_away(void **state)
{
	struct naps *naps = nap_by(idle_before, 4, 500);
	(void)state;

	assert_in_range(naps->by_metal_ns[0], 1800 * NS_PER_MS, 496 * 6 * NS_PER_MS);
	free_naps(naps);
}

/* A habit that began lately is not told of the time before. */
static struct nap long_naps_lately(int number)
{
	return number < 400 ? (struct nap){'a', 6} : (struct nap){'b', 96};
}

static void nothing_is_told_of_a_habit_before_it_began(void **state)
{
	struct naps *naps = nap_by(long_naps_lately, 0, 431);
	const uint64_t a_ns = 400 * 6 * NS_PER_MS, b_ns = 31 * 96 * NS_PER_MS;
	(void)state;

	assert_in_range(naps->by_metal_ns[0], a_ns / 2, a_ns + a_ns / 50);
	assert_in_range(naps->by_metal_ns[1], b_ns - b_ns / 50, b_ns + b_ns / 50);
	free_naps(naps);
}

/* B and C nap in turn, each in its own stack: what each forgot has the stack that was its own. */
static void a_habit_has_its_own_stack(void **state)
{
	struct replay_event events[1000] = {IN(0, 'A'), IN(0, 'B'), IN(0, 'C'), OUT(1, 'A')};
	size_t count = 4;
	uint64_t at = 10 * NS_PER_MS;
	(void)state;

	for (int i = 0; i < 150; i++, at += 10 * NS_PER_MS) {
		struct replay_event one[] = {OUT(at, 'B'), OUT(at + 1, 'C'),
			TIMER(at + 6 * NS_PER_MS, 'X', 'B'), IN(at + 6 * NS_PER_MS, 'B'),
			TIMER(at + 6 * NS_PER_MS + 1, 'X', 'C'), IN(at + 6 * NS_PER_MS + 1, 'C')};
		memcpy(events + count, one, sizeof(one));
		count += 6;
	}
	struct replay_event end[] = {WAKE(at, 'B', 'A'), IN(at, 'A'), OUT(at + 5, 'B')};
	memcpy(events + count, end, sizeof(end));
	struct log *log = replay(events, count + 3, 'A', 8);
	assert_non_null(strstr(log->text, "< t(B) "));
	assert_null(strstr(log->text, "< t(C) "));
	assert_true(log->earlier_ns < 20 * NS_PER_MS);
	replay_clear(&log->result);
	free(log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_what_is_forgotten_the_kinds_of_time_are_known),
		cmocka_unit_test(of_habits_it_is_known_what_for),
		cmocka_unit_test(long_idle_waits_do_not_keep_habits_away),
		cmocka_unit_test(nothing_is_told_of_a_habit_before_it_began),
		cmocka_unit_test(a_habit_has_its_own_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
