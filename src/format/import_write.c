// SPDX-License-Identifier: GPL-2.0-or-later
/* The writing half: events are replayed, and threads, stacks and sums become a recording. */
#include <errno.h>
#include <string.h>

#include "format/import_private.h"
#include "profile/summary/conservation.h"
#include "util/text.h"
#include "util/units.h"

/* A log over so long a time is no reason for a recording of nothing but slices. */
#define MAX_SLICES 100000

static void on_interval(const struct replay_interval *interval, void *context)
{
	struct import *import = context;

	if (interval->measure)
		import_counts_add(&import->counts, import->sums.slice_ns, interval);
	if (!interval->is_event)
		sums_add(&import->sums, interval);
}

/* The length of a slice must be known before the first sum is made. */
static uint64_t span_of(const struct perf_log *log)
{
	uint64_t first = UINT64_MAX, last = 0;

	vec_each (event, &log->events) {
		if (event->time_ns == REPLAY_NO_TIME)
			continue;
		first = event->time_ns < first ? event->time_ns : first;
		last = event->time_ns > last ? event->time_ns : last;
	}
	return last > first ? last - first : 0;
}

static void replay_log(struct import *import)
{
	import->sample_ns = perf_log_weigh(&import->log, import->options.sample_hz);
	if (import->log.switches) {
		import->sums.slice_ns = import->options.slice_ns;
		while (span_of(&import->log) / import->sums.slice_ns >= MAX_SLICES)
			import->sums.slice_ns *= 10;
	}
	replay_run(import->log.events.at, import->log.events.count, import->options.chain_depth,
		on_interval, import, &import->result);
}

/* Without switches lives are as long as what is known of them, also beyond the log's. */
static void settle_window(struct import *import)
{
	struct replay_result *result = &import->result;

	if (!import->is_perf)
		result->is_partial = true;
	if (!result->window_ns)
		result->window_ns = 1;
	if (!result->is_partial)
		return;
	vec_each (thread, &result->threads)
		if (thread->end_ns > result->window_ns)
			result->window_ns = thread->end_ns;
	import->sums.slice_ns = result->window_ns;
}

/* What running time was sampled by: "cycles", or "cpu_core/cycles/P, cpu_atom/cycles/P". */
static const char *sample_event(struct perf_log *log)
{
	uint32_t running = perf_log_running(log);
	_cleanup_free_ char *names = xstrdup("");

	for (uint32_t i = 1; i <= log->sampled.count; i++) {
		if (!perf_log_is_running(log, running, i))
			continue;
		char *longer = xasprintf("%s%s%s", names, *names ? ", " : "",
			intern_text(&log->table.texts, log->sampled.at[i - 1].name));
		free(names);
		names = longer;
	}
	return intern_text(&log->table.texts, intern(&log->table.texts, names));
}

static void put_meta(struct import *import, struct recording_writer *writer, struct rec_meta *meta)
{
	const struct replay_result *result = &import->result;

	*meta = (struct rec_meta){
		.dwell_version = DWELL_VERSION,
		.host = "",
		.kernel_release = "",
		.target = import->is_perf ? "imported perf events" : "imported stacks",
		.command_line = import->options.command_line,
		.cpus = result->cpus,
		.window_ns = result->window_ns,
		.slice_ns = import->sums.slice_ns,
		.sample_event = sample_event(&import->log),
		.user_stacks = "imported",
		.chain_depth = result->chain_depth,
		.switches = result->switches,
		.wakes = result->wakes,
		.samples = result->samples,
	};
	if (result->samples && import->sample_ns)
		meta->sample_hz = (uint32_t)(NS_PER_S / import->sample_ns);
	vec_each (thread, &result->threads) {
		uint64_t life = thread->end_ns - thread->start_ns, accounted = 0;
		for (unsigned int i = 0; i < TIME_STATES; i++)
			accounted += thread->total_ns[i];
		meta->expected_ns += life;
		meta->accounted_ns += accounted;
		uint64_t off = life > accounted ? life - accounted : accounted - life;
		if (off > meta->worst_thread_ns)
			meta->worst_thread_ns = off;
	}
	recording_writer_put_meta(writer, meta);
}

struct names {
	char *at[CONTRACT_MAX_HOPS];
};

static void free_names(struct names *names)
{
	for (size_t i = 0; i < CONTRACT_MAX_HOPS; i++)
		free(names->at[i]);
}

static struct rec_hop hop_of(const struct import *import, struct stack_writer *stacks,
	const struct replay_link *link, char **ret_name)
{
	struct written_stack waker = stack_writer_put(stacks, link->waker.stack);
	struct written_stack waited = {.kernel = STACK_EARLIER, .user = STACK_EARLIER};

	if (link->waited != CHAIN_STACK_EARLIER)
		waited = stack_writer_put(stacks, link->waited);
	*ret_name = text_clean(intern_text(&import->log.table.texts, link->waker.name), false);
	return (struct rec_hop){
		.kind = link->waker.kind,
		.name = *ret_name,
		.kernel_stack = waker.kernel,
		.user_stack = waker.user,
		.waited_stack = waited.kernel,
		.waited_user_stack = waited.user,
	};
}

/* The id of a chain, which is written when it is first asked for; ids: by number, 0: not yet. */
static uint64_t put_chain(struct import *import, struct recording_writer *writer,
	struct stack_writer *stacks, uint32_t number, uint64_t *ids)
{
	const struct chain_table *table = &import->result.chains;

	if (!number || ids[number])
		return ids[number];
	const struct table_chain *from = chain_table_get(table, number);
	struct rec_hop hops[CONTRACT_MAX_HOPS];
	_cleanup_(free_names) struct names names = {0};
	struct rec_chain chain = {.hop_count = from->hop_count, .end = from->end, .hops = hops};
	for (uint32_t hop = 0; hop < from->hop_count; hop++)
		hops[hop] =
			hop_of(import, stacks, &table->links.at[from->first + hop], &names.at[hop]);
	ids[number] = chain.id = recording_chain_id(&chain);
	recording_writer_add_chain(writer, &chain);
	return chain.id;
}

/* Where rows go. */
struct rows {
	struct recording_writer *writer;
	struct stack_writer *stacks;
	struct conservation_run *books; /* checked with every row, as for every recording */
	bool *is_kernel;                /* by thread */
};

static void put_row(struct rows *rows, uint32_t thread, struct rec_sum *sum)
{
	conservation_add(rows->books, thread, sum);
	sum->thread = thread + 1;
	recording_writer_add_sum(rows->writer, sum);
}

static void put_sums(struct import *import, struct rows *rows)
{
	_cleanup_free_ uint64_t *chains =
		xcalloc(import->result.chains.chains.count + 1, sizeof(*chains));

	vec_each (row, &import->sums.rows) {
		struct rec_sum sum = row->sum;
		sum.chain = put_chain(import, rows->writer, rows->stacks, row->chain, chains);
		sum.shares = import->sums.shares.at + row->shares;
		struct written_stack written = stack_writer_put(rows->stacks, row->stack);
		rows->is_kernel[sum.thread] |= written.is_kernel_thread;
		sum.kernel_stack = row->is_earlier ? STACK_EARLIER : written.kernel;
		sum.user_stack = row->is_earlier ? STACK_EARLIER : written.user;
		if (row->is_earlier && rows->is_kernel[row->sum.thread])
			sum.user_stack = STACK_NONE;
		put_row(rows, row->sum.thread, &sum);
	}
}

/* Stacks without events: blocked time as it is; running time as samples, and below in one row. */
static void put_pieces(struct import *import, struct rows *rows)
{
	bool is_running = import->options.state == TIME_RUNNING;

	vec_each (piece, &import->pieces) {
		struct written_stack written = stack_writer_put_node(rows->stacks, piece->node);
		struct rec_sum sum = {.state = is_running ? TIME_SAMPLE : TIME_BLOCKED,
			.kernel_stack = written.kernel,
			.user_stack = written.user,
			.count = is_running ? piece->weight : 1};
		if (!is_running) {
			sum.ns = sum.max_ns = sum.first_ns = piece->ns;
			sum.band = band_of(piece->ns);
		}
		rows->is_kernel[piece->thread] |= written.is_kernel_thread;
		put_row(rows, piece->thread, &sum);
	}
	for (uint32_t i = 0; is_running && i < import->result.threads.count; i++) {
		uint64_t ns = import->result.threads.at[i].total_ns[TIME_RUNNING];
		struct rec_sum sum = {
			.state = TIME_RUNNING, .count = 1, .ns = ns, .max_ns = ns, .first_ns = ns};
		if (!import->is_perf)
			put_row(rows, i, &sum);
	}
}

static void put_rows(struct import *import, struct rows *rows)
{
	rows->stacks = stack_writer_new(rows->writer, &import->log.table, &import->tree);
	put_sums(import, rows);
	put_pieces(import, rows);
	import_write_counts(import, rows->writer, rows->stacks, rows->is_kernel);
	stack_writer_flush(rows->stacks);
	import->cuts = stack_writer_cuts(rows->stacks);
	stack_writer_free(rows->stacks);
}

static char *comm_of(const struct import *import, const struct replay_thread *thread)
{
	const char *comm = intern_text(&import->log.table.texts, thread->comm);

	return text_clean(*comm ? comm : "[unknown]", false);
}

/* One process for each pid; a thread whose pid is not known is one by itself. */
static void put_threads(
	const struct import *import, struct recording_writer *writer, const bool *is_kernel)
{
	struct map64 processes = {0};

	for (uint32_t i = 0; i < import->result.threads.count; i++) {
		const struct replay_thread *from = &import->result.threads.at[i];
		_cleanup_free_ char *comm = comm_of(import, from);
		uint32_t tid = from->tid & REPLAY_NO_TID ? 0 : from->tid;
		uint32_t pid = from->pid ? from->pid : tid;
		bool is_new = true;
		uint64_t own = i + 1, *known = pid ? map64_put(&processes, pid, &is_new) : &own;
		if (is_new)
			*known = i + 1;
		struct rec_process process = {.id = (uint32_t)*known,
			.pid = pid,
			.name = comm,
			.exe = "",
			.container = "",
			.is_kernel = is_kernel[i]};
		/* The name of a process is that of its first thread. */
		if (is_new || tid == pid)
			recording_writer_put_process(writer, &process);
		struct rec_thread thread = {.id = i + 1,
			.tid = tid,
			.process = process.id,
			.comm = comm,
			.start_ns = from->start_ns,
			.end_ns = from->end_ns,
			.is_closed = true,
			.is_kernel = is_kernel[i]};
		memcpy(thread.total_ns, from->total_ns, sizeof(thread.total_ns));
		recording_writer_put_thread(writer, &thread);
	}
	map64_clear(&processes);
}

static uint64_t too_large(const struct import *import)
{
	return import->sums.overflows + import->counts.overflows;
}

static void put_losses(const struct import *import, struct recording_writer *writer)
{
	const struct rec_loss losses[] = {
		{.loss = LOSS_NO_WAKER, .count = import->result.no_waker},
		{.loss = LOSS_MISSED_SWITCHES, .count = import->result.missed_switches},
		{.loss = LOSS_CHAIN_MISMATCH, .count = import->result.chain_mismatches},
		{.loss = LOSS_CHAIN_TRUNCATED,
			.count = import->result.chain_truncated,
			.ns = import->result.chain_truncated_ns},
		{.loss = LOSS_LOGGED, .count = import->log.lost_events},
		{.loss = LOSS_OTHER_SAMPLES, .count = import->log.other_samples},
		{.loss = LOSS_UNPLACED_SAMPLES, .count = import->result.unplaced},
		{.loss = LOSS_TOO_LARGE, .count = too_large(import)},
		{.loss = LOSS_NAMES_CUT, .count = import->cuts.names},
		{.loss = LOSS_STACKS_CUT, .count = import->cuts.stacks},
	};

	for (size_t i = 0; i < ARRAY_SIZE(losses); i++)
		if (losses[i].count)
			recording_writer_put_loss(writer, &losses[i]);
	for (unsigned int i = 0; i < SKIPS; i++) {
		struct rec_loss loss = {
			.loss = skip_loss((enum skip)i), .count = import->skipped.counts[i]};
		if (loss.count)
			recording_writer_put_loss(writer, &loss);
	}
}

/* What the books are checked with. */
static struct rec_thread *lives_of(const struct import *import)
{
	size_t count = import->result.threads.count;
	struct rec_thread *lives = xcalloc(count, sizeof(*lives));

	for (size_t i = 0; i < count; i++) {
		const struct replay_thread *from = &import->result.threads.at[i];
		lives[i].start_ns = from->start_ns;
		lives[i].end_ns = from->end_ns;
		memcpy(lives[i].total_ns, from->total_ns, sizeof(lives[i].total_ns));
	}
	return lives;
}

static void note_check(struct conservation_run *books, struct rec_meta *meta)
{
	struct conservation check;

	conservation_end(books, &check);
	if (check.worst_thread_ns > meta->worst_thread_ns)
		meta->worst_thread_ns = check.worst_thread_ns;
	meta->worst_slice_ns = check.worst_slice_ns;
}

static int write_all(
	struct import *import, const char *path, struct rec_meta *meta, struct why *why)
{
	size_t thread_count = import->result.threads.count;
	uint64_t slice_ns = import->sums.slice_ns, window_ns = import->result.window_ns;
	uint32_t last = (uint32_t)((window_ns - 1) / slice_ns);
	struct rows rows;
	int error = recording_writer_new(path, &rows.writer, why);

	if (error)
		return error;
	_cleanup_free_ bool *is_kernel = xcalloc(thread_count, sizeof(*is_kernel));
	_cleanup_free_ struct rec_thread *lives = lives_of(import);
	rows.is_kernel = is_kernel;
	rows.books = conservation_begin(lives, thread_count, slice_ns, last + 1);
	put_meta(import, rows.writer, meta);
	put_rows(import, &rows);
	put_threads(import, rows.writer, is_kernel);
	put_losses(import, rows.writer);
	recording_writer_put_slice(rows.writer, last, window_ns - last * slice_ns);
	note_check(rows.books, meta);
	recording_writer_put_meta(rows.writer, meta);
	error = recording_writer_finish(rows.writer, why);
	/* A part of it would be of no use: the text is still there. */
	if (error)
		recording_writer_discard(rows.writer);
	else
		recording_writer_free(rows.writer);
	return error;
}

int import_write(
	struct import *import, const char *path, struct import_summary *ret, struct why *why)
{
	struct rec_meta meta;
	int error;

	if (import->is_perf)
		replay_log(import);
	if (!import->sums.rows.count && !import->pieces.count && !import->counts.rows.count)
		return why_set(why, -ENODATA, "nothing to import: %s",
			too_large(import) ? "all periods or times are too large to add up"
					  : "no stack or event of use");
	settle_window(import);
	error = write_all(import, path, &meta, why);
	if (error)
		return error;
	*ret = (struct import_summary){
		.threads = import->result.threads.count,
		.window_ns = import->result.window_ns,
		.switches = import->result.switches,
		.wakes = import->result.wakes,
		.samples = import->result.samples,
		.events = import->result.samples < import->log.samples
				  ? import->log.samples - import->result.samples
				  : 0,
		.stacks = import->is_perf ? import->log.waits : import->pieces.count,
		.sample_ns = import->sample_ns,
		.other_samples = import->log.other_samples,
		.too_large = too_large(import),
		.expected_ns = meta.expected_ns,
		.accounted_ns = meta.accounted_ns,
		.is_partial = import->result.is_partial,
	};
	return 0;
}
