// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rows of sums, one at a time, and of the open intervals if the recording was cut short; or
 * those of slow calls of one function, which differ in nothing but their tables.
 */
#include <inttypes.h>
#include <string.h>

#include "recording/reader_private.h"
#include "recording/schema.h"

#define SELECT_ROWS(table, rest)                                                                   \
	"SELECT rowid, thread, slice_first, slice_last, state, letter, band, kernel_stack,"        \
	" user_stack, count, ns, max_ns, first_ns, last_ns, " rest " FROM " table                  \
	" ORDER BY rowid"

/* Each is in one slice; the last column is the function. */
#define SELECT_SLOW                                                                                \
	"SELECT rowid, thread, slice, slice, state, letter, band, kernel_stack, user_stack,"       \
	" count, ns, max_ns, ns, 0, chain, awaited, owner, function FROM slow ORDER BY rowid"

#define SELECT_SHARES(table)                                                                       \
	"SELECT rowid, sum, position, ran_ns, no_cpu_ns, earlier_ns FROM " table " ORDER BY rowid"

static bool is_slow_chosen(const struct recording *recording)
{
	return recording->slow_function != REC_NONE;
}

static struct row_walks *walks_of(struct recording *recording)
{
	return is_slow_chosen(recording) ? &recording->of_slow : &recording->of_all;
}

/*
 * Shares were written behind their rows, in the same order, and are read side by side with them.
 * `sum` is the row that the current share belongs to, if there is one.
 */
struct share_walk {
	struct cursor cursor;
	bool has_share;
	int64_t sum;
	struct rec_share shares[CONTRACT_MAX_HOPS + 1]; /* of the current row */
};

static void next_share(struct share_walk *walk)
{
	walk->has_share = cursor_next(&walk->cursor);
	if (walk->has_share)
		walk->sum = (int64_t)cursor_id(&walk->cursor, 1);
}

static void open_shares(struct recording *recording, struct why *why, struct share_walk *ret)
{
	*ret = (struct share_walk){0};
	if (is_slow_chosen(recording))
		cursor_open(
			recording, "slow_shares", SELECT_SHARES("slow_shares"), why, &ret->cursor);
	else
		cursor_open(recording, "shares", SELECT_SHARES("shares"), why, &ret->cursor);
	next_share(ret);
}

/* The shares of row `sum`, whose chain has that many hops. */
static void read_shares(struct share_walk *walk, int64_t sum, uint32_t hop_count)
{
	uint64_t next = 0;

	memset(walk->shares, 0, (hop_count + 1) * sizeof(walk->shares[0]));
	for (; walk->has_share && walk->sum == sum; next_share(walk)) {
		uint64_t position = cursor_number(&walk->cursor, 2, hop_count);
		if (position < next)
			cursor_fail(
				&walk->cursor, "shares of row %" PRId64 " are out of order", sum);
		walk->shares[position] = (struct rec_share){
			.ran_ns = cursor_ns(&walk->cursor, 3),
			.no_cpu_ns = cursor_ns(&walk->cursor, 4),
			.earlier_ns = cursor_ns(&walk->cursor, 5),
		};
		next = position + 1;
	}
}

/* The letter is one printable character for a blocked row, else nothing. */
static char read_letter(struct cursor *cursor, enum time_state state)
{
	/* Before column_text(), which turns other types into text. */
	bool is_text = sqlite3_column_type(cursor->statement, 5) == SQLITE_TEXT;
	const char *text = (const char *)sqlite3_column_text(cursor->statement, 5);
	int length = sqlite3_column_bytes(cursor->statement, 5);

	if (!is_text || !text || length > 1 ||
		(length && (state != TIME_BLOCKED || *text <= ' ' || *text > '~')))
		cursor_fail(
			cursor, "bad letter in row %" PRIu64 " of %s", cursor->row, cursor->table);
	return text && length ? *text : 0;
}

static struct rec_sum read_sum(struct cursor *cursor, enum time_state state)
{
	struct rec_sum sum = {
		.thread = cursor_u32(cursor, 1),
		.slice_first = cursor_u32(cursor, 2),
		.slice_last = cursor_u32(cursor, 3),
		.state = state,
		.band = cursor_word(cursor, 6, WORD_BAND),
		.kernel_stack = cursor_id(cursor, 7),
		.user_stack = cursor_id(cursor, 8),
		.count = cursor_ns(cursor, 9),
		.ns = cursor_ns(cursor, 10),
		.max_ns = cursor_ns(cursor, 11),
		.first_ns = cursor_ns(cursor, 12),
		.last_ns = cursor_ns(cursor, 13),
		.chain = cursor_id(cursor, 14),
		.awaited = cursor_id(cursor, 15),
		.owner = cursor_u32(cursor, 16),
	};

	if (!words_is_own(WORD_BAND, sum.band))
		walks_of(cursor->recording)->unknown.by_band[sum.band]++;
	sum.task_letter = read_letter(cursor, sum.state);
	return sum;
}

static struct rec_row read_row(struct cursor *cursor, enum time_state state)
{
	const struct recording *recording = cursor->recording;
	struct rec_row row = {.sum = read_sum(cursor, state), .chain = REC_NONE, .owner = REC_NONE};
	uint32_t thread = recording_thread_index(recording, row.sum.thread);

	if (thread == REC_NONE)
		cursor_fail(cursor, "row %" PRIu64 " of %s has an unknown thread", cursor->row,
			cursor->table);
	row.thread_index = thread == REC_NONE ? 0 : thread;
	if (row.sum.slice_last >= recording->slice_count)
		cursor_fail(cursor, "row %" PRIu64 " of %s has an unknown slice", cursor->row,
			cursor->table);
	if (!schema_parts_add_up(&row.sum, recording->meta.slice_ns))
		cursor_fail(cursor, "row %" PRIu64 " of %s does not add up", cursor->row,
			cursor->table);
	cursor_resolve_stacks(cursor, row.sum.kernel_stack, row.sum.user_stack, &row.stacks);
	row.awaited = cursor_resolve_awaited(cursor, row.sum.awaited);
	if (row.sum.owner)
		row.owner = recording_thread_index(recording, row.sum.owner);
	if ((row.sum.awaited && row.sum.state != TIME_BLOCKED) ||
		(row.sum.owner && row.owner == REC_NONE))
		cursor_fail(cursor, "row %" PRIu64 " of %s waited for nobody's thing", cursor->row,
			cursor->table);
	return row;
}

/* Finds the row's chain and shares. Open rows have no shares, so only chains without hops. */
static void read_chain(struct cursor *cursor, struct share_walk *walk, struct rec_row *row)
{
	const struct recording *recording = cursor->recording;
	const uint64_t *index = map64_find(&recording->chain_by_id, row->sum.chain);
	uint32_t hop_count = index ? recording->chains.at[*index].hop_count : 0;

	if ((row->sum.chain && (!index || row->sum.state != TIME_BLOCKED)) ||
		(hop_count && !walk->cursor.recording)) {
		cursor_fail(
			cursor, "bad chain in row %" PRIu64 " of %s", cursor->row, cursor->table);
		return;
	}
	if (!index)
		return;
	row->chain = (uint32_t)*index;
	row->sum.share_count = hop_count + 1;
	if (hop_count)
		read_shares(walk, cursor->last_key, hop_count);
	else
		walk->shares[0] = (struct rec_share){.ran_ns = row->sum.ns};
	row->sum.shares = walk->shares;
	bool has_rest = chain_end_has_rest(recording->chains.at[*index].end);
	if (walk->cursor.error)
		return;
	if (!recording_shares_add_up(walk->shares, hop_count + 1, row->sum.ns) ||
		(!has_rest && walk->shares[hop_count].ran_ns))
		cursor_fail(cursor, "shares of row %" PRId64 " do not add up", cursor->last_key);
}

/* A wait that ended has a chain that says how, but in a recording without chains, which has no
 * parts. */
static bool is_unended(const struct recording *recording, const struct rec_row *row)
{
	return !row->sum.count && row->sum.state != TIME_SAMPLE &&
	       (row->chain == REC_NONE || recording->chains.at[row->chain].end == CHAIN_NOT_WOKEN);
}

/* Slow calls: a row of another function than the one that was chosen? */
static bool is_of_another(struct cursor *cursor)
{
	const struct recording *recording = cursor->recording;

	if (!is_slow_chosen(recording))
		return false;
	uint32_t function = recording_function_index(recording, cursor_u32(cursor, 17));
	if (function == REC_NONE)
		cursor_fail(cursor, "row %" PRIu64 " of slow has an unknown function", cursor->row);
	return function != recording->slow_function;
}

/* A row that is not told, with its shares. Nothing in it is judged. */
static void leave_out(struct cursor *cursor, struct share_walk *walk)
{
	while (walk->has_share && walk->sum == cursor->last_key)
		next_share(walk);
}

static int walk_rows(
	struct cursor *cursor, struct share_walk *shares, recording_row_fn each, void *context)
{
	struct row_walks *walks = walks_of(cursor->recording);
	int result = 0;

	while (!result && cursor_next(cursor)) {
		unsigned int state = cursor_word(cursor, 4, WORD_STATE);
		bool is_known = words_is_own(WORD_STATE, state);
		walks->unknown.by_state[state] += !is_known;
		if (!is_known || is_of_another(cursor)) {
			leave_out(cursor, shares);
			continue;
		}
		struct rec_row row = read_row(cursor, (enum time_state)state);
		read_chain(cursor, shares, &row);
		row.is_unended = is_unended(cursor->recording, &row);
		if (cursor->error || shares->cursor.error)
			continue;
		kept_rows_add(&walks->kept, &row);
		result = each(&row, context);
	}
	if (!result && !cursor->error && shares->has_share)
		cursor_fail(&shares->cursor, "shares of an unknown row %" PRId64, shares->sum);
	return result;
}

static int walk(struct recording *recording, const char *table, const char *sql, bool has_shares,
	recording_row_fn each, void *context, struct why *why)
{
	struct share_walk *shares = xcalloc(1, sizeof(*shares));
	struct cursor cursor;

	if (has_shares)
		open_shares(recording, why, shares);
	cursor_open(recording, table, sql, why, &cursor);
	int result = walk_rows(&cursor, shares, each, context);
	int error = cursor_close(&cursor);
	int shares_error = cursor_close(&shares->cursor);
	free(shares);
	return error ? error : shares_error ? shares_error : result;
}

/* The statement for one of the two tables, in a file of that version. */
static const char *select_rows(uint32_t version, bool is_open)
{
	if (version >= RECORDING_VERSION_OF_AWAITED)
		return is_open ? SELECT_ROWS("open", "chain, awaited, owner")
			       : SELECT_ROWS("sums", "chain, awaited, owner");
	if (version > 1)
		return is_open ? SELECT_ROWS("open", "chain, 0, 0")
			       : SELECT_ROWS("sums", "chain, 0, 0");
	return is_open ? SELECT_ROWS("open", "0, 0, 0") : SELECT_ROWS("sums", "0, 0, 0");
}

static int walk_all(
	struct recording *recording, recording_row_fn each, void *context, struct why *why)
{
	uint32_t version = recording->database.version;
	int result = walk(
		recording, "sums", select_rows(version, false), version > 1, each, context, why);

	if (!result && !recording->meta.is_finished)
		result = walk(
			recording, "open", select_rows(version, true), false, each, context, why);
	return result;
}

static int walk_file(
	struct recording *recording, recording_row_fn each, void *context, struct why *why)
{
	struct row_walks *walks = walks_of(recording);

	if (!walks->unknown.is_told)
		walks->unknown = (struct unknown_rows){0};
	int result = is_slow_chosen(recording)
			     ? walk(recording, "slow", SELECT_SLOW, true, each, context, why)
			     : walk_all(recording, each, context, why);
	if (!result)
		recording_tell_unknown_rows(recording, walks);
	return result;
}

/* Above so many rows readers are to need little memory rather than little time. */
#define MOST_KEPT_ROWS 150000

/* The highest number of a row, which is found at once; a count of them is not. */
static uint64_t last_row(const struct recording *recording, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	uint64_t last = UINT64_MAX;

	if (!sqlite3_prepare_v2(recording->database.db, sql, -1, &statement, NULL) &&
		sqlite3_step(statement) == SQLITE_ROW)
		last = (uint64_t)sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return last;
}

void recording_keep_rows(struct recording *recording)
{
	recording->of_all.kept.is_wanted =
		last_row(recording, "SELECT max(id) FROM sums") <= MOST_KEPT_ROWS;
	recording->of_slow.kept.is_wanted =
		last_row(recording, "SELECT max(id) FROM slow") <= MOST_KEPT_ROWS;
}

int recording_each_row(
	struct recording *recording, recording_row_fn each, void *context, struct why *why)
{
	struct kept_rows *kept = &walks_of(recording)->kept;

	if (kept->is_whole)
		return kept_rows_each(kept, each, context);
	kept_rows_begin(kept);
	int result = walk_file(recording, each, context, why);
	kept_rows_end(kept, !result);
	return result;
}

static int add_to_thread(const struct rec_row *row, void *context)
{
	struct recording *recording = context;
	struct rec_thread *thread = &recording->threads.at[row->thread_index];

	if (!thread->is_closed && row->sum.state < TIME_STATES)
		thread->total_ns[row->sum.state] += row->sum.ns;
	return 0;
}

int recording_close_threads(struct recording *recording, struct why *why)
{
	size_t unclosed = 0;

	if (recording->meta.is_finished)
		return 0;
	vec_each (thread, &recording->threads) {
		if (thread->is_closed)
			continue;
		unclosed++;
		thread->end_ns = recording->meta.window_ns > thread->start_ns
					 ? recording->meta.window_ns
					 : thread->start_ns;
		for (size_t i = 0; i < TIME_STATES; i++)
			thread->total_ns[i] = 0;
	}
	return unclosed ? recording_each_row(recording, add_to_thread, recording, why) : 0;
}
