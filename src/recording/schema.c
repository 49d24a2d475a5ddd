// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The format of a recording as SQL. The comments inside the statements are part of the file: people
 * see them with sqlite3's .schema. A change here is a new RECORDING_VERSION and a change of
 * man/dwell-recording.5.
 */
#include "recording/schema.h"

const char *const schema_tables[] = {"meta", "slices", "processes", "threads", "objects", "frames",
	"stacks", "sums", "open", "losses", NULL};
const char *const schema_chain_tables[] = {"chains", "hops", "shares", NULL};

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
	KEY(own_cpu_ns, SCHEMA_U64),
	KEY(program_ns, SCHEMA_U64),
	KEY(switches, SCHEMA_U64),
	KEY(wakes, SCHEMA_U64),
	KEY(samples, SCHEMA_U64),
	KEY(table_bytes, SCHEMA_U64),
	KEY(own_memory_bytes, SCHEMA_U64),
	KEY(start_took_ns, SCHEMA_U64),
	KEY(tables_took_ns, SCHEMA_U64),
	KEY(rows_missing, SCHEMA_I64),
	KEY(rows_missing_ns, SCHEMA_I64),
	KEY(expected_ns, SCHEMA_U64),
	KEY(accounted_ns, SCHEMA_U64),
	KEY(worst_thread_ns, SCHEMA_U64),
	KEY(worst_slice_ns, SCHEMA_U64),
	{NULL, SCHEMA_TYPES, 0},
};

#define SUM_COLUMNS                                                                                \
	" id INTEGER PRIMARY KEY,\n"                                                               \
	" thread INTEGER NOT NULL, -- threads.id\n"                                                \
	" slice_first INTEGER NOT NULL,\n"                                                         \
	" slice_last INTEGER NOT NULL,\n"                                                          \
	" state INTEGER NOT NULL, -- words: state\n"                                               \
	" letter TEXT NOT NULL, -- words: task_state\n"                                            \
	" band INTEGER NOT NULL, -- words: band\n"                                                 \
	" kernel_stack INTEGER NOT NULL, -- stacks.id, or words: no_stack\n"                       \
	" user_stack INTEGER NOT NULL,\n"                                                          \
	" count INTEGER NOT NULL, -- 0: a part of a wait that another row counts, or not ended\n"  \
	" ns INTEGER NOT NULL,\n"                                                                  \
	" max_ns INTEGER NOT NULL,\n"                                                              \
	" first_ns INTEGER NOT NULL, -- time in slice_first\n"                                     \
	" last_ns INTEGER NOT NULL, -- time in slice_last, if that is another\n"                   \
	" chain INTEGER NOT NULL -- chains.id of a blocked row, 0: none recorded\n"

static const char tables[] =
	"CREATE TABLE meta(\n"
	" key TEXT NOT NULL PRIMARY KEY,\n"
	" value\n"
	");\n"
	"CREATE TABLE words( -- what the small numbers of the other tables mean\n"
	" kind TEXT NOT NULL,\n"
	" number NOT NULL,\n"
	" word TEXT NOT NULL,\n"
	" PRIMARY KEY(kind, number)\n"
	") WITHOUT ROWID;\n"
	"CREATE TABLE slices(\n"
	" id INTEGER PRIMARY KEY,\n"
	" start_ns INTEGER NOT NULL, -- from the window's start\n"
	" length_ns INTEGER NOT NULL\n"
	");\n"
	"CREATE TABLE processes( -- one for each (process, exec)\n"
	" id INTEGER PRIMARY KEY,\n"
	" pid INTEGER NOT NULL,\n"
	" name TEXT NOT NULL,\n"
	" exe TEXT NOT NULL,\n"
	" container TEXT NOT NULL,\n"
	" is_kernel INTEGER NOT NULL\n"
	");\n"
	"CREATE TABLE threads(\n"
	" id INTEGER PRIMARY KEY,\n"
	" tid INTEGER NOT NULL,\n"
	" process INTEGER NOT NULL, -- processes.id\n"
	" comm TEXT NOT NULL,\n"
	" start_ns INTEGER NOT NULL, -- of its life in the window\n"
	" end_ns INTEGER NOT NULL,\n"
	" running_ns INTEGER NOT NULL,\n"
	" woken_ns INTEGER NOT NULL,\n"
	" preempted_ns INTEGER NOT NULL,\n"
	" blocked_ns INTEGER NOT NULL,\n"
	" is_closed INTEGER NOT NULL, -- its end, or the window's, was seen\n"
	" is_kernel INTEGER NOT NULL\n"
	");\n"
	"CREATE TABLE objects(\n"
	" id INTEGER PRIMARY KEY,\n"
	" kind INTEGER NOT NULL, -- words: object_kind\n"
	" path TEXT NOT NULL,\n"
	" build_id TEXT NOT NULL\n"
	");\n"
	"CREATE TABLE frames(\n"
	" id INTEGER PRIMARY KEY,\n"
	" object INTEGER NOT NULL, -- objects.id\n"
	" address INTEGER NOT NULL, -- in the object\n"
	" name TEXT NOT NULL, -- '': reason says why\n"
	" offset INTEGER NOT NULL, -- of the address in the function\n"
	" reason INTEGER NOT NULL -- words: name_reason\n"
	");\n"
	"CREATE TABLE stacks( -- nodes: a stack is a node and all its parents\n"
	" id INTEGER PRIMARY KEY,\n"
	" parent INTEGER NOT NULL, -- stacks.id towards the root, 0: none\n"
	" frame INTEGER NOT NULL, -- frames.id\n"
	" unwind_end INTEGER NOT NULL -- words: unwind_end\n"
	");\n"
	"CREATE TABLE sums(\n" SUM_COLUMNS ");\n"
	"CREATE TABLE open( -- open intervals at the last commit; empty once finished\n" SUM_COLUMNS
	");\n"
	"CREATE TABLE chains( -- who woke whom, interned\n"
	" id INTEGER PRIMARY KEY,\n"
	" hop_count INTEGER NOT NULL,\n"
	" chain_end INTEGER NOT NULL -- words: chain_end\n"
	");\n"
	"CREATE TABLE hops(\n"
	" chain INTEGER NOT NULL, -- chains.id\n"
	" position INTEGER NOT NULL, -- 0: the direct waker\n"
	" kind INTEGER NOT NULL, -- words: hop_kind\n"
	" name TEXT NOT NULL, -- of the waker, or of the metal\n"
	" kernel_stack INTEGER NOT NULL, -- of the waker at the wake\n"
	" user_stack INTEGER NOT NULL,\n"
	" waited_stack INTEGER NOT NULL -- where the waker before it had been blocked\n"
	");\n"
	"CREATE TABLE shares( -- how the time of a row of sums divides among its hops\n"
	" sum INTEGER NOT NULL, -- sums.id\n"
	" position INTEGER NOT NULL, -- hops.position; hop_count: the rest\n"
	" ran_ns INTEGER NOT NULL,\n"
	" no_cpu_ns INTEGER NOT NULL,\n"
	" earlier_ns INTEGER NOT NULL -- before the waker's own last wait\n"
	");\n"
	"CREATE TABLE losses(\n"
	" name TEXT NOT NULL PRIMARY KEY,\n"
	" count INTEGER NOT NULL,\n"
	" ns INTEGER NOT NULL -- time concerned\n"
	");\n";

#define STATE(name) "(SELECT number FROM words WHERE kind = 'state' AND word = '" name "')"
#define IS_UNFINISHED "(SELECT value FROM meta WHERE key = 'is_finished') = 0"
#define TASK_STATE                                                                                 \
	"coalesce((SELECT word FROM words WHERE kind = 'task_state' AND number = letter), letter)"
#define FUNCTION_OF(column)                                                                        \
	"coalesce((SELECT n.function FROM stacks k JOIN frame_names n ON n.frame = k.frame\n"      \
	"  WHERE k.id = " column "),\n"                                                            \
	" (SELECT word FROM words WHERE kind = 'no_stack' AND number = " column "))"

static const char row_views[] =
	"CREATE VIEW all_sums AS -- sums, and what was open when a recording was cut short\n"
	"SELECT * FROM sums UNION ALL SELECT -id, thread, slice_first, slice_last, state, letter,\n"
	" band, kernel_stack, user_stack, count, ns, max_ns, first_ns, last_ns, chain FROM open\n"
	" WHERE " IS_UNFINISHED ";\n"
	"CREATE VIEW frame_names AS -- each frame with a name in any case\n"
	"SELECT f.id AS frame,\n"
	" CASE WHEN f.name <> '' THEN f.name ELSE o.path || printf('+0x%x', f.address) END\n"
	" AS function, o.path AS object\n"
	"FROM frames f JOIN objects o ON o.id = f.object;\n"
	"CREATE VIEW waits AS -- blocked time by thread and stacks\n"
	"SELECT s.thread, t.tid, p.pid, t.comm, 'blocked' AS state,\n"
	" " TASK_STATE " AS task_state,\n"
	" s.count, s.total_ns, s.max_ns,\n"
	" " FUNCTION_OF(
		"s.kernel_stack") " AS kernel_function,\n"
				  " " FUNCTION_OF(
					  "s.user_stack") " AS user_function,\n"
							  " s.kernel_stack, s.user_stack\n"
							  "FROM (SELECT thread, letter, "
							  "kernel_stack, user_stack, sum(count) AS "
							  "count,\n"
							  "  sum(ns) AS total_ns, max(max_ns) AS "
							  "max_ns\n"
							  "  FROM all_sums WHERE state = " STATE(
								  "blocked") "\n"
									     "  GROUP BY thread, "
									     "letter, "
									     "kernel_stack, "
									     "user_stack) s\n"
									     "JOIN threads t ON "
									     "t.id = s.thread JOIN "
									     "processes p ON p.id "
									     "= t.process;\n";

static const char thread_view[] =
	"CREATE VIEW thread_time AS -- where each thread's life went\n"
	"WITH counted AS ( -- stands in for totals that a crash kept from being written\n"
	" SELECT thread,\n"
	"  coalesce(sum(ns) FILTER (WHERE state = " STATE(
		"running") "), 0) AS running_ns,\n"
			   "  coalesce(sum(ns) FILTER (WHERE state = " STATE(
				   "woken") "), 0) AS woken_ns,\n"
					    "  coalesce(sum(ns) FILTER (WHERE state = " STATE(
						    "preempted") "), 0) AS preempted_ns,\n"
								 "  coalesce(sum(ns) FILTER (WHERE "
								 "state = " STATE(
									 "blocked") "), 0) AS "
										    "blocked_ns\n"
										    " FROM "
										    "all_sums "
										    "WHERE"
										    " " IS_UNFINISHED
										    " GROUP BY "
										    "thread\n"
										    "), known AS "
										    "(\n"
										    " SELECT id, "
										    "tid, process, "
										    "comm, end_ns "
										    "- start_ns AS "
										    "life_ns,\n"
										    "  running_ns, "
										    "woken_ns, "
										    "preempted_ns, "
										    "blocked_ns\n"
										    " FROM threads "
										    "WHERE "
										    "is_closed OR "
										    "NOT"
										    " " IS_UNFINISHED
										    "\n"
										    " UNION ALL\n"
										    " SELECT t.id, "
										    "t.tid, "
										    "t.process, "
										    "t.comm,\n"
										    "  max((SELECT "
										    "value FROM "
										    "meta WHERE "
										    "key = "
										    "'window_ns') "
										    "- t.start_ns, "
										    "0),\n"
										    "  "
										    "coalesce(c."
										    "running_ns, "
										    "0), "
										    "coalesce(c."
										    "woken_ns, "
										    "0),\n"
										    "  "
										    "coalesce(c."
										    "preempted_ns, "
										    "0), "
										    "coalesce(c."
										    "blocked_ns, "
										    "0)\n"
										    " FROM threads "
										    "t LEFT JOIN "
										    "counted c ON "
										    "c.thread = "
										    "t.id\n"
										    " WHERE NOT "
										    "t.is_closed "
										    "AND"
										    " " IS_UNFINISHED
										    "\n"
										    ")\n"
										    "SELECT k.id "
										    "AS thread, "
										    "k.tid, p.pid, "
										    "k.comm, "
										    "p.name AS "
										    "process, "
										    "k.life_ns, "
										    "k.running_ns,"
										    "\n"
										    " k.woken_ns + "
										    "k.preempted_"
										    "ns AS "
										    "runnable_ns, "
										    "k.woken_ns, "
										    "k.preempted_"
										    "ns, "
										    "k.blocked_ns\n"
										    "FROM known k "
										    "JOIN "
										    "processes p "
										    "ON p.id = "
										    "k.process;\n";

#define PIECE_COLUMNS                                                                              \
	"thread, (SELECT word FROM words WHERE kind = 'state' AND number = state) AS state,\n"     \
	" " TASK_STATE " AS task_state,\n"                                                         \
	" (SELECT word FROM words WHERE kind = 'band' AND number = band) AS band,\n"               \
	" kernel_stack, user_stack, "

static const char slice_view[] =
	"CREATE VIEW sums_by_slice AS -- sums divided among the slices in which the time passed\n"
	"SELECT slice_first AS slice, " PIECE_COLUMNS "\n"
	" CASE WHEN slice_first = slice_last THEN count ELSE 0 END AS count, first_ns AS ns\n"
	"FROM all_sums\n"
	"UNION ALL\n"
	"SELECT slice_last, " PIECE_COLUMNS "count, last_ns\n"
	"FROM all_sums WHERE slice_first < slice_last\n"
	"UNION ALL\n"
	"SELECT slices.id, " PIECE_COLUMNS "0,\n"
	" max(count, 1) * (SELECT value FROM meta WHERE key = 'slice_ns')\n"
	"FROM all_sums JOIN slices ON slices.id > slice_first AND slices.id < slice_last\n"
	"WHERE slice_last - slice_first > 1;\n";

#define TEXT_OF_(number) #number
#define TEXT_OF(number) TEXT_OF_(number)

static const char stack_view[] =
	"CREATE VIEW stack_frames AS -- every stack, frame by frame; position 1 is the root\n"
	"WITH RECURSIVE walk(stack, node, up) AS (\n"
	" SELECT id, id, 0 FROM stacks\n"
	" UNION ALL\n"
	" SELECT w.stack, s.parent, w.up + 1 FROM walk w JOIN stacks s ON s.id = w.node\n"
	" WHERE s.parent <> 0 AND w.up < " TEXT_OF(
		SCHEMA_MAX_DEPTH) "\n"
				  ")\n"
				  "SELECT w.stack, count(*) OVER (PARTITION BY w.stack) - w.up AS "
				  "position,\n"
				  " n.function, n.object, s.frame\n"
				  "FROM walk w JOIN stacks s ON s.id = w.node JOIN frame_names n "
				  "ON n.frame = s.frame;\n";

#define WORD_OF(kind, column)                                                                      \
	"(SELECT word FROM words WHERE kind = '" kind "' AND number = " column ")"

/* clang-format off */
static const char chain_views[] =
	"CREATE VIEW chain_texts AS -- each chain as one line, the direct waker first\n"
	"SELECT c.id AS chain, c.hop_count, " WORD_OF("chain_end", "c.chain_end") " AS chain_end,\n"
	" coalesce((SELECT group_concat(hop, ' < ') FROM (\n"
	"  SELECT CASE WHEN h.is_metal THEN rtrim('[' || h.kind || ' ' || h.name) || ']'\n"
	"   ELSE h.name END AS hop FROM hop_words h WHERE h.chain = c.id ORDER BY h.position)), '')\n"
	" || CASE WHEN " WORD_OF("chain_end", "c.chain_end") " IN ('metal', 'awake') THEN ''\n"
	"   ELSE CASE WHEN c.hop_count THEN ' < [' ELSE '[' END || " WORD_OF("chain_end", "c.chain_end") " || ']' END AS wakers\n"
	"FROM chains c;\n"
	"CREATE VIEW hop_words AS -- hops with words for numbers\n"
	"SELECT chain, position, " WORD_OF("hop_kind", "h.kind") " AS kind, name,\n"
	" " WORD_OF("hop_kind", "h.kind") " IN ('irq', 'softirq', 'timer', 'ipi', 'disk') AS is_metal,\n"
	" " FUNCTION_OF("h.kernel_stack") " AS kernel_function,\n"
	" " FUNCTION_OF("h.user_stack") " AS user_function,\n"
	" " FUNCTION_OF("h.waited_stack") " AS waited_function\n"
	"FROM hops h;\n"
	"CREATE VIEW wait_chains AS -- blocked time by thread, kernel stack and chain\n"
	"SELECT s.thread, t.tid, t.comm, " FUNCTION_OF("s.kernel_stack") " AS kernel_function,\n"
	" coalesce(c.wakers, '') AS wakers, coalesce(c.chain_end, '') AS chain_end,\n"
	" s.count, s.total_ns, s.max_ns, s.chain\n"
	"FROM (SELECT thread, kernel_stack, chain, sum(count) AS count, sum(ns) AS total_ns,\n"
	"  max(max_ns) AS max_ns FROM all_sums WHERE state = " STATE("blocked") "\n"
	"  GROUP BY thread, kernel_stack, chain) s\n"
	"JOIN threads t ON t.id = s.thread LEFT JOIN chain_texts c ON c.chain = s.chain;\n"
	"CREATE VIEW causes AS -- what each thread's wakers did while it was blocked\n"
	"SELECT s.thread, t.tid, t.comm, e.position, h.kind, h.name, h.waited_function,\n"
	" sum(e.ran_ns) AS ran_ns, sum(e.no_cpu_ns) AS no_cpu_ns, sum(e.earlier_ns) AS earlier_ns\n"
	"FROM shares e JOIN sums s ON s.id = e.sum JOIN threads t ON t.id = s.thread\n"
	"JOIN hop_words h ON h.chain = s.chain AND h.position = e.position\n"
	"GROUP BY s.thread, e.position, h.kind, h.name, h.waited_function;\n";
/* clang-format on */

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
		code = add_word(statement, "no_stack", i, frame ? frame : word);
	}
	return code;
}

static int add_numbered_words(sqlite3_stmt *statement)
{
	int code = SQLITE_OK;

	for (int i = 0; !code && i <= TIME_SAMPLE; i++)
		code = add_word(statement, "state", i, state_name((enum time_state)i));
	for (int i = 0; !code && i < CONTRACT_BANDS; i++)
		code = add_word(statement, "band", i, band_name((unsigned int)i));
	for (int i = 0; !code && i < OBJECT_KINDS; i++)
		code = add_word(statement, "object_kind", i, object_kind_name((enum object_kind)i));
	for (int i = 0; !code && i < UNWIND_ENDS; i++)
		code = add_word(statement, "unwind_end", i, unwind_end_text((enum unwind_end)i));
	for (int i = 0; !code && i < NAME_REASONS; i++)
		code = add_word(statement, "name_reason", i, name_reason_text((enum name_reason)i));
	for (int i = 0; !code && i < HOP_KINDS; i++)
		code = add_word(statement, "hop_kind", i, hop_kind_name((enum hop_kind)i));
	for (int i = 0; !code && i < CHAIN_ENDS; i++)
		code = add_word(statement, "chain_end", i, chain_end_name((enum chain_end)i));
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
	const char *const parts[] = {
		tables, row_views, thread_view, slice_view, stack_view, chain_views};
	char versions[96];
	int code = sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);

	sqlite3_snprintf(sizeof(versions), versions,
		"PRAGMA application_id=%d; PRAGMA user_version=%d;", RECORDING_APPLICATION_ID,
		RECORDING_VERSION);
	if (!code)
		code = sqlite3_exec(db, versions, NULL, NULL, NULL);
	for (size_t i = 0; !code && i < sizeof(parts) / sizeof(parts[0]); i++)
		code = sqlite3_exec(db, parts[i], NULL, NULL, NULL);
	if (!code)
		code = add_words(db);
	if (!code)
		code = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	return code;
}
