// SPDX-License-Identifier: GPL-2.0-or-later
/* Attributes by function: one string for each of the four, where it was given. */
#include "render/flame/flame_attributes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/map64.h"
#include "util/mem.h"
#include "util/vec.h"

static const char *const names[ATTRIBUTES] = {
	[ATTRIBUTE_HREF] = "href",
	[ATTRIBUTE_TARGET] = "target",
	[ATTRIBUTE_CLASS] = "class",
	[ATTRIBUTE_TITLE] = "title",
};

struct entry {
	char *name;
	char *values[ATTRIBUTES];
};

struct flame_attributes {
	VEC(struct entry) entries;
	struct map64 by_hash; /* of name -> number + 1; clashes go on at hash + 1 */
};

struct flame_attributes *flame_attributes_new(void)
{
	return xcalloc(1, sizeof(struct flame_attributes));
}

void flame_attributes_free(struct flame_attributes *attributes)
{
	if (!attributes)
		return;
	vec_each (entry, &attributes->entries) {
		free(entry->name);
		for (int i = 0; i < ATTRIBUTES; i++)
			free(entry->values[i]);
	}
	vec_clear(&attributes->entries);
	map64_clear(&attributes->by_hash);
	free(attributes);
}

static bool is_called(const struct entry *entry, const char *name, size_t length)
{
	return strlen(entry->name) == length && !memcmp(entry->name, name, length);
}

static struct entry *find(
	const struct flame_attributes *attributes, const char *name, size_t length)
{
	uint64_t hash = hash_bytes(0, name, length);
	uint64_t *number;

	for (; (number = map64_find(&attributes->by_hash, hash)); hash++)
		if (is_called(&attributes->entries.at[*number - 1], name, length))
			return &attributes->entries.at[*number - 1];
	return NULL;
}

static struct entry *find_or_add(struct flame_attributes *attributes, const char *name)
{
	struct entry *known = find(attributes, name, strlen(name));
	struct entry made = {0};
	uint64_t hash = hash_bytes(0, name, strlen(name));

	if (known)
		return known;
	while (map64_find(&attributes->by_hash, hash))
		hash++;
	made.name = xstrdup(name);
	vec_push(&attributes->entries, made);
	*map64_put(&attributes->by_hash, hash, NULL) = attributes->entries.count;
	return &attributes->entries.at[attributes->entries.count - 1];
}

const char *flame_attributes_get(const struct flame_attributes *attributes, const char *name,
	size_t length, enum flame_attribute which)
{
	const struct entry *entry = attributes ? find(attributes, name, length) : NULL;

	return entry ? entry->values[which] : NULL;
}

/* javascript:, data: and the like have a scheme; a relative link has '/', '?' or '#' before ':'. */
static bool is_harmless(const char *link)
{
	size_t before = strcspn(link, ":/?#");

	for (const char *at = link; *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			return false;
	return link[before] != ':' || !strncasecmp(link, "http:", 5) ||
	       !strncasecmp(link, "https:", 6) || !strncasecmp(link, "file:", 5);
}

static int set_attribute(struct entry *entry, const char *text, struct why *why)
{
	const char *equals = strchr(text, '=');

	for (int i = 0; equals && i < ATTRIBUTES; i++) {
		size_t length = strlen(names[i]);
		if ((size_t)(equals - text) != length || memcmp(text, names[i], length))
			continue;
		if (i == ATTRIBUTE_HREF && !is_harmless(equals + 1))
			return why_set(why, -EINVAL,
				"%.100s: only http, https, file and relative links are taken",
				text);
		free(entry->values[i]);
		entry->values[i] = xstrdup(equals + 1);
		return 0;
	}
	return why_set(why, -EINVAL, "%.100s: not one of href=, target=, class=, title=", text);
}

static int read_line(struct flame_attributes *attributes, char *line, struct why *why)
{
	char *rest = line;
	const char *name = strsep(&rest, "\t");
	struct entry *entry;
	char *word;

	if (!rest)
		return why_set(why, -EINVAL, "%.100s: no tab behind the name", line);
	entry = find_or_add(attributes, name);
	while ((word = strsep(&rest, "\t"))) {
		int error = word[0] ? set_attribute(entry, word, why) : 0;
		if (error)
			return error;
	}
	return 0;
}

int flame_attributes_read(struct flame_attributes *attributes, FILE *in, struct why *why)
{
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, in) >= 0) {
		int error;
		line[strcspn(line, "\r\n")] = 0;
		error = line[0] ? read_line(attributes, line, why) : 0;
		if (error)
			return error;
	}
	return ferror(in) ? why_set(why, -EIO, "%s", strerror(EIO)) : 0;
}
