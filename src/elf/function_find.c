// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions by a pattern, and those whose names are near one. A place may have several names, in
 * either table and by either version; what is found is sorted by place and then holds each once.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "elf/file.h"
#include "elf/function.h"
#include "elf/function_private.h"
#include "util/nearest.h"
#include "util/text.h"
#include "util/vec.h"

/* Before doubles are taken out; more is no pattern that anybody means. */
#define MOST_MATCHES (64 * ELF_FUNCTION_MAX_FOUND)

struct match {
	char *name;
	uint64_t offset;
	uint64_t bytes;
	bool is_old;
	bool is_choice; /* IFUNC: what it is called for is another function */
};

struct choice {
	const struct elf_file *file;
	bool (*takes)(void *context, const char *name);
	void *context;
	VEC(struct match) matches;
	size_t too_many; /* matches that were not noted */
	bool has_choice; /* an IFUNC matches */
};

/* Bytes of the name without its version; 0: too long to be looked at, or without an end. */
static size_t name_bytes(const struct elf_function_symbol *symbol)
{
	size_t most = symbol->room < ELF_FUNCTION_MAX_NAME_BYTES ? symbol->room
								 : ELF_FUNCTION_MAX_NAME_BYTES;
	size_t length = strnlen(symbol->name, most);

	if (length == most)
		return 0;
	const char *version = memchr(symbol->name, '@', length);
	return version ? (size_t)(version - symbol->name) : length;
}

static void look_at(void *context, const struct elf_function_symbol *symbol)
{
	struct choice *choice = context;
	size_t length = name_bytes(symbol);
	uint64_t offset;

	if (!length)
		return;
	_cleanup_free_ char *name = xstrndup(symbol->name, length);
	if (!choice->takes(choice->context, name))
		return;
	choice->has_choice |= symbol->is_choice;
	if (elf_function_place(choice->file, symbol->address, &offset))
		return;
	if (choice->matches.count == MOST_MATCHES) {
		choice->too_many++;
		return;
	}
	/* In .symtab an old version has one @, the default one two or none. */
	bool is_old = symbol->is_hidden ||
		      (symbol->name[length] == '@' && symbol->name[length + 1] != '@');
	vec_push(&choice->matches,
		((struct match){name, offset, symbol->bytes, is_old, symbol->is_choice}));
	name = NULL;
}

/* Versions of one name, the default one first. */
static int by_name(const void *a, const void *b)
{
	const struct match *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	if (order)
		return order;
	if (left->is_old != right->is_old)
		return left->is_old - right->is_old;
	return (left->offset > right->offset) - (left->offset < right->offset);
}

/* Names of one place, the best one first. */
static int by_place(const void *a, const void *b)
{
	const struct match *left = a, *right = b;

	if (left->offset != right->offset)
		return left->offset < right->offset ? -1 : 1;
	size_t lines_left = strspn(left->name, "_"), lines_right = strspn(right->name, "_");
	if (lines_left != lines_right)
		return lines_left < lines_right ? -1 : 1;
	size_t length_left = strlen(left->name), length_right = strlen(right->name);
	if (length_left != length_right)
		return length_left < length_right ? -1 : 1;
	return strcmp(left->name, right->name);
}

static void drop(struct match *match)
{
	free(match->name);
	match->name = NULL;
}

/* Keeps those that still have a name. */
static size_t close_up(struct match *matches, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (matches[i].name)
			matches[kept++] = matches[i];
	return kept;
}

static size_t without_old_versions(struct match *matches, size_t count)
{
	const char *current = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!matches[i].is_old)
			current = matches[i].name;
		else if (current && !strcmp(current, matches[i].name))
			drop(&matches[i]);
	}
	return close_up(matches, count);
}

/* When it is known which old versions they take the place of. */
static size_t without_choices(struct match *matches, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (matches[i].is_choice)
			drop(&matches[i]);
	return close_up(matches, count);
}

static size_t without_doubles(struct match *matches, size_t count)
{
	struct match *first = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!first || first->offset != matches[i].offset) {
			first = &matches[i];
			continue;
		}
		if (first->bytes < matches[i].bytes)
			first->bytes = matches[i].bytes;
		drop(&matches[i]);
	}
	return close_up(matches, count);
}

static int settle(struct choice *choice, struct elf_function **ret, size_t *ret_count)
{
	vec_sort(&choice->matches, by_name);
	choice->matches.count = without_old_versions(choice->matches.at, choice->matches.count);
	choice->matches.count = without_choices(choice->matches.at, choice->matches.count);
	vec_sort(&choice->matches, by_place);
	choice->matches.count = without_doubles(choice->matches.at, choice->matches.count);
	vec_sort(&choice->matches, by_name);
	size_t count = choice->matches.count;
	if (count + choice->too_many > ELF_FUNCTION_MAX_FOUND) {
		*ret_count = count + choice->too_many;
		return -E2BIG;
	}
	if (!count)
		return choice->has_choice ? -ENOTSUP : -ENOENT;
	struct elf_function *functions = xcalloc(count, sizeof(*functions));
	for (size_t i = 0; i < count; i++) {
		functions[i] = (struct elf_function){choice->matches.at[i].name,
			choice->matches.at[i].offset, choice->matches.at[i].bytes};
		choice->matches.at[i].name = NULL;
	}
	*ret = functions;
	*ret_count = count;
	return 0;
}

int elf_function_choose(const struct elf_file *file, bool (*takes)(void *context, const char *name),
	void *context, struct elf_function **ret, size_t *ret_count)
{
	struct choice choice = {.file = file, .takes = takes, .context = context};
	int error = elf_function_each(file, look_at, &choice);

	if (!error)
		error = settle(&choice, ret, ret_count);
	vec_each (match, &choice.matches)
		free(match->name);
	vec_clear(&choice.matches);
	return error;
}

static bool matches_glob(void *context, const char *name)
{
	return text_matches_glob(name, context);
}

int elf_function_find(const struct elf_file *file, const char *pattern, struct elf_function **ret,
	size_t *ret_count)
{
	_cleanup_free_ char *copy = xstrdup(pattern);

	return elf_function_choose(file, matches_glob, copy, ret, ret_count);
}

void elf_functions_free(struct elf_function *functions, size_t count)
{
	for (size_t i = 0; functions && i < count; i++)
		free(functions[i].name);
	free(functions);
}

static void look_near(void *context, const struct elf_function_symbol *symbol)
{
	nearest_add_part(context, symbol->name, name_bytes(symbol));
}

char *elf_function_near(const struct elf_file *file, const char *name)
{
	struct nearest nearest;
	char *text = NULL;

	nearest_init(&nearest, name);
	if (!elf_function_each(file, look_near, &nearest))
		text = nearest_text(&nearest);
	nearest_clear(&nearest);
	return text;
}
