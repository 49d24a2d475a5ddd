// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of things as one JSON object. */
#include "model/words.h"
#include "render/report/things.h"
#include "util/json.h"

/* Version of this form: a number that grows when a key changes its meaning or goes. */
#define THINGS_JSON_VERSION 1

static void put_thing(struct json *json, const struct thing *thing)
{
	const struct awaited *awaited = &thing->said;

	json_field_text(json, "thing", thing->text);
	json_field_text(json, "kind", awaited_kind_name(awaited->kind));
	json_field_bool(json, "is_folded", awaited->is_folded);
	json_field_uint(json, "members", thing->members);
	if (awaited->name[0])
		json_field_text(json, "name", awaited->name);
	if (awaited->place[0])
		json_field_text(json, "place", awaited->place);
	if (awaited->port)
		json_field_uint(json, "port", awaited->port);
	if (awaited->address && thing->members == 1)
		json_field_uint(json, "address", awaited->address);
	if (thing->primitive)
		json_field_text(json, "primitive", thing->primitive);
}

static void put_owner(
	struct json *json, const struct things_style *style, const struct thing_row *row)
{
	size_t count;
	const struct rec_thread *threads = recording_threads(style->recording, &count);

	if (row->owner >= count)
		return;
	json_name(json, "owner");
	json_open_object(json);
	json_field_text(json, "name", threads[row->owner].comm);
	json_field_uint(json, "tid", threads[row->owner].tid);
	json_field_uint(json, "wait_ns", row->owner_max_ns);
	json_close_object(json);
}

static void put_who(
	struct json *json, const struct things_style *style, const struct thing_row *row)
{
	const struct words *words = recording_words(style->recording);

	json_name(json, "waiters");
	json_open_array(json);
	vec_each (waiter, &row->waiters) {
		json_open_object(json);
		json_field_text(json, "name", waiter->name);
		json_field_uint(json, "threads", waiter->threads);
		json_field_uint(json, "ns", waiter->ns);
		json_close_object(json);
	}
	json_close_array(json);
	json_name(json, "ended_by");
	json_open_array(json);
	vec_each (ender, &row->enders) {
		json_open_object(json);
		if (ender->is_nobody) {
			json_field_text(json, "end", words_text(words, WORD_CHAIN_END, ender->end));
		} else {
			json_field_text(
				json, "kind", words_text(words, WORD_HOP_KIND, ender->kind));
			json_field_text(json, "name", ender->name);
		}
		json_field_uint(json, "ns", ender->ns);
		json_close_object(json);
	}
	json_close_array(json);
	put_owner(json, style, row);
}

static void put_row(struct json *json, const struct thing_table *table,
	const struct things_style *style, const struct thing_row *row)
{
	json_open_object(json);
	if (row->thing != REC_NONE)
		put_thing(json, &table->things.at.at[row->thing]);
	json_field_uint(json, "total_ns", row->total_ns);
	json_field_uint(json, "waits", row->waits);
	json_field_uint(json, "unended", row->unended);
	json_field_uint(json, "max_ns", row->max_ns);
	put_who(json, style, row);
	json_close_object(json);
}

void thing_table_json(const struct thing_table *table, const struct things_style *style, FILE *out)
{
	size_t top = style->top ? style->top : SIZE_MAX;
	struct json json;

	json_init(&json, out);
	json_open_object(&json);
	json_field_uint(&json, "version", THINGS_JSON_VERSION);
	json_field_text(&json, "file", style->file);
	json_field_uint(&json, "from_ns", table->from_ns);
	json_field_uint(&json, "to_ns", table->to_ns);
	json_field_text(&json, "filters", style->filter_text);
	json_field_bool(&json, "hides_idle", style->hides_idle);
	json_field_uint(&json, "total_ns", table->total_ns);
	json_field_uint(&json, "told_ns", table->told_ns);
	json_field_uint(&json, "waits", table->waits);
	json_name(&json, "things");
	json_open_array(&json);
	for (size_t i = 0; i < table->rows.count && i < top; i++)
		if (table->rows.at[i].thing != REC_NONE)
			put_row(&json, table, style, &table->rows.at[i]);
	json_close_array(&json);
	/* The last row, if there is such time. */
	if (table->rows.count && table->rows.at[table->rows.count - 1].thing == REC_NONE) {
		json_name(&json, "not_told");
		put_row(&json, table, style, &table->rows.at[table->rows.count - 1]);
	}
	json_close_object(&json);
	json_end(&json);
}
