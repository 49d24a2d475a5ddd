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
	fixture->namer = namer_new(fixture->writer, NULL, true);
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

static void add_wait(struct fixture *fixture, uint64_t chain, uint64_t ns,
	const struct share *shares, size_t count)
{
	struct sum_key key = {
		.thread = 1, .state = TIME_BLOCKED, .task_letter = 'S', .chain = chain};
	struct wait_sum row = {.sum = {.count = 1, .ns = ns, .max_ns = ns, .first_ns = ns}};
	uint64_t bytes = offsetof(struct wait_sum, shares) + 9 * sizeof(struct share);

	memcpy(row.shares, shares, count * sizeof(*shares));
	vec_append(&fixture->batch.waits, (const char *)&bytes, sizeof(bytes));
	vec_append(&fixture->batch.waits, (const char *)&key, sizeof(key));
	vec_append(&fixture->batch.waits, (const char *)&row, bytes);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_wait_gets_its_chain_and_shares, begin, end),
		cmocka_unit_test_setup_teardown(
			a_wait_whose_chain_never_came_keeps_its_time, begin, end),
		cmocka_unit_test_setup_teardown(a_hop_that_never_came_leaves_its_kind, begin, end),
		cmocka_unit_test_setup_teardown(
			rows_without_hops_and_open_waits_have_a_chain_too, begin, end),
		cmocka_unit_test_setup_teardown(malformed_records_are_ignored, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
