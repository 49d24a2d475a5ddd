// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures of an import. One is made of each sampled event; of an event that is running time only
 * where its periods are told, as the rest is what running time says already.
 */
#include "format/import_counts.h"

#include <string.h>

#include "format/import_private.h"
#include "util/hash.h"
#include "util/text.h"

static bool is_same(const struct import_count *a, const struct import_count *b)
{
	return a->row.measure == b->row.measure && a->row.thread == b->row.thread &&
	       a->row.slice == b->row.slice && a->stack == b->stack;
}

static void merge(struct rec_count *row, uint64_t value)
{
	row->count++;
	row->value += value;
	if (value > row->max_value)
		row->max_value = value;
}

void import_counts_add(
	struct import_counts *counts, uint64_t slice_ns, const struct replay_interval *sample)
{
	/* A sample stands for the time before it: at the window's end it is in the last slice. */
	uint64_t slice = (sample->to_ns ? sample->to_ns - 1 : 0) / slice_ns;
	struct import_count added = {.row = {.measure = sample->measure,
					     .thread = sample->thread,
					     .slice = (uint32_t)slice,
					     .count = 1,
					     .value = sample->value,
					     .max_value = sample->value},
		.stack = sample->stack};

	if (sample->value >= REC_MOST_COUNTED - counts->total) {
		counts->overflows++;
		return;
	}
	counts->total += sample->value + 1;
	for (uint64_t hash = hash_add(
		     (uint64_t)sample->thread << 32 | sample->stack, slice << 32 | sample->measure);
		; hash++) {
		uint64_t *number = map64_put(&counts->by_key, hash, NULL);
		if (!*number) {
			vec_push(&counts->rows, added);
			*number = counts->rows.count;
			return;
		}
		if (is_same(&counts->rows.at[*number - 1], &added)) {
			merge(&counts->rows.at[*number - 1].row, sample->value);
			return;
		}
	}
}

void import_counts_clear(struct import_counts *counts)
{
	vec_each (name, &counts->names)
		free(*name);
	vec_clear(&counts->names);
	vec_clear(&counts->rows);
	map64_clear(&counts->by_key);
}

const char *import_measure(const struct import *import, size_t number)
{
	return number < import->counts.names.count ? import->counts.names.at[number] : NULL;
}

/* "page-fault" of "page-faults:u" and "page-faults/period=9/": what one is called. */
static char *one_of(const char *name)
{
	const char *slash = strchr(name, '/');
	size_t length = slash && strncmp(name, "cpu/", 4) && strncmp(name, "cpu_", 4)
				? (size_t)(slash - name)
				: strlen(name);
	const char *colon = memchr(name, ':', length);

	if (colon && strspn(colon + 1, "ukhGHpPSDIWeb") == (size_t)(name + length - colon - 1))
		length = (size_t)(colon - name);
	/* Not of cache-misses and context-switches. */
	if (length > 4 && name[length - 1] == 's' && strncmp(name + length - 4, "sses", 4) &&
		strncmp(name + length - 4, "ches", 4) && name[length - 2] != 's')
		length--;
	return xstrndup(name, length);
}

static void put_measure(
	struct import *import, struct recording_writer *writer, uint32_t id, bool has_periods)
{
	const struct perf_sampled *sampled = &import->log.sampled.at[id - 1];
	const char *raw = intern_text(&import->log.table.texts, sampled->name);
	char *name = text_clean(*raw ? raw : "samples", false);
	_cleanup_free_ char *one = one_of(name);
	_cleanup_free_ char *event =
		has_periods && !sampled->is_clock ? xstrdup(one) : xasprintf("%s sample", one);
	struct rec_measure measure = {.id = id,
		.name = name,
		.unit = has_periods && sampled->is_clock ? "ns" : "count",
		.event = event,
		.about = has_periods ? "samples of perf, each of which weighs its period"
				     : "samples of perf, counted"};

	recording_writer_put_measure(writer, &measure);
	vec_push(&import->counts.names, name);
}

void import_write_counts(struct import *import, struct recording_writer *writer,
	struct stack_writer *stacks, bool *is_kernel)
{
	const struct perf_log *log = &import->log;
	uint32_t running = perf_log_running(log);
	_cleanup_free_ bool *is_measure = xcalloc(log->sampled.count + 1, sizeof(*is_measure));

	for (uint32_t i = 1; i <= log->sampled.count; i++) {
		bool has_periods = perf_sampled_has_periods(&log->sampled.at[i - 1]);
		is_measure[i] = perf_log_shows(log, i) &&
				(has_periods || !perf_log_is_running(log, running, i));
		if (is_measure[i])
			put_measure(import, writer, i, has_periods);
	}
	vec_each (count, &import->counts.rows) {
		struct rec_count row = count->row;
		if (!is_measure[row.measure])
			continue;
		struct written_stack written = stack_writer_put(stacks, count->stack);
		/* Idle CPUs are in the kernel, too. */
		is_kernel[row.thread] |=
			written.is_kernel_thread || !import->result.threads.at[row.thread].tid;
		row.thread++;
		row.kernel_stack = written.kernel;
		row.user_stack = written.user;
		/* Samples are what an import counts; what they weigh is their value. */
		row.events = row.count;
		recording_writer_add_count(writer, &row);
	}
}
