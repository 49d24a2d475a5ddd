// SPDX-License-Identifier: GPL-2.0-or-later
/* Those who parse: one function for each job, which adds its answer behind the status. */
#include <errno.h>
#include <string.h>

#include "elf/cfi/cfi_pack.h"
#include "elf/function.h"
#include "elf/unwinds.h"
#include "elf/pack.h"
#include "symbol/demangle.h"
#include "symbol/names.h"
#include "symbol/outside/parser_private.h"
#include "util/mem.h"

static void close_elf(struct elf_file **file)
{
	elf_file_free(*file);
}

static int add_facts(const struct elf_file *file, struct elf_bytes *answer)
{
	struct elf_facts facts;

	elf_facts_take(file, &facts);
	elf_bytes_add(answer, &facts, sizeof(facts));
	return 0;
}

static int add_table(const struct elf_file *file, struct elf_bytes *answer)
{
	struct cfi_table table;
	size_t count;
	int error = cfi_table_read(file, &table, NULL);

	if (error)
		return error;
	_cleanup_free_ void *packed = cfi_pack(&table, 0, &count);
	elf_bytes_add(answer, packed, count);
	cfi_table_clear(&table);
	return 0;
}

static int add_names(const struct elf_file *file, const struct helper_message *question,
	enum parser_job job, struct elf_bytes *answer)
{
	_cleanup_(close_elf) struct elf_file *debug = NULL;

	if (question->fd_count > 1)
		elf_file_open(question->fds[1], &debug);
	struct object_names *names = job == PARSER_VARIABLES
					     ? object_names_read_variables(file, debug)
					     : object_names_read(file, debug);
	object_names_pack(names, answer);
	object_names_free(names);
	return 0;
}

static int add_demangled(const char *name, size_t length, struct elf_bytes *answer)
{
	_cleanup_free_ char *ended = xstrndup(name, length);
	_cleanup_free_ char *text = demangle(ended);

	if (!text)
		return -ENOENT;
	elf_bytes_add(answer, text, strnlen(text, DEMANGLE_MAX_BYTES));
	return 0;
}

static int add_function(const struct elf_file *file, const char *name, struct elf_bytes *answer)
{
	uint64_t offset;
	int error = elf_function_offset(file, name, &offset);

	if (!error)
		elf_bytes_add(answer, &offset, sizeof(offset));
	return error;
}

static int add_unwinds(const struct elf_file *file, struct elf_bytes *answer)
{
	uint64_t kind = elf_unwinds(file), loads_code = elf_loads_code(file);

	elf_bytes_add(answer, &kind, sizeof(kind));
	elf_bytes_add(answer, &loads_code, sizeof(loads_code));
	return 0;
}

/* The jobs whose question has a name behind it. */
static int add_by_name(const struct elf_file *file, const struct parser_question *question,
	const char *text, size_t length, struct elf_bytes *answer)
{
	_cleanup_free_ char *name = xstrndup(text, length);

	switch (question->job) {
	case PARSER_FUNCTION:
		return add_function(file, name, answer);
	case PARSER_UNWINDS:
		return add_unwinds(file, answer);
	case PARSER_FUNCTIONS:
		return parser_add_functions(file, name, question->needed_arguments, answer);
	case PARSER_FUNCTION_NEAR:
		return parser_add_near(file, name, answer);
	case PARSER_USDT_NEAR:
		return parser_add_usdt_near(file, name, answer);
	case PARSER_USDT:
		break;
	default:
		return -EINVAL;
	}
	if (question->provider_bytes > strlen(name))
		return -EINVAL;
	_cleanup_free_ char *provider = xstrndup(name, question->provider_bytes);
	return parser_add_usdt(file, provider, name + question->provider_bytes, answer);
}

static int work(const struct helper_message *asked, struct elf_bytes *answer)
{
	_cleanup_(close_elf) struct elf_file *file = NULL;
	struct parser_question question;
	int error;

	if (asked->count < sizeof(question))
		return -EINVAL;
	memcpy(&question, asked->bytes, sizeof(question));
	const char *name = (const char *)asked->bytes + sizeof(question);
	size_t length = asked->count - sizeof(question);
	if (question.job == PARSER_DEMANGLE)
		return add_demangled(name, length, answer);
	if (!asked->fd_count)
		return -EINVAL;
	if (question.job == PARSER_CHECKSUM)
		return debug_link_matches(asked->fds[0], question.checksum) ? 0 : -ENOENT;
	error = elf_file_open(asked->fds[0], &file);
	if (error)
		return error;
	switch (question.job) {
	case PARSER_FACTS:
		return add_facts(file, answer);
	case PARSER_TABLE:
		return add_table(file, answer);
	case PARSER_NAMES:
	case PARSER_VARIABLES:
		return add_names(file, asked, question.job, answer);
	case PARSER_USDT_NAMES:
		return parser_add_usdt_names(file, answer);
	case PARSER_OFFSET:
		parser_add_offset(file, &question.place, answer);
		return 0;
	case PARSER_RETURNS:
		return parser_add_returns(file, name, length, answer);
	default:
		return add_by_name(file, &question, name, length, answer);
	}
}

void parser_work(const struct helper_message *question, struct helper_message *answer)
{
	struct elf_bytes bytes = {0};
	int status = 0;

	elf_bytes_add(&bytes, &status, sizeof(status));
	status = work(question, &bytes);
	memcpy(bytes.bytes.at, &status, sizeof(status));
	answer->bytes = bytes.bytes.at;
	answer->count = status ? sizeof(status) : bytes.bytes.count;
}
