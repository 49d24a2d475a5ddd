// SPDX-License-Identifier: GPL-2.0-or-later
/* Chains of wakers and their shares are read back; one that cannot be is not written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "recording_sample.h"

static int check_shares(const struct rec_row *row, void *context)
{
	const struct recording *recording = context;
	size_t count;
	const struct rec_linked_chain *chains = recording_chains(recording, &count);

	if (row->sum.chain == SAMPLE_CHAIN) {
		assert_int_equal(row->sum.share_count, 3);
		assert_memory_equal(row->sum.shares, sample_shares, sizeof(sample_shares));
	} else if (row->sum.chain) {
		assert_int_equal(chains[row->chain].end, CHAIN_NOT_WOKEN);
		assert_int_equal(row->sum.share_count, 1);
		assert_int_equal(row->sum.shares[0].ran_ns, row->sum.ns);
	} else {
		assert_int_equal(row->sum.share_count, 0);
	}
	return 0;
}

static void chains_come_back_with_their_shares(void **state)
{
	const struct place *place = *state;
	struct why why = {""};
	size_t count;

	for (int is_finished = 0; is_finished < 2; is_finished++) {
		if (is_finished)
			sample_write(place->path);
		else
			sample_write_unfinished(place->path);
		struct recording *recording = sample_open(place->path);
		const struct rec_node *nodes = recording_nodes(recording, &count);
		const struct rec_chain_hop *hops = recording_hops(recording, &count);

		assert_true(recording_has_chains(recording));
		assert_int_equal(count, 2);
		const struct rec_linked_chain *chain = recording_chains(recording, &count);
		assert_int_equal(count, SAMPLE_CHAINS);
		assert_int_equal(chain[0].id, SAMPLE_CHAIN);
		assert_int_equal(chain[0].end, CHAIN_METAL);
		assert_int_equal(chain[0].hop_count, 2);
		assert_int_equal(hops[0].kind, HOP_TASK);
		assert_string_equal(hops[0].name, "feeder");
		assert_int_equal(nodes[hops[0].user_node].depth, 2);
		assert_int_equal(hops[0].waited_node, REC_NONE);
		assert_int_equal(hops[1].kind, HOP_TIMER);
		assert_string_equal(hops[1].name, "hrtimer_wakeup");
		assert_int_equal(hops[1].user_end, UNWIND_NONE);
		assert_int_equal(nodes[hops[1].waited_node].depth, 2);
		assert_int_equal(hops[1].waited_user_node, hops[0].user_node);
		assert_int_equal(recording_each_row(recording, check_shares, recording, &why), 0);
		recording_free(recording);
	}
}

static int stop_at_once(const struct rec_row *row, void *context)
{
	(void)row;
	(void)context;
	return 1;
}

static void rows_that_are_kept_are_those_of_the_file(void **state)
{
	const struct place *place = *state;
	struct why why = {""};

	sample_write_unfinished(place->path);
	struct recording *recording = sample_open(place->path);
	recording_keep_rows(recording);
	/* A walk that was ended has not seen all. */
	assert_int_equal(recording_each_row(recording, stop_at_once, NULL, &why), 1);
	for (int i = 0; i < 3; i++) {
		size_t seen = 0;
		assert_int_equal(recording_each_row(recording, sample_count_row, &seen, &why), 0);
		assert_int_equal(seen, SAMPLE_ROWS);
		assert_int_equal(recording_each_row(recording, check_shares, recording, &why), 0);
		assert_int_equal(recording_each_row(recording, stop_at_once, NULL, &why), 1);
	}
	recording_free(recording);
}

static void a_recording_of_version_1_is_read_without_chains(void **state)
{
	const struct place *place = *state;
	struct why why = {""};
	size_t seen = 0, count;

	sample_write_unfinished(place->path);
	sample_downgrade(place->path);
	struct recording *recording = sample_open(place->path);
	assert_false(recording_has_chains(recording));
	recording_chains(recording, &count);
	assert_int_equal(count, 0);
	assert_int_equal(recording_each_row(recording, sample_count_row, &seen, &why), 0);
	assert_int_equal(seen, SAMPLE_ROWS);
	recording_free(recording);
}

static void a_chain_that_cannot_be_is_refused(void **state)
{
	static const struct rec_hop metal_first[] = {
		{HOP_DISK, "vda", 0, 0, 0, 0, 0}, {HOP_TASK, "a", 0, 0, 0, 0, 0}};
	static const struct rec_hop many[CONTRACT_MAX_HOPS + 1];
	static const struct rec_chain chains[] = {
		{1, 2, CHAIN_AWAKE, metal_first},
		{1, 1, CHAIN_AWAKE, metal_first},
		{1, 1, CHAIN_METAL, many},
		{1, 0, CHAIN_METAL, NULL},
		{1, 0, CHAIN_AWAKE, NULL},
		{0, 1, CHAIN_AWAKE, many},
		{1, CONTRACT_MAX_HOPS + 1, CHAIN_AWAKE, many},
		{1, 1, CHAIN_ENDS, many},
	};
	const struct place *place = *state;

	for (size_t i = 0; i < ARRAY_SIZE(chains); i++) {
		struct recording_writer *writer = sample_writer(place->path);
		struct why why = {""};
		recording_writer_add_chain(writer, &chains[i]);
		assert_int_equal(recording_writer_commit(writer, &why), -EINVAL);
		recording_writer_free(writer);
	}
}

static void shares_that_do_not_add_up_are_refused(void **state)
{
	const struct place *place = *state;
	struct rec_share shares[3];

	for (int i = 0; i < 4; i++) {
		struct recording_writer *writer = sample_writer(place->path);
		struct rec_sum sum = sample_rows[2];
		struct why why = {""};

		memcpy(shares, sample_shares, sizeof(shares));
		sum.shares = shares;
		shares[0].ran_ns += i == 0;
		/* The rest is one figure. */
		if (i == 1) {
			shares[2].no_cpu_ns = 1;
			shares[0].ran_ns--;
		}
		sum.state = i == 2 ? TIME_WOKEN : TIME_BLOCKED;
		sum.chain = i == 3 ? 0 : SAMPLE_CHAIN;
		sample_add_tables(writer);
		recording_writer_add_sum(writer, &sum);
		assert_int_equal(recording_writer_commit(writer, &why), -EINVAL);
		assert_non_null(strstr(why.text, "do not add up"));
		recording_writer_free(writer);
	}
}

static void a_chain_is_known_by_all_that_it_holds(void **state)
{
	struct rec_hop hops[2];
	struct rec_chain chain = {1, 2, CHAIN_METAL, hops};
	uint64_t id = recording_chain_id(&sample_chains[0]);

	(void)state;
	memcpy(hops, sample_hops, sizeof(hops));
	assert_int_equal(recording_chain_id(&chain), id);
	hops[1].waited_stack++;
	assert_int_not_equal(recording_chain_id(&chain), id);
	hops[1].waited_stack--;
	hops[1].waited_user_stack++;
	assert_int_not_equal(recording_chain_id(&chain), id);
	hops[1].waited_user_stack--;
	hops[0].name = "reader";
	assert_int_not_equal(recording_chain_id(&chain), id);
	hops[0].name = "feeder";
	chain.hop_count = 1;
	assert_int_not_equal(recording_chain_id(&chain), id);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, sample_make_place, sample_remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(chains_come_back_with_their_shares),
		TEST(rows_that_are_kept_are_those_of_the_file),
		TEST(a_recording_of_version_1_is_read_without_chains),
		TEST(a_chain_that_cannot_be_is_refused),
		TEST(shares_that_do_not_add_up_are_refused),
		cmocka_unit_test(a_chain_is_known_by_all_that_it_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
