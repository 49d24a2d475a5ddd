// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a recording is made of, for the writer and the reader: tables and views are in schema.sql,
 * the words behind the small numbers come from src/model.
 */
#include "recording/schema.h"

#include "model/words.h"

const char *const schema_tables[] = {"meta", "words", "slices", "processes", "threads", "objects",
	"frames", "stacks", "sums", "open", "losses", NULL};
const char *const schema_chain_tables[] = {"chains", "hops", "shares", NULL};
const char *const schema_measure_tables[] = {"measures", "counts", NULL};
const char *const schema_queue_tables[] = {"queues", NULL};
const char *const schema_awaited_tables[] = {"awaited", NULL};
const char *const schema_memory_tables[] = {"memory", NULL};
const char *const schema_call_tables[] = {
	"functions", "calls", "open_calls", "slow", "slow_shares", NULL};

#define KEY(field, type)                                                                           \
	{                                                                                          \
#field, type, offsetof(struct rec_meta, field)                                     \
	}

const struct schema_key schema_keys[] = {
	KEY(dwell_version, SCHEMA_TEXT),
	KEY(host, SCHEMA_TEXT),
	KEY(kernel_release, SCHEMA_TEXT),
	KEY(target, SCHEMA_TEXT),
	KEY(command_line, SCHEMA_TEXT),
	KEY(cpus, SCHEMA_U32),
	KEY(start_unix_ns, SCHEMA_U64),
	KEY(window_ns, SCHEMA_U64),
	KEY(slice_ns, SCHEMA_U64),
	KEY(sample_hz, SCHEMA_U32),
	KEY(sample_event, SCHEMA_TEXT),
	KEY(user_stacks, SCHEMA_TEXT),
	KEY(chain_depth, SCHEMA_U32),
	KEY(is_finished, SCHEMA_BOOL),
	KEY(cpu_busy_ppm, SCHEMA_U32),
	KEY(held_back_ns, SCHEMA_U64),
	KEY(own_cpu_ns, SCHEMA_U64),
	KEY(program_ns, SCHEMA_U64),
	KEY(event_ns, SCHEMA_U64),
	KEY(events, SCHEMA_U64),
	KEY(switches, SCHEMA_U64),
	KEY(wakes, SCHEMA_U64),
	KEY(samples, SCHEMA_U64),
	KEY(table_bytes, SCHEMA_U64),
	KEY(own_memory_bytes, SCHEMA_U64),
	KEY(start_took_ns, SCHEMA_U64),
	KEY(tables_took_ns, SCHEMA_U64),
	KEY(kernel_stacks_known, SCHEMA_U64),
	KEY(kernel_stacks_walked, SCHEMA_U64),
	KEY(kernel_stacks_audited, SCHEMA_U64),
	KEY(user_stacks_known, SCHEMA_U64),
	KEY(user_stacks_walked, SCHEMA_U64),
	KEY(user_stacks_audited, SCHEMA_U64),
	KEY(budget_ppm, SCHEMA_U32),
	KEY(thinned, SCHEMA_U64),
	KEY(chosen, SCHEMA_U64),
	KEY(bursts, SCHEMA_U64),
	KEY(rows_missing, SCHEMA_I64),
	KEY(rows_missing_ns, SCHEMA_I64),
	KEY(expected_ns, SCHEMA_U64),
	KEY(accounted_ns, SCHEMA_U64),
	KEY(worst_thread_ns, SCHEMA_U64),
	KEY(worst_slice_ns, SCHEMA_U64),
	{NULL, SCHEMA_TYPES, 0},
};

/* The text of schema.sql, which schema_sql.S puts into the program. */
extern const char schema_sql[];

/* The kernel's letters, as ps(1) shows them. */
static const struct {
	const char *letter;
	const char *word;
} task_states[] = {{"S", "interruptible"}, {"D", "uninterruptible"}, {"T", "stopped"},
	{"t", "traced"}, {"I", "idle"}, {"P", "parked"}, {"X", "dead"}, {"Z", "zombie"}, {"", ""}};

static int add_word(sqlite3_stmt *statement, const char *kind, int number, const char *word)
{
	sqlite3_bind_text(statement, 1, kind, -1, SQLITE_STATIC);
	sqlite3_bind_int(statement, 2, number);
	sqlite3_bind_text(statement, 3, word, -1, SQLITE_STATIC);
	sqlite3_step(statement);
	return sqlite3_reset(statement);
}

bool schema_end_of_no_stack(uint64_t id, enum unwind_end *ret)
{
	static const enum unwind_end ends[] = {
		[STACK_NONE] = UNWIND_NONE,
		[STACK_FAILED] = UNWIND_FAILED,
		[STACK_OVERFLOW] = UNWIND_OVERFLOW,
		[STACK_SKIPPED] = UNWIND_SKIPPED,
		[STACK_EARLIER] = UNWIND_EARLIER,
		[STACK_LOST] = UNWIND_LOST,
		[STACK_NO_WAKER_STACK] = UNWIND_NO_WAKER_STACK,
		[STACK_THINNED] = UNWIND_THINNED,
		[STACK_MORE_WAITS] = UNWIND_MORE_WAITS,
	};

	if (id >= sizeof(ends) / sizeof(ends[0]))
		return false;
	*ret = ends[id];
	return true;
}

static int add_no_stack_words(sqlite3_stmt *statement)
{
	enum unwind_end end;
	int code = SQLITE_OK;

	for (int i = 0; !code && schema_end_of_no_stack((uint64_t)i, &end); i++) {
		const char *frame = unwind_end_frame(end);
		char word[64];
		sqlite3_snprintf(sizeof(word), word, "[%s]", unwind_end_text(end));
		code = add_word(statement, words_kind_name(WORD_NO_STACK), i, frame ? frame : word);
	}
	return code;
}

static int add_numbered_words(sqlite3_stmt *statement)
{
	int code = SQLITE_OK;

	for (unsigned int kind = 0; !code && kind < WORD_NO_STACK; kind++)
		for (unsigned int i = 0; !code && words_is_own(kind, i); i++)
			code = add_word(statement, words_kind_name(kind), (int)i,
				words_text(NULL, kind, i));
	for (int i = 0; !code && i < OBJECT_KINDS; i++)
		code = add_word(statement, words_kind_name(WORD_OBJECT_KIND), i,
			object_kind_name((enum object_kind)i));
	return code ? code : add_no_stack_words(statement);
}

static int add_words(sqlite3 *db)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(
		db, "INSERT INTO words VALUES (?1, ?2, ?3)", -1, &statement, NULL);

	if (!code)
		code = add_numbered_words(statement);
	for (size_t i = 0; !code && i < sizeof(task_states) / sizeof(task_states[0]); i++) {
		sqlite3_bind_text(statement, 1, "task_state", -1, SQLITE_STATIC);
		sqlite3_bind_text(statement, 2, task_states[i].letter, -1, SQLITE_STATIC);
		sqlite3_bind_text(statement, 3, task_states[i].word, -1, SQLITE_STATIC);
		sqlite3_step(statement);
		code = sqlite3_reset(statement);
	}
	sqlite3_finalize(statement);
	return code;
}

bool schema_parts_add_up(const struct rec_sum *sum, uint64_t slice_ns)
{
	if (sum->slice_first > sum->slice_last)
		return false;
	if (sum->slice_first == sum->slice_last)
		return sum->first_ns == sum->ns && !sum->last_ns;
	unsigned __int128 between = (unsigned __int128)(sum->count ? sum->count : 1) * slice_ns;
	uint32_t slices = sum->slice_last - sum->slice_first - 1;

	/* Each side fits: 2^64 * 2^32 stays below 2^128, but count * slice_ns may use it all. */
	if (slices && between > UINT64_MAX)
		return false;
	return between * slices + sum->first_ns + sum->last_ns == sum->ns;
}

int schema_create(sqlite3 *db)
{
	char versions[96];
	int code = sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);

	sqlite3_snprintf(sizeof(versions), versions,
		"PRAGMA application_id=%d; PRAGMA user_version=%d;", RECORDING_APPLICATION_ID,
		RECORDING_VERSION);
	if (!code)
		code = sqlite3_exec(db, versions, NULL, NULL, NULL);
	if (!code)
		code = sqlite3_exec(db, schema_sql, NULL, NULL, NULL);
	if (!code)
		code = add_words(db);
	if (!code)
		code = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	return code;
}
