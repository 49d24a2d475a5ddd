// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a packed unwind table, as they are and with header and checksum put right, as
 * somebody would who wants to be believed. What comes out is safe to use as an index.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/cfi/cfi_pack.h"
#include "util/hash.h"

#define KEY 7
/* Magic, version, three counts, first page, key, checksum. */
#define KEY_AT 32
#define CHECKSUM_AT 40
#define HEADER_BYTES 48

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t read_all(const uint8_t *data, size_t size)
{
	struct cfi_table table;
	uint64_t sum = 0;

	if (cfi_unpack(data, size, KEY, &table))
		return 0;
	/* As the kernel side would: page words lead to rows, rows to rules. */
	for (uint32_t page = 0; page < table.page_count; page++)
		for (uint32_t i = table.pages[page] - 1; i < table.pages[page + 1]; i++)
			sum += table.rules[UNWIND_ROW_RULE(table.rows[i])].cfa_kind;
	cfi_table_find(&table, table.first_page + sum);
	cfi_table_clear(&table);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t checksum = 0, key = KEY;
	uint8_t *copy;

	read_all(data, size);
	if (size < HEADER_BYTES)
		return 0;
	copy = malloc(size);
	memcpy(copy, data, size);
	memcpy(copy, "dwellcfi\1\0\0\0", 12);
	memcpy(copy + KEY_AT, &key, sizeof(key));
	memcpy(copy + CHECKSUM_AT, &checksum, sizeof(checksum));
	checksum = hash_bytes(
		hash_bytes(0, copy, HEADER_BYTES), copy + HEADER_BYTES, size - HEADER_BYTES);
	memcpy(copy + CHECKSUM_AT, &checksum, sizeof(checksum));
	read_all(copy, size);
	free(copy);
	return 0;
}
