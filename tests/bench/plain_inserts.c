// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plain_inserts RECORDING OUT: the stacks and sums of a recording into an empty database, through
 * one prepared statement for each table, row by row in the order of their ids, in one transaction;
 * prints the CPU time. What SQLite takes for an import by itself: rows are in memory before the
 * clock starts.
 */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "util/mem.h"
#include "util/vec.h"

static const char settings[] =
	"PRAGMA page_size=4096; PRAGMA journal_mode=DELETE; PRAGMA synchronous=OFF;"
	"PRAGMA cache_size=-4096;";

static void check(sqlite3 *db, int code)
{
	if (code == SQLITE_OK)
		return;
	fprintf(stderr, "plain_inserts: %s\n", sqlite3_errmsg(db));
	exit(1);
}

static double cpu_s(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* A table whose columns are all numbers, but for letters, which are "" in imported stacks. */
struct rows {
	VEC(int64_t) numbers;
	int columns;
};

static void load(sqlite3 *from, const char *table, struct rows *rows)
{
	_cleanup_free_ char *sql = xasprintf("SELECT * FROM %s ORDER BY id", table);
	sqlite3_stmt *statement;

	check(from, sqlite3_prepare_v2(from, sql, -1, &statement, NULL));
	rows->columns = sqlite3_column_count(statement);
	while (sqlite3_step(statement) == SQLITE_ROW)
		for (int i = 0; i < rows->columns; i++)
			vec_push(&rows->numbers, sqlite3_column_int64(statement, i));
	check(from, sqlite3_finalize(statement));
}

static void create(sqlite3 *from, sqlite3 *to, const char *table)
{
	_cleanup_free_ char *sql =
		xasprintf("SELECT sql FROM sqlite_schema WHERE name = '%s'", table);
	sqlite3_stmt *statement;

	check(from, sqlite3_prepare_v2(from, sql, -1, &statement, NULL));
	if (sqlite3_step(statement) == SQLITE_ROW)
		check(to, sqlite3_exec(to, (const char *)sqlite3_column_text(statement, 0), NULL,
				  NULL, NULL));
	check(from, sqlite3_finalize(statement));
}

static void insert(sqlite3 *to, const char *sql, const struct rows *rows, int letter)
{
	sqlite3_stmt *statement;

	check(to, sqlite3_prepare_v2(to, sql, -1, &statement, NULL));
	for (size_t row = 0; row < rows->numbers.count; row += (size_t)rows->columns) {
		for (int i = 0; i < rows->columns; i++)
			if (i == letter)
				sqlite3_bind_text(statement, i + 1, "", 0, SQLITE_STATIC);
			else
				sqlite3_bind_int64(
					statement, i + 1, rows->numbers.at[row + (size_t)i]);
		sqlite3_step(statement);
		check(to, sqlite3_reset(statement));
	}
	sqlite3_finalize(statement);
}

int main(int argc, char **argv)
{
	struct rows stacks = {0}, sums = {0};
	sqlite3 *from, *to;

	if (argc != 3)
		return 2;
	remove(argv[2]);
	check(NULL, sqlite3_open_v2(argv[1], &from, SQLITE_OPEN_READONLY, NULL));
	check(NULL,
		sqlite3_open_v2(argv[2], &to,
			SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL));
	check(to, sqlite3_exec(to, settings, NULL, NULL, NULL));
	create(from, to, "stacks");
	create(from, to, "sums");
	load(from, "stacks", &stacks);
	load(from, "sums", &sums);
	double start_s = cpu_s();
	check(to, sqlite3_exec(to, "BEGIN", NULL, NULL, NULL));
	insert(to, "INSERT INTO stacks VALUES (?, ?, ?, ?)", &stacks, -1);
	insert(to,
		"INSERT INTO sums VALUES (NULL, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
		" ?13, ?14, ?15)",
		&sums, 5);
	check(to, sqlite3_exec(to, "COMMIT", NULL, NULL, NULL));
	printf("%.3f %zu\n", cpu_s() - start_s,
		stacks.numbers.count / (size_t)stacks.columns +
			sums.numbers.count / (size_t)sums.columns);
	vec_clear(&stacks.numbers);
	vec_clear(&sums.numbers);
	sqlite3_close(from);
	sqlite3_close(to);
	return 0;
}
