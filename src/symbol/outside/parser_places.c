// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Places to probe, by both sides: those who parse find them and write them down, those who ask
 * check what they read. Texts are written as their length and their bytes, lists as the number of
 * their items and each of these.
 */
#include <errno.h>
#include <string.h>

#include "elf/function.h"
#include "elf/pack.h"
#include "elf/probe_place.h"
#include "symbol/demangle.h"
#include "symbol/outside/parser_private.h"
#include "util/mem.h"
#include "util/nearest.h"
#include "util/text.h"

#define MAX_NEAR_BYTES (NEAREST_NAMES * (PARSER_MAX_NAME_BYTES + 2))

/* The name is what demangling made of it, if that was asked for, and may be longer. */
#define MAX_FUNCTION_BYTES DEMANGLE_MAX_BYTES

static void add_text(struct elf_bytes *bytes, const char *text, size_t most)
{
	elf_bytes_add_array(bytes, text, strnlen(text, most), 1);
}

/* The caller frees it. A byte 0 in it would end it early; text for people has none. */
static int take_text(struct elf_cursor *at, size_t most, char **ret)
{
	void *bytes = NULL;
	size_t count = 0;
	int error = elf_cursor_take_array(at, most, 1, &bytes, &count);

	if (!error && (!count || memchr(bytes, '\0', count)))
		error = -EBADMSG;
	if (!error)
		*ret = xstrndup(bytes, count);
	free(bytes);
	return error;
}

/* Functions. */

static bool demangled_matches(void *context, const char *name)
{
	if (!demangle_may_help(name))
		return false;
	_cleanup_free_ char *text = demangle(name);
	return text && text_matches_glob(text, context);
}

static int find_functions(const struct elf_file *file, const char *pattern,
	struct elf_function **ret, size_t *ret_count, bool *ret_is_demangled)
{
	int error = elf_function_find(file, pattern, ret, ret_count);

	*ret_is_demangled = error == -ENOENT;
	if (!*ret_is_demangled)
		return error;
	/* Names are compared without parameters, which may be written as none. */
	size_t length = strlen(pattern);
	bool has_none = length > 2 && !strcmp(pattern + length - 2, "()");
	_cleanup_free_ char *copy = xstrndup(pattern, length - (has_none ? 2 : 0));
	return elf_function_choose(file, demangled_matches, copy, ret, ret_count);
}

static void add_function(const struct elf_function *function, const struct elf_probe *probe,
	bool is_demangled, struct elf_bytes *answer)
{
	uint64_t is_emulated = probe->is_emulated;
	_cleanup_free_ char *text = is_demangled ? demangle(function->name) : NULL;

	elf_bytes_add(answer, &probe->offset, sizeof(probe->offset));
	elf_bytes_add(answer, &function->bytes, sizeof(function->bytes));
	elf_bytes_add(answer, &probe->start, sizeof(probe->start));
	elf_bytes_add(answer, &probe->place, sizeof(probe->place));
	elf_bytes_add(answer, &is_emulated, sizeof(is_emulated));
	add_text(answer, text ? text : function->name, MAX_FUNCTION_BYTES);
	add_text(answer, function->name, MAX_FUNCTION_BYTES);
}

int parser_add_functions(const struct elf_file *file, const char *pattern,
	unsigned int needed_arguments, struct elf_bytes *answer)
{
	struct elf_function *functions = NULL;
	bool is_demangled;
	size_t count = 0;
	int error = find_functions(file, pattern, &functions, &count, &is_demangled);

	/* That there are too many is an answer, too: how many. */
	if (error && error != -E2BIG)
		return error;
	uint64_t said = count;
	elf_bytes_add(answer, &said, sizeof(said));
	if (error)
		return 0;
	struct elf_probe *probes = xcalloc(count, sizeof(*probes));
	for (size_t i = 0; i < count; i++)
		probes[i].offset = functions[i].offset;
	elf_probe_places(file, needed_arguments, probes, count);
	for (size_t i = 0; i < count; i++)
		add_function(&functions[i], &probes[i], is_demangled, answer);
	free(probes);
	elf_functions_free(functions, count);
	return 0;
}

/* A place is at its function's beginning or hardly behind it. */
static int take_function(struct elf_cursor *at, struct parser_function *ret)
{
	struct parser_function function = {0};
	uint64_t is_emulated;

	if (elf_cursor_take(at, &function.offset, sizeof(function.offset)) ||
		elf_cursor_take(at, &function.bytes, sizeof(function.bytes)) ||
		elf_cursor_take(at, &function.start, sizeof(function.start)) ||
		elf_cursor_take(at, &function.place, sizeof(function.place)) ||
		elf_cursor_take(at, &is_emulated, sizeof(is_emulated)) || is_emulated > 1 ||
		function.place - function.offset > ELF_PROBE_MAX_BYTES ||
		function.start - function.offset > function.place - function.offset ||
		take_text(at, MAX_FUNCTION_BYTES, &function.name))
		return -EBADMSG;
	function.is_emulated = is_emulated;
	int error = take_text(at, MAX_FUNCTION_BYTES, &function.symbol);
	/* What it holds by now is freed with the others. */
	*ret = function;
	return error;
}

int parser_functions(struct helpers *parsers, int fd, const char *pattern,
	unsigned int needed_arguments, struct parser_function **ret, size_t *ret_count)
{
	_cleanup_(helper_message_clear) struct helper_message told = {0};
	struct parser_question question = {
		.job = PARSER_FUNCTIONS, .needed_arguments = needed_arguments};
	struct elf_cursor at;
	uint64_t count;
	int error = parser_ask_by_name(parsers, question, pattern, strlen(pattern), fd, &told, &at);

	if (!error && (elf_cursor_take(&at, &count, sizeof(count)) || !count))
		error = -EBADMSG;
	if (error)
		return error;
	if (count > ELF_FUNCTION_MAX_FOUND) {
		*ret_count = count;
		return -E2BIG;
	}
	struct parser_function *functions = xcalloc(count, sizeof(*functions));
	for (size_t i = 0; i < count && !error; i++)
		error = take_function(&at, &functions[i]);
	if (error) {
		parser_functions_free(functions, count);
		return error;
	}
	*ret = functions;
	*ret_count = count;
	return 0;
}

void parser_functions_free(struct parser_function *functions, size_t count)
{
	for (size_t i = 0; functions && i < count; i++) {
		free(functions[i].name);
		free(functions[i].symbol);
	}
	free(functions);
}

/* Places within functions. */

void parser_add_offset(
	const struct elf_file *file, const struct parser_place *place, struct elf_bytes *answer)
{
	struct elf_offset offset =
		elf_offset_check(file, place->begin, place->bytes, place->wanted);

	elf_bytes_add(answer, &offset, sizeof(offset));
}

int parser_offset(struct helpers *parsers, int fd, const struct parser_function *function,
	uint64_t wanted, struct elf_offset *ret)
{
	_cleanup_(helper_message_clear) struct helper_message told = {0};
	struct parser_question question = {
		.job = PARSER_OFFSET, .place = {function->offset, function->bytes, wanted}};
	struct elf_offset offset;
	struct elf_cursor at;
	int error = parser_ask_by_name(parsers, question, "", 0, fd, &told, &at);

	if (!error && (elf_cursor_take(&at, &offset, sizeof(offset)) ||
			      !elf_offset_is_sound(&offset, wanted)))
		error = -EBADMSG;
	if (!error)
		*ret = offset;
	return error;
}

/* Names that are near. */

int parser_add_near(const struct elf_file *file, const char *name, struct elf_bytes *answer)
{
	_cleanup_free_ char *text = elf_function_near(file, name);

	if (!text)
		return -ENOENT;
	add_text(answer, text, MAX_NEAR_BYTES);
	return 0;
}

int parser_add_usdt_near(const struct elf_file *file, const char *name, struct elf_bytes *answer)
{
	struct elf_usdt_name *names = NULL;
	size_t count = 0;
	struct nearest nearest;
	int error = elf_usdt_names(file, &names, &count);

	if (error)
		return error;
	nearest_init(&nearest, name);
	for (size_t i = 0; i < count; i++)
		nearest_add(&nearest, names[i].text);
	_cleanup_free_ char *text = nearest_text(&nearest);
	nearest_clear(&nearest);
	elf_usdt_names_free(names, count);
	if (!text)
		return -ENOENT;
	add_text(answer, text, MAX_NEAR_BYTES);
	return 0;
}

static char *ask_near(struct helpers *parsers, enum parser_job job, int fd, const char *name)
{
	_cleanup_(helper_message_clear) struct helper_message told = {0};
	struct elf_cursor at;
	char *text;

	if (parser_ask_by_name(parsers, (struct parser_question){.job = job}, name, strlen(name),
		    fd, &told, &at) ||
		take_text(&at, MAX_NEAR_BYTES, &text))
		return NULL;
	return text;
}

char *parser_function_near(struct helpers *parsers, int fd, const char *name)
{
	return ask_near(parsers, PARSER_FUNCTION_NEAR, fd, name);
}

char *parser_usdt_near(struct helpers *parsers, int fd, const char *name)
{
	return ask_near(parsers, PARSER_USDT_NEAR, fd, name);
}

/* Probes that were left by authors. */

int parser_add_usdt(const struct elf_file *file, const char *provider, const char *name,
	struct elf_bytes *answer)
{
	_cleanup_free_ struct elf_usdt_place *places = NULL;
	size_t count = 0;
	int error = elf_usdt_places(file, provider, name, &places, &count);

	if (!error)
		elf_bytes_add_array(answer, places, count, sizeof(*places));
	return error;
}

int parser_usdt(struct helpers *parsers, int fd, const char *provider, const char *name,
	struct elf_usdt_place **ret, size_t *ret_count)
{
	_cleanup_(helper_message_clear) struct helper_message told = {0};
	_cleanup_free_ char *both = xasprintf("%s%s", provider, name);
	struct parser_question question = {
		.job = PARSER_USDT, .provider_bytes = (uint32_t)strlen(provider)};
	void *places = NULL;
	size_t count = 0;
	struct elf_cursor at;

	if (strlen(both) > ELF_USDT_MAX_NAME_BYTES)
		return -ENOENT;
	int error = parser_ask_by_name(parsers, question, both, strlen(both), fd, &told, &at);
	if (!error)
		error = elf_cursor_take_array(
			&at, ELF_USDT_MAX_PLACES, sizeof(struct elf_usdt_place), &places, &count);
	if (!error && !count)
		error = -EBADMSG;
	for (size_t i = 0; i < count && !error; i++)
		if (!elf_usdt_place_is_sound(&((struct elf_usdt_place *)places)[i]))
			error = -EBADMSG;
	if (error) {
		free(places);
		return error;
	}
	*ret = places;
	*ret_count = count;
	return 0;
}

int parser_add_usdt_names(const struct elf_file *file, struct elf_bytes *answer)
{
	struct elf_usdt_name *names = NULL;
	size_t count = 0;
	int error = elf_usdt_names(file, &names, &count);

	if (error)
		return error;
	uint64_t said = count;
	elf_bytes_add(answer, &said, sizeof(said));
	for (size_t i = 0; i < count; i++) {
		elf_bytes_add(answer, &names[i].place_count, sizeof(names[i].place_count));
		elf_bytes_add(answer, &names[i].argument_count, sizeof(names[i].argument_count));
		add_text(answer, names[i].text, ELF_USDT_MAX_NAME_BYTES);
	}
	elf_usdt_names_free(names, count);
	return 0;
}

static int take_usdt_name(struct elf_cursor *at, struct elf_usdt_name *ret)
{
	struct elf_usdt_name name = {0};

	if (elf_cursor_take(at, &name.place_count, sizeof(name.place_count)) ||
		elf_cursor_take(at, &name.argument_count, sizeof(name.argument_count)) ||
		name.argument_count > ELF_USDT_MAX_ARGUMENTS ||
		take_text(at, ELF_USDT_MAX_NAME_BYTES, &name.text))
		return -EBADMSG;
	*ret = name;
	return 0;
}

int parser_usdt_names(
	struct helpers *parsers, int fd, struct elf_usdt_name **ret, size_t *ret_count)
{
	_cleanup_(helper_message_clear) struct helper_message told = {0};
	struct elf_cursor at;
	uint64_t count;
	int error = parser_ask_by_name(
		parsers, (struct parser_question){.job = PARSER_USDT_NAMES}, "", 0, fd, &told, &at);

	if (!error && (elf_cursor_take(&at, &count, sizeof(count)) || count > ELF_USDT_MAX_NAMES))
		error = -EBADMSG;
	if (error)
		return error;
	struct elf_usdt_name *names = count ? xcalloc(count, sizeof(*names)) : NULL;
	for (size_t i = 0; i < count && !error; i++)
		error = take_usdt_name(&at, &names[i]);
	if (error) {
		elf_usdt_names_free(names, count);
		return error;
	}
	*ret = names;
	*ret_count = count;
	return 0;
}
