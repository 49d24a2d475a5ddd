// SPDX-License-Identifier: GPL-2.0-or-later
/* Chains from records of the kernel side to the recording, with no kernel in sight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/awaited.h"
#include "capture/books.h"
#include "capture/chains.h"
#include "recording/reader.h"

#define START 1000000000ULL
#define SLICE 100000000ULL
#define HOP(number, kind) ((uint64_t)(number) << CONTRACT_HOP_KIND_BITS | (kind))

struct fixture {
	char path[64];
	struct recording_writer *writer;
	struct namer *namer;
	struct books *books;
	struct batch batch;
};

static int begin(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));
	struct rec_meta meta = {.dwell_version = "test",
		.host = "",
		.kernel_release = "",
		.target = "",
		.command_line = "",
		.sample_event = "",
		.user_stacks = "fp",
		.chain_depth = 8,
		.slice_ns = SLICE,
		.window_ns = 10 * SLICE};
	struct record_thread thread = {
		.kind = RECORD_THREAD, .thread = 1, .tid = 1, .pid = 1, .is_kernel_thread = true};

	strcpy(fixture->path, "/tmp/dwell-chains-XXXXXX");
	close(mkstemp(fixture->path));
	if (recording_writer_new(fixture->path, &fixture->writer, NULL))
		return -1;
	recording_writer_put_meta(fixture->writer, &meta);
	fixture->namer = namer_new(fixture->writer, NULL, NULL, true);
	fixture->books = books_new(fixture->writer, fixture->namer, SLICE, 8);
	books_set_start(fixture->books, START);
	uint64_t length = sizeof(thread);
	vec_append(&fixture->batch.records, (const char *)&length, sizeof(length));
	vec_append(&fixture->batch.records, (const char *)&thread, sizeof(thread));
	*state = fixture;
	return 0;
}

static int end(void **state)
{
	struct fixture *fixture = *state;

	books_free(fixture->books);
	namer_free(fixture->namer);
	recording_writer_free(fixture->writer);
	unlink(fixture->path);
	vec_clear(&fixture->batch.records);
	vec_clear(&fixture->batch.rows);
	vec_clear(&fixture->batch.waits);
	vec_clear(&fixture->batch.open);
	free(fixture);
	return 0;
}

static void add_record(struct fixture *fixture, const void *record, uint64_t length)
{
	vec_append(&fixture->batch.records, (const char *)&length, sizeof(length));
	vec_append(&fixture->batch.records, (const char *)record, length);
	vec_append(&fixture->batch.records, "\0\0\0\0\0\0\0", -length & 7);
}

static void add_hop(struct fixture *fixture, uint64_t id, const char *name, uint64_t value)
{
	struct record_hop hop = {.kind = RECORD_HOP,
		.hop_kind = id & ((1 << CONTRACT_HOP_KIND_BITS) - 1),
		.id = id,
		.value = value};

	strncpy(hop.name, name, sizeof(hop.name) - 1);
	add_record(fixture, &hop, sizeof(hop));
}

static void add_chain(struct fixture *fixture, uint64_t id, enum chain_end chain_end,
	uint32_t hop_count, const uint64_t *hops)
{
	struct record_chain chain = {
		.kind = RECORD_CHAIN, .end = chain_end, .hop_count = hop_count, .id = id};

	for (uint32_t i = 0; i < hop_count; i++)
		chain.links[i].hop = hops[i];
	add_record(fixture, &chain,
		offsetof(struct record_chain, links) + hop_count * sizeof(struct chain_link));
}

/* One that goes on with another. */
static void add_joined(struct fixture *fixture, uint64_t id, uint64_t hop, uint64_t suffix)
{
	struct record_chain chain = {.kind = RECORD_CHAIN,
		.hop_count = 1,
		.id = id,
		.suffix = suffix,
		.links = {{hop, 0}}};

	add_record(fixture, &chain, offsetof(struct record_chain, links[1]));
}

static void add_part(struct fixture *fixture, uint64_t chain, uint64_t ns,
	const struct share *shares, size_t count, bool is_part)
{
	struct sum_key key = {.thread = 1,
		.state = TIME_BLOCKED,
		.task_letter = 'S',
		.chain = chain,
		.is_part = is_part};
	struct wait_sum row = {.sum = {.count = 1, .ns = ns, .max_ns = ns, .first_ns = ns}};
	uint64_t bytes = offsetof(struct wait_sum, shares) + 9 * sizeof(struct share);

	memcpy(row.shares, shares, count * sizeof(*shares));
	vec_append(&fixture->batch.waits, (const char *)&bytes, sizeof(bytes));
	vec_append(&fixture->batch.waits, (const char *)&key, sizeof(key));
	vec_append(&fixture->batch.waits, (const char *)&row, bytes);
}

static void add_wait(struct fixture *fixture, uint64_t chain, uint64_t ns,
	const struct share *shares, size_t count)
{
	add_part(fixture, chain, ns, shares, count, false);
}

static struct recording *finished(struct fixture *fixture)
{
	struct recording *recording = NULL;
	struct why why = {""};

	books_add(fixture->books, &fixture->batch);
	books_close_rest(fixture->books);
	assert_int_equal(recording_writer_finish(fixture->writer, &why), 0);
	if (recording_open(fixture->path, &recording, &why))
		fail_msg("%s", why.text);
	return recording;
}

static int keep_shares(const struct rec_row *row, void *context)
{
	struct rec_share *shares = context;

	if (row->sum.share_count)
		memcpy(shares, row->sum.shares, row->sum.share_count * sizeof(*shares));
	return 0;
}

static void a_wait_gets_its_chain_and_shares(void **state)
{
	struct fixture *fixture = *state;
	const uint64_t ids[] = {HOP(7, HOP_TASK), HOP(8, HOP_SOFTIRQ)};
	const struct share shares[] = {{10, 20, 30}, {40, 0, 0}, {0, 0, 0}};
	struct rec_share got[CONTRACT_MAX_HOPS + 1] = {{0}};
	size_t count;

	add_hop(fixture, ids[0], "baker", 0);
	add_hop(fixture, ids[1], "", 3);
	add_chain(fixture, 100, CHAIN_METAL, 2, ids);
	add_wait(fixture, 100, 100, shares, 3);
	struct recording *recording = finished(fixture);
	const struct rec_linked_chain *chains = recording_chains(recording, &count);
	assert_int_equal(count, 1);
	assert_int_equal(chains[0].hop_count, 2);
	assert_int_equal(chains[0].end, CHAIN_METAL);
	const struct rec_chain_hop *hops = recording_hops(recording, &count);
	assert_int_equal(count, 2);
	assert_string_equal(hops[0].name, "baker");
	assert_int_equal(hops[1].kind, HOP_SOFTIRQ);
	assert_string_equal(hops[1].name, "NET_RX");
	recording_each_row(recording, keep_shares, got, NULL);
	assert_int_equal(got[0].earlier_ns, 30);
	assert_int_equal(got[1].ran_ns, 40);
	recording_free(recording);
}

static void a_wait_whose_chain_never_came_keeps_its_time(void **state)
{
	struct fixture *fixture = *state;
	const struct share shares[] = {{100, 0, 0}};
	struct books_totals totals;
	size_t count;

	add_wait(fixture, 4711, 100, shares, 1);
	struct recording *recording = finished(fixture);
	books_totals(fixture->books, &totals);
	assert_int_equal(totals.lost_chains, 1);
	assert_int_equal(totals.lost_chains_ns, 100);
	assert_int_equal(totals.waits, 1);
	const struct rec_linked_chain *chains = recording_chains(recording, &count);
	assert_int_equal(count, 1);
	assert_int_equal(chains[0].end, CHAIN_OVERFLOW);
	recording_free(recording);
}

static void a_hop_that_never_came_leaves_its_kind(void **state)
{
	struct fixture *fixture = *state;
	const uint64_t ids[] = {HOP(9, HOP_TASK)};
	const struct share shares[] = {{60, 0, 0}, {40, 0, 0}};
	size_t count;

	add_chain(fixture, 200, CHAIN_DEPTH_LIMIT, 1, ids);
	add_wait(fixture, 200, 100, shares, 2);
	struct recording *recording = finished(fixture);
	const struct rec_chain_hop *hops = recording_hops(recording, &count);
	assert_int_equal(count, 1);
	assert_int_equal(hops[0].kind, HOP_TASK);
	assert_int_equal(hops[0].kernel_end, UNWIND_LOST);
	recording_free(recording);
}

static void rows_without_hops_and_open_waits_have_a_chain_too(void **state)
{
	struct fixture *fixture = *state;
	struct kernel_row row = {.key = {.thread = 1,
					 .state = TIME_BLOCKED,
					 .chain = CONTRACT_CHAIN_OF_END(CHAIN_NO_WAKER)},
		.sum = {.count = 1, .ns = 30, .max_ns = 30, .first_ns = 30}};
	struct thread_now now = {.thread = 1,
		.open_state = TIME_BLOCKED,
		.since_ns = START + 30,
		.total_ns = {[TIME_BLOCKED] = 30}};
	bool has_no_waker = false, has_not_woken = false;
	size_t count;

	vec_push(&fixture->batch.rows, row);
	books_add(fixture->books, &fixture->batch);
	fixture->batch.records.count = fixture->batch.rows.count = 0;
	vec_push(&fixture->batch.open, now);
	books_close(fixture->books, &fixture->batch, START + SLICE);
	struct recording *recording = finished(fixture);
	const struct rec_linked_chain *chains = recording_chains(recording, &count);
	for (size_t i = 0; i < count; i++) {
		has_no_waker |= chains[i].end == CHAIN_NO_WAKER && !chains[i].hop_count;
		has_not_woken |= chains[i].end == CHAIN_NOT_WOKEN && !chains[i].hop_count;
	}
	assert_true(has_no_waker && has_not_woken);
	recording_free(recording);
}

static void chains_go_on_with_others(void **state)
{
	struct fixture *fixture = *state;
	const uint64_t ids[] = {HOP(1, HOP_TASK), HOP(2, HOP_TASK), HOP(3, HOP_TIMER)};
	const struct share shares[] = {{10, 0, 0}, {20, 0, 0}, {70, 0, 0}, {0, 0, 0}};
	const struct share rest[] = {{10, 0, 0}, {90, 0, 0}};
	struct books_totals totals;
	size_t count;

	add_hop(fixture, ids[0], "outer", 0);
	add_hop(fixture, ids[1], "inner", 0);
	/* In the order in which they may come: what a chain goes on with can be later. */
	add_joined(fixture, 100, ids[0], 200);
	add_joined(fixture, 200, ids[1], 300);
	add_chain(fixture, 300, CHAIN_METAL, 1, &ids[2]);
	add_joined(fixture, 400, ids[0], CONTRACT_CHAIN_OF_END(CHAIN_NO_WAKER));
	add_chain(fixture, 500, CHAIN_METAL, 1, &ids[2]);
	add_part(fixture, 100, 100, shares, 4, true);
	add_part(fixture, 400, 100, rest, 2, false);
	struct recording *recording = finished(fixture);
	const struct rec_linked_chain *chains = recording_chains(recording, &count);
	/* Only what a row has is written. */
	assert_int_equal(count, 2);
	const struct rec_linked_chain *whole = &chains[chains[0].hop_count == 3 ? 0 : 1];
	const struct rec_linked_chain *open = &chains[chains[0].hop_count == 3 ? 1 : 0];
	assert_int_equal(whole->hop_count, 3);
	assert_int_equal(whole->end, CHAIN_METAL);
	assert_int_equal(open->hop_count, 1);
	assert_int_equal(open->end, CHAIN_NO_WAKER);
	const struct rec_chain_hop *hops = recording_hops(recording, &count);
	assert_string_equal(hops[whole->first_hop].name, "outer");
	assert_string_equal(hops[whole->first_hop + 1].name, "inner");
	assert_int_equal(hops[whole->first_hop + 2].kind, HOP_TIMER);
	/* Two intervals were credited, but it is one wait. */
	books_totals(fixture->books, &totals);
	assert_int_equal(totals.rows, 2);
	assert_int_equal(totals.waits, 1);
	assert_int_equal(totals.lost_chains_ns, 0);
	recording_free(recording);
}

static void what_is_beyond_the_depth_is_cut_off(void **state)
{
	struct fixture *fixture = *state;
	const uint64_t ids[] = {HOP(1, HOP_TASK), HOP(2, HOP_TASK), HOP(3, HOP_TASK),
		HOP(4, HOP_TASK), HOP(5, HOP_TASK), HOP(6, HOP_TASK), HOP(7, HOP_TASK),
		HOP(8, HOP_TASK)};
	const struct share shares[9] = {[0] = {40, 0, 0}, [8] = {60, 0, 0}};
	size_t count;

	add_chain(fixture, 300, CHAIN_AWAKE, 8, ids);
	add_joined(fixture, 100, ids[7], 300);
	add_wait(fixture, 100, 100, shares, 9);
	struct recording *recording = finished(fixture);
	const struct rec_linked_chain *chains = recording_chains(recording, &count);
	assert_int_equal(count, 1);
	assert_int_equal(chains[0].hop_count, 8);
	assert_int_equal(chains[0].end, CHAIN_DEPTH_LIMIT);
	recording_free(recording);
}

static void a_chain_that_cannot_go_on_keeps_the_time(void **state)
{
	struct fixture *fixture = *state;
	const uint64_t hop = HOP(1, HOP_TASK);
	const struct share shares[] = {{60, 0, 0}, {40, 0, 0}};
	const struct share too_few[] = {{60, 0, 0}};
	struct books_totals totals;
	size_t count;

	add_joined(fixture, 100, hop, 4711);
	add_wait(fixture, 100, 100, shares, 2);
	/* One that leads to itself ends at the depth, and its shares are wrong. */
	add_joined(fixture, 200, hop, 200);
	add_wait(fixture, 200, 100, too_few, 1);
	struct recording *recording = finished(fixture);
	books_totals(fixture->books, &totals);
	assert_int_equal(totals.lost_chains, 2);
	assert_int_equal(totals.lost_chains_ns, 200);
	assert_int_equal(totals.rows_ns, 200);
	recording_chains(recording, &count);
	assert_true(count >= 1);
	recording_free(recording);
}

static void malformed_records_are_ignored(void **state)
{
	struct fixture *fixture = *state;
	struct record_chain chain = {
		.kind = RECORD_CHAIN, .end = CHAIN_ENDS, .hop_count = 1, .id = 300};
	struct record_hop hop = {.kind = RECORD_HOP, .hop_kind = HOP_KINDS, .id = 1};
	struct books_totals totals;
	size_t count;

	add_record(fixture, &chain, sizeof(chain));
	chain.end = CHAIN_AWAKE;
	add_record(fixture, &chain, offsetof(struct record_chain, links));
	add_record(fixture, &chain, 4);
	chain.hop_count = 1000000;
	add_record(fixture, &chain, sizeof(chain));
	add_record(fixture, &hop, sizeof(hop));
	add_record(fixture, &hop, 8);
	books_totals(fixture->books, &totals);
	struct recording *recording = finished(fixture);
	recording_chains(recording, &count);
	assert_int_equal(count, 0);
	recording_free(recording);
}

/* Each process has chains of its own, and there is no end of processes. */
static void chains_that_nobody_meets_are_forgotten(void **state)
{
	enum { MANY = 100000, OLD = 300 };
	struct fixture *fixture = *state;
	struct awaited_things *things = awaited_new(fixture->writer, fixture->namer);
	struct chains *chains = chains_new(fixture->writer, fixture->namer, things, 8);
	struct record_chain chain = {.kind = RECORD_CHAIN, .end = CHAIN_AWAKE};
	struct chain_found found;

	for (chain.id = 1000; chain.id < 1000 + MANY; chain.id++)
		chains_add(chains, &chain, sizeof(chain));
	for (int age = 0; age < OLD; age++) {
		assert_true(chains_find(chains, 1000, &found));
		chains_age(chains);
	}
	assert_true(chains_find(chains, 1000, &found));
	assert_false(chains_find(chains, 1001, &found));
	chains_free(chains);
	awaited_free(things);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_wait_gets_its_chain_and_shares, begin, end),
		cmocka_unit_test_setup_teardown(
			a_wait_whose_chain_never_came_keeps_its_time, begin, end),
		cmocka_unit_test_setup_teardown(a_hop_that_never_came_leaves_its_kind, begin, end),
		cmocka_unit_test_setup_teardown(
			rows_without_hops_and_open_waits_have_a_chain_too, begin, end),
		cmocka_unit_test_setup_teardown(chains_go_on_with_others, begin, end),
		cmocka_unit_test_setup_teardown(what_is_beyond_the_depth_is_cut_off, begin, end),
		cmocka_unit_test_setup_teardown(
			a_chain_that_cannot_go_on_keeps_the_time, begin, end),
		cmocka_unit_test_setup_teardown(malformed_records_are_ignored, begin, end),
		cmocka_unit_test_setup_teardown(chains_that_nobody_meets_are_forgotten, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
