// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as text of `perf script`, replayed: intervals lie one behind the other, sums of a
 * thread's states are its life, rows keep all of it, and the causes of each wait add up to it.
 */
#include <stdint.h>
#include <stdlib.h>

#include "format/perf_script.h"
#include "replay/sums.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add(const struct replay_interval *interval, void *context)
{
	if (interval->to_ns < interval->from_ns || interval->state > TIME_SAMPLE)
		abort();
	sums_add(context, interval);
}

static void check(const struct replay_result *result, const struct sums *sums)
{
	uint64_t lives = 0, rows = 0;

	vec_each (thread, &result->threads) {
		uint64_t total = 0;
		for (unsigned int i = 0; i < TIME_STATES; i++)
			total += thread->total_ns[i];
		if (thread->end_ns < thread->start_ns || total != thread->end_ns - thread->start_ns)
			abort();
		lives += total;
	}
	vec_each (row, &sums->rows)
		rows += row->sum.ns;
	if (lives != rows && !sums->overflows)
		abort();
	if (result->chain_mismatches)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_log log = {0};
	struct skipped skipped = {0};
	struct sums sums = {.slice_ns = 1u << 30};
	struct replay_result result;
	FILE *in = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	if (!in)
		return 0;
	struct lines *lines = lines_new(in, &skipped);
	perf_log_read(&log, lines, &skipped);
	lines_free(lines);
	fclose(in);
	perf_log_weigh(&log, 0);
	replay_run(log.events.at, log.events.count, CONTRACT_MAX_HOPS, add, &sums, &result);
	check(&result, &sums);
	replay_clear(&result);
	sums_clear(&sums);
	perf_log_clear(&log);
	return 0;
}
