// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a recording says of numbers that this dwell does not have. Its words are learned on opening;
 * which rows could not be shown as they are is told among the losses.
 */
#include "recording/reader_private.h"

/* More than any dwell will write; what comes behind them in the file is not looked at. */
#define MOST_ROWS "10000"

static void learn(struct words *words, sqlite3_stmt *statement)
{
	const char *kind = (const char *)sqlite3_column_text(statement, 0);
	const char *word = (const char *)sqlite3_column_text(statement, 2);

	/* Those of task states are letters. */
	if (kind && word && sqlite3_column_type(statement, 1) == SQLITE_INTEGER)
		words_learn(words, kind, (uint64_t)sqlite3_column_int64(statement, 1), word);
}

int recording_load_words(struct recording *recording, struct why *why)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(recording->database.db,
		"SELECT kind, number, word FROM words LIMIT " MOST_ROWS, -1, &statement, NULL);

	recording->words = words_new();
	while (!code && (code = sqlite3_step(statement)) == SQLITE_ROW) {
		learn(recording->words, statement);
		code = SQLITE_OK;
	}
	sqlite3_finalize(statement);
	return code == SQLITE_DONE
		       ? 0
		       : recording_damaged(recording, why, "table words: %s", sqlite3_errstr(code));
}

/* A line for each number: "rows of state 'xyz' left out: a newer dwell recorded them". */
static void tell(struct recording *recording, enum word_kind kind, const uint64_t *rows,
	enum loss as, const char *what, const char *how)
{
	for (unsigned int number = 0; number < WORDS_MOST; number++) {
		struct rec_loss loss = {.loss = as, .count = rows[number]};
		if (!rows[number])
			continue;
		bool is_one = rows[number] == 1;
		_cleanup_free_ char *text = xasprintf(
			"row%s of %s '%s' %s: a newer dwell recorded %s", is_one ? "" : "s", what,
			words_text(recording->words, kind, number), how, is_one ? "it" : "them");
		loss.name = intern_text(&recording->texts, intern(&recording->texts, text));
		vec_push(&recording->losses, loss);
	}
}

void recording_tell_unknown_rows(struct recording *recording, struct row_walks *walks)
{
	struct unknown_rows *unknown = &walks->unknown;
	bool is_slow = walks == &recording->of_slow;

	if (unknown->is_told)
		return;
	unknown->is_told = true;
	tell(recording, WORD_STATE, unknown->by_state, LOSSES,
		is_slow ? "slow calls of state" : "state", "left out");
	tell(recording, WORD_BAND, unknown->by_band, LOSS_NOTED,
		is_slow ? "slow calls, of length" : "length", "counted under no length");
}
