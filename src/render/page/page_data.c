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

#include "model/plumbing.h"
#include "model/reason.h"
#include "render/page/page_pack.h"
#include "render/page/page_parts.h"
#include "util/units.h"

/* Grows when a reader of the old form would go wrong. */
#define PAGE_DATA_VERSION 3

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
COLUMN(frame_scheduler,
	reason_is_scheduler(intern_text(&cube->tree.labels, cube->tree.frames.at[row].label)))
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
COLUMN(kind_thing, cube->kinds.at[row].thing)
COLUMN(kind_unsliced, cube->kinds.at[row].is_unsliced)
COLUMN(key_thread, table->keys.at[row].thread)
COLUMN(key_kind, table->keys.at[row].kind)
COLUMN(key_node, table->keys.at[row].node)
COLUMN(key_chain, table->keys.at[row].chain)
COLUMN(key_band, table->keys.at[row].band)
COLUMN(key_s, table->keys.at[row].weight / NS_PER_S)
COLUMN(key_ns, table->keys.at[row].weight % NS_PER_S)
COLUMN(key_count, table->keys.at[row].count)
COLUMN(key_samples, table->keys.at[row].samples)
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
COLUMN(hop_lock, cube->hops.at[row].is_lock)
COLUMN(share_ran, cube->shares.at[row].ran_ns)
COLUMN(share_no_cpu, cube->shares.at[row].no_cpu_ns)
COLUMN(share_earlier, cube->shares.at[row].earlier_ns)
COLUMN(cell_bucket, table->cells.at[row].bucket)
COLUMN(cell_key, table->cells.at[row].key)
COLUMN(cell_s, table->cells.at[row].weight / NS_PER_S)
COLUMN(cell_ns, table->cells.at[row].weight % NS_PER_S)
COLUMN(cell_count, table->cells.at[row].count)
COLUMN(cell_samples, table->cells.at[row].samples)

static const struct column frame_columns[] = {
	{"label", DELTA, frame_label}, {"plumbing", PLAIN, frame_plumbing},
	{"scheduler", PLAIN, frame_scheduler}, {0}};
static const struct column object_columns[] = {
	{"label", DELTA, object_label}, {"object", DELTA, object_object}, {0}};
static const struct column node_columns[] = {
	{"parent", BACK, node_parent}, {"frame", DELTA, node_frame}, {"kind", PLAIN, node_kind},
	{0}};
static const struct column kind_columns[] = {
	{"state", PLAIN, kind_state}, {"letter", PLAIN, kind_letter},
	{"reason", PLAIN, kind_reason}, {"called", PLAIN, kind_called}, {"idle", PLAIN, kind_idle},
	{"operation", PLAIN, kind_operation}, {"line", PLAIN, kind_line},
	{"unsliced", PLAIN, kind_unsliced}, {"thing", PLAIN, kind_thing}, {0}};
static const struct column key_columns[] = {
	{"thread", DELTA, key_thread}, {"kind", DELTA, key_kind}, {"node", DELTA, key_node},
	{"chain", DELTA, key_chain}, {"band", PLAIN, key_band}, {"s", PLAIN, key_s}, {"ns", PLAIN, key_ns},
	{"count", PLAIN, key_count}, {"unended", PLAIN, key_unended},
	{"max", PLAIN, key_max_ns}, {0}};
static const struct column event_columns[] = {
	{"thread", DELTA, key_thread}, {"node", DELTA, key_node}, {"s", PLAIN, key_s},
	{"ns", PLAIN, key_ns}, {"count", PLAIN, key_count}, {"samples", PLAIN, key_samples}, {0}};
static const struct column cell_columns[] = {
	{"bucket", DELTA, cell_bucket}, {"key", DELTA, cell_key}, {"s", PLAIN, cell_s},
	{"ns", PLAIN, cell_ns}, {"count", PLAIN, cell_count}, {0}};
static const struct column event_cell_columns[] = {
	{"bucket", DELTA, cell_bucket}, {"key", DELTA, cell_key}, {"s", PLAIN, cell_s},
	{"ns", PLAIN, cell_ns}, {"count", PLAIN, cell_count}, {"samples", PLAIN, cell_samples},
	{0}};
static const struct column chain_columns[] = {
	{"first", DELTA, chain_first}, {"count", PLAIN, chain_count}, {"end", PLAIN, chain_end},
	{0}};
static const struct column hop_columns[] = {
	{"kind", PLAIN, hop_kind}, {"name", DELTA, hop_name}, {"node", DELTA, hop_node},
	{"waited", PLAIN, hop_waited}, {"reason", PLAIN, hop_reason},
	{"operation", PLAIN, hop_operation}, {"spot", PLAIN, hop_spot},
	{"lock", PLAIN, hop_lock}, {0}};
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
			{"cells", event_cell_columns, events->cells.count, i + 1},
		};
		vec_append(list, pair, ARRAY_SIZE(pair));
	}
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

static char *head_text(const struct page *page, const table_list *tables, size_t *ret_size)
{
	struct json json;
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_size);

	if (!out)
		abort();
	json_init(&json, out);
	json_open_object(&json);
	json_field_uint(&json, "version", PAGE_DATA_VERSION);
	page_facts(&json, page);
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
