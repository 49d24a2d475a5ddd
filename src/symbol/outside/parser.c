// SPDX-License-Identifier: GPL-2.0-or-later
/* Those who ask. What comes back may be a lie: the file may have taken its reader over. */
#include "symbol/outside/parser.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "elf/cfi/cfi_pack.h"
#include "elf/pack.h"
#include "symbol/demangle.h"
#include "symbol/names.h"
#include "symbol/outside/parser_private.h"
#include "util/mem.h"

#define MOST_PROCESSES 3
/* The largest real symbol table takes some seconds; a file on a disk that has to wake up, too. */
#define ASLEEP_MS 2000
#define WORKING_MS 10000
#define MAX_ANSWER_BYTES (512ULL << 20)
#define PARSER_MEMORY_BYTES (1ULL << 30)

/* Not as urgent as those who listen, more so than those whose stacks wait for the tables. */
static int prepare(void)
{
	setpriority(PRIO_PROCESS, 0, -10);
	return sandbox_enter(PARSER_MEMORY_BYTES);
}

const struct helper_kind parser_helpers = {.name = "dwell-parser",
	.most = MOST_PROCESSES,
	.max_answer_bytes = MAX_ANSWER_BYTES,
	.asleep_ms = ASLEEP_MS,
	.working_ms = WORKING_MS,
	.prepare = prepare,
	.handle = parser_work};

int parser_ask(struct helpers *parsers, const struct helper_message *question,
	struct helper_message *told, struct elf_cursor *at)
{
	int error = 0, status;

	if (parsers)
		error = helpers_ask(parsers, question, told);
	else
		parser_work(question, told);
	if (error)
		return error;
	*at = (struct elf_cursor){.at = told->bytes, .left = told->count};
	if (elf_cursor_take(at, &status, sizeof(status)) || status > 0)
		return -EBADMSG;
	return status;
}

static int ask_about(struct helpers *parsers, struct parser_question question, int fd, int debug_fd,
	struct helper_message *told, struct elf_cursor *at)
{
	struct helper_message asked = {.bytes = &question,
		.count = sizeof(question),
		.fds = {fd, debug_fd},
		.fd_count = debug_fd < 0 ? 1 : 2};

	return parser_ask(parsers, &asked, told, at);
}

int parser_facts(struct helpers *parsers, int fd, struct elf_facts *ret)
{
	_cleanup_(helper_message_clear) struct helper_message told = {0};
	struct elf_cursor at;
	struct elf_facts facts;
	int error = ask_about(
		parsers, (struct parser_question){.job = PARSER_FACTS}, fd, -1, &told, &at);

	if (error)
		return error;
	if (elf_cursor_take(&at, &facts, sizeof(facts)) || !elf_facts_are_sound(&facts))
		return -EBADMSG;
	*ret = facts;
	return 0;
}

int parser_table(struct helpers *parsers, int fd, struct cfi_table *ret)
{
	_cleanup_(helper_message_clear) struct helper_message told = {0};
	struct elf_cursor at;
	int error = ask_about(
		parsers, (struct parser_question){.job = PARSER_TABLE}, fd, -1, &told, &at);

	if (error)
		return error;
	/* Words of it are read in place. */
	_cleanup_free_ void *packed = xmalloc(at.left);
	memcpy(packed, at.at, at.left);
	return cfi_unpack(packed, at.left, 0, ret);
}

static int ask_for_names(struct helpers *parsers, enum parser_job job, int fd, int debug_fd,
	struct object_names **ret)
{
	_cleanup_(helper_message_clear) struct helper_message told = {0};
	struct elf_cursor at;
	int error =
		ask_about(parsers, (struct parser_question){.job = job}, fd, debug_fd, &told, &at);

	return error ? error : object_names_unpack(&at, parsers, ret);
}

int parser_names(struct helpers *parsers, int fd, int debug_fd, struct object_names **ret)
{
	return ask_for_names(parsers, PARSER_NAMES, fd, debug_fd, ret);
}

int parser_variables(struct helpers *parsers, int fd, int debug_fd, struct object_names **ret)
{
	return ask_for_names(parsers, PARSER_VARIABLES, fd, debug_fd, ret);
}

bool parser_checksum(struct helpers *parsers, int fd, uint32_t checksum)
{
	_cleanup_(helper_message_clear) struct helper_message told = {0};
	struct parser_question question = {.job = PARSER_CHECKSUM, .checksum = checksum};
	struct elf_cursor at;

	return !ask_about(parsers, question, fd, -1, &told, &at);
}

int parser_ask_by_name(struct helpers *parsers, struct parser_question question, const char *name,
	size_t length, int fd, struct helper_message *told, struct elf_cursor *at)
{
	char bytes[sizeof(question) + PARSER_MAX_NAME_BYTES];
	size_t sent = length < PARSER_MAX_NAME_BYTES ? length : PARSER_MAX_NAME_BYTES;
	struct helper_message asked = {
		.bytes = bytes, .count = sizeof(question) + sent, .fds = {fd}, .fd_count = fd >= 0};

	memcpy(bytes, &question, sizeof(question));
	memcpy(bytes + sizeof(question), name, sent);
	return parser_ask(parsers, &asked, told, at);
}

static int ask_by_name(struct helpers *parsers, enum parser_job job, const char *name, int fd,
	struct helper_message *told, struct elf_cursor *at)
{
	return parser_ask_by_name(
		parsers, (struct parser_question){.job = job}, name, strlen(name), fd, told, at);
}

int parser_function(struct helpers *parsers, int fd, const char *name, uint64_t *ret)
{
	_cleanup_(helper_message_clear) struct helper_message told = {0};
	struct elf_cursor at;
	int error = ask_by_name(parsers, PARSER_FUNCTION, name, fd, &told, &at);

	if (!error && elf_cursor_take(&at, ret, sizeof(*ret)))
		error = -EBADMSG;
	return error;
}

int parser_unwinds(struct helpers *parsers, int fd, enum elf_unwinds *ret)
{
	bool loads_code;

	return parser_unwinds_and_loads(parsers, fd, ret, &loads_code);
}

int parser_unwinds_and_loads(
	struct helpers *parsers, int fd, enum elf_unwinds *ret, bool *ret_loads_code)
{
	_cleanup_(helper_message_clear) struct helper_message told = {0};
	struct elf_cursor at;
	uint64_t kind, loads_code;
	int error = ask_by_name(parsers, PARSER_UNWINDS, "returns", fd, &told, &at);

	if (!error && (elf_cursor_take(&at, &kind, sizeof(kind)) || kind >= ELF_UNWINDS_KINDS ||
			      elf_cursor_take(&at, &loads_code, sizeof(loads_code))))
		error = -EBADMSG;
	if (error)
		return error;
	*ret = (enum elf_unwinds)kind;
	*ret_loads_code = loads_code;
	return 0;
}

char *parser_demangle(struct helpers *parsers, const char *name)
{
	_cleanup_(helper_message_clear) struct helper_message told = {0};
	struct elf_cursor at;

	if (!demangle_may_help(name))
		return NULL;
	if (!parsers)
		return demangle(name);
	if (ask_by_name(parsers, PARSER_DEMANGLE, name, -1, &told, &at) || !at.left ||
		at.left > DEMANGLE_MAX_BYTES)
		return NULL;
	return xstrndup(at.at, at.left);
}
