// SPDX-License-Identifier: GPL-2.0-or-later
/* Two marks of a program, between which it does the same work: where they are. */
#include "kernel/call_place_private.h"

#include <errno.h>
#include <string.h>

#include "kernel/call_marks.h"
#include "kernel/open.h"
#include "symbol/outside/outside.h"
#include "symbol/outside/parser.h"
#include "util/mem.h"
#include "util/nearest.h"

/* The names of the provider's marks, which are borrowed from `all`. */
static const char **names_of_provider(
	const char *provider, const struct elf_usdt_name *all, size_t count, size_t *ret_count)
{
	const char **names = xcalloc(count + 1, sizeof(*names));
	size_t length = strlen(provider);

	*ret_count = 0;
	for (size_t i = 0; i < count; i++)
		if (!strncmp(all[i].text, provider, length) && all[i].text[length] == ':')
			names[(*ret_count)++] = all[i].text + length + 1;
	return names;
}

static int say_no_mark(const struct placing *placing, const char *name, struct why *why)
{
	const struct call_request *request = placing->request;
	struct elf_usdt_name *all = NULL;
	struct nearest nearest;
	size_t all_count = 0, count;

	int error =
		parser_usdt_names(placing->outside->parsers, placing->file.fd, &all, &all_count);
	if (error == -ENOEXEC)
		return event_file_refuse(&placing->file, why);
	if (error || !all_count)
		return why_set(why, -EINVAL, "%s: there are no USDT marks in %s", request->text,
			placing->file.said);
	_cleanup_free_ const char **names =
		names_of_provider(request->group, all, all_count, &count);
	nearest_init(&nearest, name);
	for (size_t i = 0; i < count; i++)
		nearest_add(&nearest, names[i]);
	_cleanup_free_ char *near = nearest_text(&nearest);
	nearest_clear(&nearest);
	elf_usdt_names_free(all, all_count);
	return why_set(why, -EINVAL,
		"%s: there is no mark %s:%s in %s%s%s; dwell list 'usdt:%s:*' has those that there "
		"are",
		request->text, request->group, name, placing->file.said,
		near ? "; near it are " : "", near ? near : "", request->path);
}

/* Places of one of the two marks. */
static int place_mark(struct placing *placing, const char *name, int function,
	enum call_probe probe, struct why *why)
{
	const struct call_request *request = placing->request;
	_cleanup_free_ struct elf_usdt_place *found = NULL;
	size_t count = 0;
	int error = parser_usdt(
		placing->outside->parsers, placing->file.fd, request->group, name, &found, &count);

	if (error)
		return say_no_mark(placing, name, why);
	for (size_t i = 0; i < count; i++) {
		if (found[i].is_nop5 && uprobes_become_calls())
			return why_set(why, -ENOTSUP,
				"%s: a nop of 5 bytes is left for %s:%s, of which this kernel "
				"makes a call that ends forked children",
				request->text, request->group, name);
		call_add_place(placing->plan, function, probe, placing->file.fd, found[i].offset,
			found[i].semaphore, CALL_HAS_NO_PLACE);
	}
	return 0;
}

static bool is_among(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* The two marks that are meant; the caller frees them. */
static int find_marks(struct placing *placing, char **ret_begin, char **ret_end, struct why *why)
{
	const struct call_request *request = placing->request;
	struct elf_usdt_name *all = NULL;
	const char *begin = request->function, *end = request->end;
	size_t all_count = 0, count;

	if (!end &&
		parser_usdt_names(placing->outside->parsers, placing->file.fd, &all, &all_count))
		all_count = 0;
	_cleanup_free_ const char **names =
		names_of_provider(request->group, all, all_count, &count);
	bool is_found = end || call_mark_end(request->function, names, count, &begin, &end);
	if (is_found) {
		*ret_begin = xstrdup(begin);
		*ret_end = xstrdup(end);
	}
	bool has_begin = is_found || is_among(request->function, names, count);
	elf_usdt_names_free(all, all_count);
	if (is_found)
		return 0;
	if (!has_begin)
		return say_no_mark(placing, request->function, why);
	return why_set(why, -EINVAL,
		"%s: which mark ends what %s begins? Give both: usdt:%s:%s:BEGIN,END; dwell list "
		"'usdt:%s:*' has them",
		request->text, request->function, request->path, request->group, request->path);
}

int call_place_marks(struct placing *placing, struct why *why)
{
	const struct call_request *request = placing->request;
	struct call_function function = {.kind = CALL_OF_MARKS, .request = placing->request_index};
	_cleanup_free_ char *begin = NULL, *end = NULL;
	int error = call_open_file(placing->plan, request, placing->outside, &placing->file, why);

	if (!error)
		error = find_marks(placing, &begin, &end, why);
	if (error)
		return error;
	if (request->tested)
		return why_set(why, -EINVAL,
			"--if %s: arguments of marks are not tested; of functions and system calls "
			"they are",
			request->test);
	function.name = xasprintf("%s:%s,%s", request->group, begin, end);
	function.file = xstrdup(placing->file.path);
	int index = call_add_function(placing->plan, request, &function, why);
	if (index < 0) {
		free(function.name);
		free(function.file);
		return index == -EEXIST ? 0 : index;
	}
	error = place_mark(placing, begin, index, CALL_PROBE_BEGIN, why);
	return error ? error : place_mark(placing, end, index, CALL_PROBE_LEAVE, why);
}
