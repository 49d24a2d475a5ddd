// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where functions are left, by both sides, as in parser_places.c. The question has a struct
 * elf_span for each function behind it, the answer for each its error, whether it has jumps that
 * are not seen, and its places.
 */
#include <errno.h>
#include <string.h>

#include "elf/function.h"
#include "elf/pack.h"
#include "symbol/outside/parser_private.h"
#include "util/mem.h"

/* Of one function. */
struct answer_head {
	int32_t error;
	uint32_t has_unseen;
};

int parser_add_returns(
	const struct elf_file *file, const char *functions, size_t bytes, struct elf_bytes *answer)
{
	size_t count = bytes / sizeof(struct elf_span);

	if (!count || bytes % sizeof(struct elf_span) || count > ELF_FUNCTION_MAX_FOUND)
		return -EINVAL;
	_cleanup_free_ struct elf_span *spans = xcalloc(count, sizeof(*spans));
	_cleanup_free_ struct elf_returns *found = xcalloc(count, sizeof(*found));
	memcpy(spans, functions, bytes);
	elf_returns_find(file, spans, count, found);
	for (size_t i = 0; i < count; i++) {
		struct answer_head head = {found[i].error, found[i].has_unseen};
		elf_bytes_add(answer, &head, sizeof(head));
		elf_bytes_add_array(
			answer, found[i].places, found[i].count, sizeof(struct elf_return));
	}
	elf_returns_clear(found, count);
	return 0;
}

static int take_returns(struct elf_cursor *at, struct elf_returns *ret)
{
	struct answer_head head;
	void *places = NULL;
	size_t count = 0;

	if (elf_cursor_take(at, &head, sizeof(head)) || head.error > 0 || head.has_unseen > 1 ||
		elf_cursor_take_array(
			at, ELF_RETURNS_MOST, sizeof(struct elf_return), &places, &count) ||
		(head.error && count) || !elf_returns_are_sound(places, count)) {
		free(places);
		return -EBADMSG;
	}
	*ret = (struct elf_returns){head.error, head.has_unseen, places, count};
	return 0;
}

int parser_returns(struct helpers *parsers, int fd, const struct parser_function *functions,
	size_t count, struct elf_returns *ret)
{
	_cleanup_(helper_message_clear) struct helper_message told = {0};
	struct parser_question question = {.job = PARSER_RETURNS};
	size_t bytes = sizeof(question) + count * sizeof(struct elf_span);
	struct elf_cursor at;

	if (count > ELF_FUNCTION_MAX_FOUND)
		return -E2BIG;
	_cleanup_free_ char *asked = xmalloc(bytes);
	memcpy(asked, &question, sizeof(question));
	for (size_t i = 0; i < count; i++) {
		struct elf_span span = {functions[i].offset, functions[i].bytes};
		memcpy(asked + sizeof(question) + i * sizeof(span), &span, sizeof(span));
	}
	int error = parser_ask(parsers,
		&(struct helper_message){
			.bytes = asked, .count = bytes, .fds = {fd}, .fd_count = 1},
		&told, &at);
	if (error)
		return error;
	_cleanup_free_ struct elf_returns *found = xcalloc(count, sizeof(*found));
	for (size_t i = 0; i < count && !error; i++)
		error = take_returns(&at, &found[i]);
	if (error)
		elf_returns_clear(found, count);
	else
		memcpy(ret, found, count * sizeof(*found));
	return error;
}
