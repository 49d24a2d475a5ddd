// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The data of the page: four bytes of length, that much JSON, then the tables that the JSON
 * announces, column after column, as numbers (page_pack.h). How a column is written is part of its
 * name's entry: "plain", "back" (its own row number less the value), "delta" (signed, from the row
 * before). Times are two columns, whole seconds and the rest in ns, so that sums of any size stay
 * exact in a language whose numbers end at 2^53; values of measures likewise, whatever their unit.
 * Keys and cells of a measure are tables of their own. web/page/data.js reads it.
 */
#include <string.h>

#include "model/words.h"
#include "profile/view_types.h"
#include "model/plumbing.h"
#include "render/page/page_pack.h"
#include "render/page/page_parts.h"
#include "util/json.h"
#include "util/units.h"

/* Grows when a reader of the old form would go wrong. */
#define PAGE_DATA_VERSION 2
/* Lines of the report that are explained. */
#define MOST_SENTENCES 200

enum encoding { PLAIN, BACK, DELTA };

/* Where values come from: keys and cells from the table of time or of a measure. */
struct source {
	const struct cube *cube;
	const struct cube_table *table;
};

typedef uint64_t (*column_fn)(const struct source *source, size_t row);

struct column {
	const char *name;
	enum encoding encoding;
	column_fn value;
};

/* Does a user frame of that name tell nothing of who waits? */
static bool is_plumbing(const struct cube *cube, uint32_t label)
{
	const char *text = intern_text(&cube->tree.labels, label);

	return strstr(text, "+0x") || plumbing_is(text);
}

/* clang-format off */
#define COLUMN(name, expression)                                                                   \
	static uint64_t name(const struct source *source, size_t row)                              \
	{                                                                                          \
		const struct cube *cube = source->cube;                                            \
		const struct cube_table *table = source->table;                                    \
		(void)cube, (void)table;                                                           \
		return (uint64_t)(expression);                                                     \
	}

COLUMN(frame_label, cube->tree.frames.at[row].label)
COLUMN(frame_plumbing, is_plumbing(cube, cube->tree.frames.at[row].label))
COLUMN(object_label, cube->objects.at[row].label)
COLUMN(object_object, cube->objects.at[row].object)
COLUMN(node_parent, cube->tree.nodes.at[row].parent)
COLUMN(node_frame, cube->tree.nodes.at[row].frame)
COLUMN(node_kind, cube->tree.nodes.at[row].kind)
COLUMN(kind_state, cube->kinds.at[row].state)
COLUMN(kind_letter, (unsigned char)cube->kinds.at[row].task_letter)
COLUMN(kind_reason, cube->kinds.at[row].reason)
COLUMN(kind_called, cube->kinds.at[row].called)
COLUMN(kind_idle, cube->kinds.at[row].idle)
COLUMN(kind_operation, cube->kinds.at[row].operation)
COLUMN(kind_line, cube->kinds.at[row].line)
COLUMN(kind_unsliced, cube->kinds.at[row].is_unsliced)
COLUMN(key_thread, table->keys.at[row].thread)
COLUMN(key_kind, table->keys.at[row].kind)
COLUMN(key_node, table->keys.at[row].node)
COLUMN(key_chain, table->keys.at[row].chain)
COLUMN(key_band, table->keys.at[row].band)
COLUMN(key_s, table->keys.at[row].weight / NS_PER_S)
COLUMN(key_ns, table->keys.at[row].weight % NS_PER_S)
COLUMN(key_count, table->keys.at[row].count)
COLUMN(key_unended, table->keys.at[row].unended)
COLUMN(key_max_ns, table->keys.at[row].max_ns)
COLUMN(chain_first, cube->chains.at[row].first_hop)
COLUMN(chain_count, cube->chains.at[row].hop_count)
COLUMN(chain_end, cube->chains.at[row].end)
COLUMN(hop_kind, cube->hops.at[row].kind)
COLUMN(hop_name, cube->hops.at[row].name)
COLUMN(hop_node, cube->hops.at[row].node)
COLUMN(hop_waited, cube->hops.at[row].has_waited)
COLUMN(hop_reason, cube->hops.at[row].reason)
COLUMN(hop_operation, cube->hops.at[row].operation)
COLUMN(hop_spot, cube->hops.at[row].spot)
COLUMN(share_ran, cube->shares.at[row].ran_ns)
COLUMN(share_no_cpu, cube->shares.at[row].no_cpu_ns)
COLUMN(share_earlier, cube->shares.at[row].earlier_ns)
COLUMN(cell_bucket, table->cells.at[row].bucket)
COLUMN(cell_key, table->cells.at[row].key)
COLUMN(cell_s, table->cells.at[row].weight / NS_PER_S)
COLUMN(cell_ns, table->cells.at[row].weight % NS_PER_S)
COLUMN(cell_count, table->cells.at[row].count)

static const struct column frame_columns[] = {
	{"label", DELTA, frame_label}, {"plumbing", PLAIN, frame_plumbing}, {0}};
static const struct column object_columns[] = {
	{"label", DELTA, object_label}, {"object", DELTA, object_object}, {0}};
static const struct column node_columns[] = {
	{"parent", BACK, node_parent}, {"frame", DELTA, node_frame}, {"kind", PLAIN, node_kind},
	{0}};
static const struct column kind_columns[] = {
	{"state", PLAIN, kind_state}, {"letter", PLAIN, kind_letter},
	{"reason", PLAIN, kind_reason}, {"called", PLAIN, kind_called}, {"idle", PLAIN, kind_idle},
	{"operation", PLAIN, kind_operation}, {"line", PLAIN, kind_line},
	{"unsliced", PLAIN, kind_unsliced}, {0}};
static const struct column key_columns[] = {
	{"thread", DELTA, key_thread}, {"kind", DELTA, key_kind}, {"node", DELTA, key_node},
	{"chain", DELTA, key_chain}, {"band", PLAIN, key_band}, {"s", PLAIN, key_s}, {"ns", PLAIN, key_ns},
	{"count", PLAIN, key_count}, {"unended", PLAIN, key_unended},
	{"max", PLAIN, key_max_ns}, {0}};
static const struct column event_columns[] = {
	{"thread", DELTA, key_thread}, {"node", DELTA, key_node}, {"s", PLAIN, key_s},
	{"ns", PLAIN, key_ns}, {"count", PLAIN, key_count}, {0}};
static const struct column cell_columns[] = {
	{"bucket", DELTA, cell_bucket}, {"key", DELTA, cell_key}, {"s", PLAIN, cell_s},
	{"ns", PLAIN, cell_ns}, {"count", PLAIN, cell_count}, {0}};
static const struct column chain_columns[] = {
	{"first", DELTA, chain_first}, {"count", PLAIN, chain_count}, {"end", PLAIN, chain_end},
	{0}};
static const struct column hop_columns[] = {
	{"kind", PLAIN, hop_kind}, {"name", DELTA, hop_name}, {"node", DELTA, hop_node},
	{"waited", PLAIN, hop_waited}, {"reason", PLAIN, hop_reason},
	{"operation", PLAIN, hop_operation}, {"spot", PLAIN, hop_spot}, {0}};
static const struct column share_columns[] = {
	{"ran", PLAIN, share_ran}, {"nocpu", PLAIN, share_no_cpu},
	{"earlier", PLAIN, share_earlier}, {0}};
/* clang-format on */

struct table {
	const char *name;
	const struct column *columns;
	size_t rows;
	size_t measure; /* of keys and cells: number of the measure, from 1 on; 0: time */
};

typedef VEC(struct table) table_list;

static void list_tables(const struct page *page, table_list *list)
{
	const struct cube *cube = page->cube;
	const struct table tables[] = {
		{"frames", frame_columns, cube->tree.frames.count, 0},
		{"nodes", node_columns, cube->tree.nodes.count, 0},
		{"kinds", kind_columns, cube->kinds.count, 0},
		{"keys", key_columns, cube->time.keys.count, 0},
		{"cells", cell_columns, cube->time.cells.count, 0},
		{"objects", object_columns, page->options->is_redacted ? 0 : cube->objects.count,
			0},
		{"chains", chain_columns, cube->chains.count, 0},
		{"hops", hop_columns, cube->hops.count, 0},
		{"shares", share_columns, cube->shares.count, 0},
	};

	vec_append(list, tables, ARRAY_SIZE(tables));
	for (size_t i = 0; i < cube->measures.count; i++) {
		const struct cube_table *events = &cube->measures.at[i].events;
		const struct table pair[] = {
			{"keys", event_columns, events->keys.count, i + 1},
			{"cells", cell_columns, events->cells.count, i + 1},
		};
		vec_append(list, pair, ARRAY_SIZE(pair));
	}
}

static void put_name(struct json *json, const struct page *page, const char *name, const char *text)
{
	_cleanup_free_ char *clean = page_text(text, page->options->is_redacted);

	json_field_text(json, name, clean);
}

static void put_recording(struct json *json, const struct page *page)
{
	const struct rec_meta *meta = page->summary->meta;
	bool is_redacted = page->options->is_redacted;

	json_name(json, "recording");
	json_open_object(json);
	put_name(json, page, "file", is_redacted ? "" : page->options->file);
	put_name(json, page, "made_by", is_redacted ? "" : page->options->command);
	put_name(json, page, "command_line", is_redacted ? "" : meta->command_line);
	put_name(json, page, "target", is_redacted ? "" : meta->target);
	put_name(json, page, "host", is_redacted ? "" : meta->host);
	put_name(json, page, "kernel", meta->kernel_release);
	put_name(json, page, "dwell_version", meta->dwell_version);
	put_name(json, page, "sample_event", meta->sample_event);
	put_name(json, page, "user_stacks", meta->user_stacks);
	json_field_uint(json, "cpus", meta->cpus);
	json_field_uint(json, "start_unix_ms", meta->start_unix_ns / NS_PER_MS);
	json_field_uint(json, "sample_hz", meta->sample_hz);
	json_field_uint(json, "slice_ns", meta->slice_ns);
	json_field_bool(json, "is_finished", meta->is_finished);
	json_field_bool(json, "is_redacted", is_redacted);
	json_field_double(json, "complete_user_stacks", page->summary->completeness.by_time);
	json_field_double(json, "cost_us_per_switch",
		meta->switches ? (double)meta->program_ns / (double)meta->switches / 1e3 : 0);
	json_field_double(json, "cost_share_of_one_cpu",
		meta->window_ns ? rec_meta_cost_ns(meta) / (double)meta->window_ns : 0);
	json_close_object(json);
}

static void put_folds(struct json *json, const struct cube_table *table)
{
	json_field_uint(json, "keys", table->folded_keys);
	json_field_uint(json, "keys_weight", table->folded_keys_weight);
	json_field_uint(json, "cells", table->folded_cells);
	json_field_uint(json, "cells_weight", table->folded_cells_weight);
}

/* What all views have, in an object that is open; texts of a measure come from the recording. */
static void put_view(struct json *json, const struct page *page, const struct view_type *type)
{
	put_name(json, page, "name", type->name);
	put_name(json, page, "title", type->label);
	put_name(json, page, "about", type->about);
	put_name(json, page, "weight", type->weight);
	put_name(json, page, "counted", type->counted);
	put_name(json, page, "counts", type->counts);
	json_field_text(json, "unit", unit_name(type->unit));
	put_name(json, page, "unit_word", type->unit_word);
	json_field_bool(json, "needs_chains", type->needs_chains);
	json_name(json, "marks");
	json_open_array(json);
	for (unsigned int state = 0; state <= TIME_SAMPLE; state++)
		json_text(json, type->marks[state] ? type->marks[state] : "");
	json_close_array(json);
}

/* The list of views, those of measures at its end: the page has none of its own. */
static void put_views(struct json *json, const struct page *page)
{
	const struct cube *cube = page->cube;

	json_name(json, "views");
	json_open_array(json);
	for (unsigned int i = 0; i < VIEWS; i++) {
		json_open_object(json);
		put_view(json, page, view_type((enum view)i));
		json_field_uint(json, "states", view_type((enum view)i)->states);
		json_close_object(json);
	}
	for (size_t i = 0; i < cube->measures.count; i++) {
		json_open_object(json);
		put_view(json, page, &cube->measures.at[i].view.type);
		json_field_uint(json, "measure", i + 1);
		json_name(json, "folded");
		json_open_object(json);
		put_folds(json, &cube->measures.at[i].events);
		json_close_object(json);
		json_close_object(json);
	}
	json_close_array(json);
}

static void put_words(struct json *json, const struct page *page)
{
	const struct words *words = page->summary->words;

	json_name(json, "states");
	json_open_array(json);
	for (unsigned int i = 0; i <= TIME_SAMPLE; i++)
		json_text(json, state_name((enum time_state)i));
	json_close_array(json);
	json_name(json, "reasons");
	json_open_array(json);
	for (unsigned int i = 0; i < REASONS; i++) {
		const char letter[2] = {reason_letter((enum reason)i), 0};
		json_open_array(json);
		json_text(json, reason_name((enum reason)i));
		json_text(json, letter);
		json_close_array(json);
	}
	json_close_array(json);
	json_name(json, "bands");
	json_open_array(json);
	for (unsigned int i = 0; i < page->cube->bands; i++)
		json_text(json, words_text(words, WORD_BAND, i));
	json_close_array(json);
	json_name(json, "hop_kinds");
	json_open_array(json);
	for (unsigned int i = 0; i < words_count(words, WORD_HOP_KIND); i++) {
		json_open_array(json);
		json_text(json, words_text(words, WORD_HOP_KIND, i));
		json_bool(json, hop_kind_is_metal((enum hop_kind)i));
		/* Not in this dwell's words: its wakers are called by it. */
		if (!words_is_own(WORD_HOP_KIND, i))
			json_bool(json, true);
		json_close_array(json);
	}
	json_close_array(json);
	json_name(json, "chain_ends");
	json_open_array(json);
	for (unsigned int i = 0; i < words_count(words, WORD_CHAIN_END); i++) {
		const char *frame = words_frame(words, WORD_CHAIN_END, i);
		json_open_array(json);
		json_text(json, words_text(words, WORD_CHAIN_END, i));
		json_text(json, frame ? frame : "");
		json_bool(json, chain_end_has_rest((enum chain_end)i));
		json_text(json, words_plain_end(words, (enum chain_end)i));
		json_close_array(json);
	}
	json_close_array(json);
	json_name(json, "idles");
	json_open_array(json);
	for (unsigned int i = 0; i < IDLE_KINDS; i++)
		json_text(json, idle_kind_name((enum idle_kind)i));
	json_close_array(json);
}

static void put_threads(struct json *json, const struct page *page)
{
	bool is_redacted = page->options->is_redacted;

	json_name(json, "threads");
	json_open_array(json);
	vec_each (thread, &page->cube->threads) {
		json_open_object(json);
		put_name(json, page, "comm", thread->comm);
		put_name(json, page, "process", thread->process->name);
		if (thread->process->container[0] && !is_redacted)
			put_name(json, page, "container", thread->process->container);
		if (thread->process->exe[0] && !is_redacted)
			put_name(json, page, "exe", thread->process->exe);
		if (thread->tid) {
			json_field_uint(json, "pid", thread->process->pid);
			json_field_uint(json, "tid", thread->tid);
		} else {
			json_field_uint(json, "threads", thread->threads);
		}
		json_field_uint(json, "life_s", thread->life_ns / NS_PER_S);
		json_field_uint(json, "life_ns", thread->life_ns % NS_PER_S);
		if (thread->is_kernel)
			json_field_bool(json, "is_kernel", true);
		json_close_object(json);
	}
	json_close_array(json);
}

static void put_labels(struct json *json, const struct page *page)
{
	const struct intern *labels = &page->cube->tree.labels;

	json_name(json, "labels");
	json_open_array(json);
	for (size_t i = 0; i < labels->texts.count; i++) {
		_cleanup_free_ char *clean =
			page_text(intern_text(labels, (uint32_t)i), page->options->is_redacted);
		json_text(json, clean);
	}
	json_close_array(json);
}

/* The report's lines, which kinds refer to by number, and what each was for in its words. */
static void put_lines(struct json *json, const struct page *page)
{
	const struct summary *summary = page->summary;

	json_name(json, "lines");
	json_open_array(json);
	for (size_t i = 0; i < summary->lines.count; i++) {
		const struct summary_line *line = &summary->lines.at[i];
		_cleanup_free_ char *sentence =
			i < MOST_SENTENCES ? page_sentence(page, i) : xstrdup("");
		_cleanup_free_ char *name = summary_root_name(summary, line->root);
		json_open_object(json);
		put_name(json, page, "name", name);
		json_field_text(
			json, "reason", line->is_runnable ? "no CPU" : reason_name(line->reason));
		put_name(json, page, "operation", line->operation ? line->operation : "");
		if (line->known.name)
			json_field_text(json, "known", line->known.name);
		if (line->spot)
			put_name(json, page, "spot", line->spot);
		if (line->is_rest)
			json_field_bool(json, "is_rest", true);
		put_name(json, page, "text", sentence);
		json_close_object(json);
	}
	json_close_array(json);
}

static void put_tables(struct json *json, const table_list *tables)
{
	static const char *const encodings[] = {
		[PLAIN] = "plain", [BACK] = "back", [DELTA] = "delta"};

	json_name(json, "tables");
	json_open_array(json);
	vec_each (table, tables) {
		json_open_object(json);
		json_field_text(json, "name", table->name);
		json_field_uint(json, "rows", table->rows);
		if (table->measure)
			json_field_uint(json, "measure", table->measure);
		json_name(json, "columns");
		json_open_array(json);
		for (const struct column *column = table->columns; column->name; column++) {
			json_open_array(json);
			json_text(json, column->name);
			json_text(json, encodings[column->encoding]);
			json_close_array(json);
		}
		json_close_array(json);
		json_close_object(json);
	}
	json_close_array(json);
}

static void put_start(struct json *json, const struct page_options *options)
{
	static const char *const idles[] = {
		[IDLE_SHOW] = "show", [IDLE_HIDE] = "hide", [IDLE_ONLY] = "only"};

	json_name(json, "start");
	json_open_object(json);
	json_field_text(json, "by", options->by);
	json_field_text(json, "idle", idles[options->idle]);
	json_close_object(json);
}

static char *head_text(const struct page *page, const table_list *tables, size_t *ret_size)
{
	const struct cube *cube = page->cube;
	struct json json;
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_size);

	if (!out)
		abort();
	json_init(&json, out);
	json_open_object(&json);
	json_field_uint(&json, "version", PAGE_DATA_VERSION);
	put_recording(&json, page);
	json_field_uint(&json, "from_ns", cube->from_ns);
	json_field_uint(&json, "to_ns", cube->to_ns);
	json_field_uint(&json, "buckets", cube->buckets);
	json_field_uint(&json, "bucket_ns", cube->bucket_ns);
	put_start(&json, page->options);
	put_views(&json, page);
	put_words(&json, page);
	json_name(&json, "folded");
	json_open_object(&json);
	json_field_uint(&json, "threads", cube->folded_threads);
	put_folds(&json, &cube->time);
	json_close_object(&json);
	put_lines(&json, page);
	json_field_bool(&json, "has_chains", cube->has_chains);
	put_threads(&json, page);
	put_labels(&json, page);
	put_tables(&json, tables);
	json_close_object(&json);
	json_end(&json);
	fclose(out);
	return text;
}

static void put_column(struct page_pack *pack, const struct source *source,
	const struct column *column, size_t rows)
{
	uint64_t before = 0;

	for (size_t row = 0; row < rows; row++) {
		uint64_t value = column->value(source, row);
		if (column->encoding == BACK)
			page_pack_number(pack, row - value);
		else if (column->encoding == DELTA)
			page_pack_signed(pack, (int64_t)(value - before));
		else
			page_pack_number(pack, value);
		before = value;
	}
}

static void put_table(struct page_pack *pack, const struct cube *cube, const struct table *table)
{
	struct source source = {
		cube, table->measure ? &cube->measures.at[table->measure - 1].events : &cube->time};

	for (const struct column *column = table->columns; column->name; column++)
		put_column(pack, &source, column, table->rows);
}

void page_data(const struct page *page)
{
	table_list tables = {0};
	size_t size = 0;
	_cleanup_free_ char *head = NULL;
	struct page_pack *pack = page_pack_new(page->out);
	unsigned char length[4];

	list_tables(page, &tables);
	head = head_text(page, &tables, &size);
	for (size_t i = 0; i < sizeof(length); i++)
		length[i] = (unsigned char)(size >> (8 * i));
	page_pack_bytes(pack, length, sizeof(length));
	page_pack_bytes(pack, head, size);
	vec_each (table, &tables)
		put_table(pack, page->cube, table);
	vec_clear(&tables);
	page_pack_finish(pack);
}
