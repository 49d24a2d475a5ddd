// SPDX-License-Identifier: GPL-2.0-or-later
/* Strings by number: a vector of texts and a map from hash to number. */
#include "util/intern.h"

#include <string.h>

#include "util/hash.h"

static uint32_t add(struct intern *table, const char *text, size_t length)
{
	uint64_t hash = hash_bytes(0, text, length);

	for (;; hash++) {
		uint64_t *number = map64_put(&table->by_hash, hash, NULL);
		if (!*number) {
			vec_push(&table->texts, xstrndup(text, length));
			*number = table->texts.count;
			return (uint32_t)(*number - 1);
		}
		const char *known = table->texts.at[*number - 1];
		if (strlen(known) == length && !memcmp(known, text, length))
			return (uint32_t)(*number - 1);
	}
}

uint32_t intern_bytes(struct intern *table, const char *text, size_t length)
{
	if (!table->texts.count)
		add(table, "", 0);
	return add(table, text, strnlen(text, length));
}

uint32_t intern(struct intern *table, const char *text)
{
	return intern_bytes(table, text, strlen(text));
}

const char *intern_text(const struct intern *table, uint32_t number)
{
	return number < table->texts.count ? table->texts.at[number] : "";
}

void intern_clear(struct intern *table)
{
	vec_each (text, &table->texts)
		free(*text);
	vec_clear(&table->texts);
	map64_clear(&table->by_hash);
}
