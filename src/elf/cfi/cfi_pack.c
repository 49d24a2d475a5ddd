// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The counts of the header decide how long the bytes must be, to the byte; then the checksum must
 * be right; then the table must be sound. The checksum is against accidents only: whoever can write
 * the file can make one.
 */
#include "elf/cfi/cfi_pack.h"

#include <errno.h>
#include <string.h>

#include "util/hash.h"
#include "util/mem.h"

#define MAGIC "dwellcfi"
/* Goes up with every change of the reader that changes tables, and of their layout. */
#define VERSION 4

struct header {
	char magic[8];
	uint32_t version;
	uint32_t row_count;
	uint32_t page_count;
	uint32_t rule_count;
	uint64_t first_page;
	uint64_t key;
	uint64_t checksum; /* of all the rest, with 0 here */
};

const uint64_t cfi_pack_min_bytes =
	sizeof(struct header) + sizeof(struct unwind_rule) + 3 * sizeof(uint32_t);
const uint64_t cfi_pack_max_bytes = sizeof(struct header) +
				    UNWIND_MAX_OBJECT_RULES * sizeof(struct unwind_rule) +
				    (UNWIND_MAX_PAGES + 1ULL + UNWIND_MAX_ROWS) * sizeof(uint32_t);

static uint64_t packed_bytes(const struct header *header)
{
	return sizeof(*header) + (uint64_t)header->rule_count * sizeof(struct unwind_rule) +
	       ((uint64_t)header->page_count + 1 + header->row_count) * sizeof(uint32_t);
}

static uint64_t checksum(struct header header, const unsigned char *body, size_t bytes)
{
	header.checksum = 0;
	return hash_bytes(hash_bytes(0, &header, sizeof(header)), body, bytes);
}

static unsigned char *put(unsigned char *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
	return to + bytes;
}

void *cfi_pack(const struct cfi_table *table, uint64_t key, size_t *ret_bytes)
{
	struct header header = {.magic = MAGIC,
		.version = VERSION,
		.row_count = table->row_count,
		.page_count = table->page_count,
		.rule_count = table->rule_count,
		.first_page = table->first_page,
		.key = key};
	size_t bytes = packed_bytes(&header);
	unsigned char *packed = xmalloc(bytes), *at = packed + sizeof(header);

	at = put(at, table->rules, table->rule_count * sizeof(*table->rules));
	at = put(at, table->pages, ((size_t)table->page_count + 1) * sizeof(*table->pages));
	put(at, table->rows, table->row_count * sizeof(*table->rows));
	header.checksum = checksum(header, packed + sizeof(header), bytes - sizeof(header));
	memcpy(packed, &header, sizeof(header));
	*ret_bytes = bytes;
	return packed;
}

static bool is_known_header(const struct header *header, size_t count, uint64_t key)
{
	return !memcmp(header->magic, MAGIC, sizeof(header->magic)) && header->version == VERSION &&
	       header->key == key && header->row_count && header->row_count <= UNWIND_MAX_ROWS &&
	       header->page_count && header->page_count <= UNWIND_MAX_PAGES && header->rule_count &&
	       header->rule_count <= UNWIND_MAX_OBJECT_RULES && packed_bytes(header) == count;
}

static void *copy(const unsigned char **from, size_t count, size_t item_bytes)
{
	void *to = xreallocarray(NULL, count, item_bytes);

	memcpy(to, *from, count * item_bytes);
	*from += count * item_bytes;
	return to;
}

int cfi_unpack(const void *bytes, size_t count, uint64_t key, struct cfi_table *ret)
{
	const unsigned char *at = bytes;
	struct cfi_table table = {0};
	struct header header;

	if (count < sizeof(header))
		return -EBADMSG;
	memcpy(&header, at, sizeof(header));
	at += sizeof(header);
	if (!is_known_header(&header, count, key) ||
		checksum(header, at, count - sizeof(header)) != header.checksum)
		return -EBADMSG;
	table.first_page = header.first_page;
	table.row_count = header.row_count;
	table.page_count = header.page_count;
	table.rule_count = header.rule_count;
	table.rules = copy(&at, table.rule_count, sizeof(*table.rules));
	table.pages = copy(&at, (size_t)table.page_count + 1, sizeof(*table.pages));
	table.rows = copy(&at, table.row_count, sizeof(*table.rows));
	if (!cfi_table_is_sound(&table)) {
		cfi_table_clear(&table);
		return -EBADMSG;
	}
	*ret = table;
	return 0;
}

static bool rules_are_sound(const struct cfi_table *table)
{
	for (uint32_t i = 0; i < table->rule_count; i++) {
		const struct unwind_rule *rule = &table->rules[i];
		if (rule->cfa_kind >= UNWIND_CFA_KINDS || rule->fp_kind >= UNWIND_FP_KINDS)
			return false;
		if (rule->cfa_kind == UNWIND_CFA_PLT &&
			(rule->cfa_offset < 0 || rule->cfa_offset > 15))
			return false;
	}
	return true;
}

static bool pages_are_sound(const struct cfi_table *table)
{
	uint64_t end;

	if (table->first_page % UNWIND_PAGE_BYTES ||
		__builtin_add_overflow(
			table->first_page, (uint64_t)table->page_count << UNWIND_PAGE_SHIFT, &end))
		return false;
	if (table->pages[0] != 1 || table->pages[table->page_count] != table->row_count)
		return false;
	for (uint32_t i = 0; i < table->page_count; i++)
		if (table->pages[i + 1] < table->pages[i])
			return false;
	return true;
}

/* Page words are sound already. */
static bool rows_are_sound(const struct cfi_table *table)
{
	uint32_t bad = UNWIND_ROW_RULE(table->rows[0]) >= table->rule_count;

	if (bad || table->rules[UNWIND_ROW_RULE(table->rows[0])].cfa_kind != UNWIND_CFA_GAP)
		return false;
	for (uint32_t page = 0; page < table->page_count; page++) {
		uint32_t last = 0;
		for (uint32_t i = table->pages[page]; i < table->pages[page + 1]; i++) {
			/* One more than the address, so that 0 is below all of them. */
			uint32_t here = UNWIND_ROW_ADDRESS(table->rows[i]) + 1;
			bad |= here <= last;
			bad |= here > UNWIND_PAGE_BYTES;
			bad |= UNWIND_ROW_RULE(table->rows[i]) >= table->rule_count;
			last = here;
		}
	}
	return !bad;
}

bool cfi_table_is_sound(const struct cfi_table *table)
{
	return table->row_count && table->row_count <= UNWIND_MAX_ROWS && table->page_count &&
	       table->page_count <= UNWIND_MAX_PAGES && table->rule_count &&
	       table->rule_count <= UNWIND_MAX_OBJECT_RULES && rules_are_sound(table) &&
	       pages_are_sound(table) && rows_are_sound(table);
}
