// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a person asks for becomes functions and places. Files are opened and read by helpers; what
 * they say comes back as offsets.
 */
#include "kernel/call_place_private.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contract/jump.h"
#include "host/proc_text.h"
#include "host/syscalls.h"
#include "kernel/call_kernel.h"
#include "kernel/event_find.h"
#include "kernel/event_number.h"
#include "symbol/outside/outside.h"
#include "symbol/outside/parser.h"
#include "util/mem.h"

static int too_many(const struct call_request *request, struct why *why)
{
	return why_set(why, -E2BIG,
		"more than %d functions would be watched with %s; give patterns that fit fewer",
		CONTRACT_CALL_FUNCTIONS, request->text);
}

static struct call_function *find_function(
	const struct call_plan *plan, const struct call_function *function)
{
	vec_each (other, &plan->functions) {
		bool is_of_file =
			function->kind == CALL_OF_FUNCTION && other->kind == CALL_OF_FUNCTION;
		if (is_of_file ? other->device == function->device &&
					 other->inode == function->inode &&
					 other->offset == function->offset
			       : other->kind == function->kind &&
					 !strcmp(other->name, function->name))
			return other;
	}
	return NULL;
}

int call_add_function(struct call_plan *plan, const struct call_request *request,
	const struct call_function *function, struct why *why)
{
	if (find_function(plan, function))
		return -EEXIST;
	if (plan->functions.count == CONTRACT_CALL_FUNCTIONS)
		return too_many(request, why);
	vec_push(&plan->functions, *function);
	return (int)plan->functions.count - 1;
}

/* The condition of a request as a rule, counted from 1; 0: there is none. -errno with why. */
static int rule_of(struct call_plan *plan, const struct call_request *request, struct why *why)
{
	struct event_rule *rule;
	uint32_t offset;

	if (!request->tested)
		return 0;
	if (!event_argument_offset(request->tested, request->kind == CALL_OF_SYSTEM, &offset))
		return why_set(why, -EINVAL, "--if %s: a call brings arg1 to arg6, not %s",
			request->test, request->tested);
	if (*plan->rule_count == CONTRACT_EVENT_RULES)
		return why_set(why, -E2BIG, "--if %s: there are too many conditions at once",
			request->test);
	rule = &plan->rules[(*plan->rule_count)++];
	*rule = (struct event_rule){.condition = (uint8_t)request->condition,
		.limit = request->limit,
		.tested = {
			.source = NUMBER_OF_CONTEXT, .bytes = 8, .is_signed = 1, .offset = offset}};
	return (int)*plan->rule_count;
}

void call_add_place(struct call_plan *plan, int function, enum call_probe probe, int fd,
	uint64_t offset, uint64_t semaphore, uint64_t cookie)
{
	vec_push(&plan->places,
		((struct call_place){(uint32_t)function, probe, fd, offset, semaphore,
			cookie | CONTRACT_CALL_COOKIE(
					 function, plan->functions.at[function].rule)}));
}

int call_open_file(struct call_plan *plan, const struct call_request *request,
	struct outside *outside, struct event_file *ret, struct why *why)
{
	int error = event_file_open(request->path, outside, ret, why);

	if (!error)
		vec_push(&plan->fds, ret->fd);
	return error;
}

/* arch/x86/kernel/uprobes.c, is_prefix_bad(): no probe is put on an instruction that locks. */
#define LOCK_PREFIX 0xf0

static bool can_be_probed(const struct placing *placing, const struct parser_function *found)
{
	unsigned char first;

	return pread(placing->file.fd, &first, 1, (off_t)found->place) == 1 && first != LOCK_PREFIX;
}

static int refuse_returns(const struct placing *placing, const struct parser_function *function,
	int error, struct why *why)
{
	return why_set(why, -EINVAL,
		"%s: exceptions or moving stacks may pass through %s() of %s, so its returns have "
		"to be watched one by one, and %s",
		placing->request->text, function->name, placing->file.said,
		error == -ENOTSUP ? "that is known for x86-64 only"
		: error == -E2BIG ? "it has too many"
				  : "its code is not understood to its end");
}

static bool is_named(const struct call_plan *plan, const char *name)
{
	vec_each (function, &plan->functions)
		if (!strcmp(function->name, name))
			return true;
	return false;
}

static char *plain_name_of(const struct placing *placing, const struct parser_function *found)
{
	return xasprintf("%s:%s", basename(placing->request->path), found->name);
}

/* By it people choose a function of a recording, so that each has its own. */
static char *name_of(const struct placing *placing, const struct parser_function *found)
{
	char *name = plain_name_of(placing, found);

	if (!is_named(placing->plan, name))
		return name;
	free(name);
	return xasprintf("%s:%s", placing->file.path, found->symbol);
}

/* ret, with 16 bits or without, behind a prefix or not. */
static bool is_return_at(const struct placing *placing, uint64_t offset)
{
	unsigned char bytes[2] = {0};

	if (pread(placing->file.fd, bytes, sizeof(bytes), (off_t)offset) < 1)
		return false;
	unsigned char code = bytes[0] == 0xf3 || bytes[0] == 0xf2 ? bytes[1] : bytes[0];
	return code == 0xc3 || code == 0xc2;
}

/* Its beginning and its ends; how many of the two the kernel steps follows. */
static void add_probes(struct placing *placing, const struct parser_function *found,
	const struct elf_returns *returns, int index)
{
	struct call_plan *plan = placing->plan;
	bool jumps_on = false, has_stepped = false;
	int fd = placing->file.fd;

	for (size_t i = 0; returns && i < returns->count; i++) {
		const struct elf_return *place = &returns->places[i];
		bool is_return = place->condition == JUMP_ALWAYS && !place->is_emulated &&
				 !place->is_others && !place->may_stay;
		jumps_on |= place->is_others;
		has_stepped |= !place->is_emulated;
		call_add_place(plan, index, CALL_PROBE_LEAVE, fd, place->offset, 0,
			(is_return ? CALL_IS_RETURN : 0) | (place->is_others ? CALL_IS_OTHERS : 0) |
				(is_return_at(placing, place->offset) ? 0 : CALL_IS_JUMP) |
				CONTRACT_CALL_CONDITION(place->condition));
	}
	plan->functions.at[index].stepped += has_stepped;
	call_add_place(plan, index, CALL_PROBE_BEGIN, fd, found->place, 0,
		(returns ? CALL_BY_RETURNS : 0) | (jumps_on ? CALL_JUMPS_ON : 0));
	/* The stack there is as at its beginning, so the address that it returns to is on top. */
	if (!returns)
		call_add_place(plan, index, CALL_PROBE_RETURN, fd, found->place, 0, 0);
}

/* Somebody who asks for a function by its name looks for that in the report. */
static void note_alias(const struct placing *placing, const struct call_function *function,
	const struct parser_function *found)
{
	struct call_function *other = find_function(placing->plan, function);
	char *name = plain_name_of(placing, found);

	if (other->alias || !strcmp(other->name, name) || strpbrk(placing->request->function, "*?"))
		free(name);
	else
		other->alias = name;
}

static int place_function(struct placing *placing, const struct parser_function *found,
	const struct elf_returns *returns, struct why *why)
{
	struct call_plan *plan = placing->plan;
	struct call_function function = {.kind = CALL_OF_FUNCTION,
		.request = placing->request_index,
		.rule = placing->rule,
		.offset = found->offset,
		.is_by_returns = returns != NULL,
		.has_unseen_ends = returns && returns->has_unseen,
		.stepped = !found->is_emulated};

	struct stat status;
	if (!fstat(placing->file.fd, &status)) {
		function.device = status.st_dev;
		function.inode = status.st_ino;
	}
	function.name = name_of(placing, found);
	function.file = xstrdup(placing->file.path);
	int index = call_add_function(plan, placing->request, &function, why);
	if (index == -EEXIST)
		note_alias(placing, &function, found);
	if (index < 0) {
		free(function.name);
		free(function.file);
		return index == -EEXIST ? 0 : index;
	}
	add_probes(placing, found, returns, index);
	return 0;
}

/* What a pattern has matched is left out if it cannot be watched, and told when nothing is left. */
static int place_found(struct placing *placing, const struct parser_function *found, size_t count,
	const struct elf_returns *all, bool may_take, struct why *why)
{
	size_t before = placing->plan->left_out;
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		const struct elf_returns *returns =
			may_take && call_safety_of_function(found[i].name) ? NULL : &all[i];
		int unknown = returns ? returns->error : 0;
		if (!can_be_probed(placing, &found[i])) {
			if (count == 1)
				return why_set(why, -EINVAL,
					"%s: %s() of %s begins with an instruction that the kernel "
					"puts no probe on; watch who calls it",
					placing->request->text, found[i].name, placing->file.said);
			placing->plan->left_out++;
			continue;
		}
		/* A part of a function that compilers put elsewhere: nobody calls it. */
		if (count > 1 && strstr(found[i].name, ".cold"))
			continue;
		if (unknown && count == 1)
			return refuse_returns(placing, &found[i], unknown, why);
		if (unknown)
			placing->plan->left_out++;
		else
			error = place_function(placing, &found[i], returns, why);
	}
	if (!error && count && placing->plan->left_out - before == count)
		return refuse_returns(placing, &found[0], all[0].error, why);
	return error;
}

static bool are_safe(const struct parser_function *found, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!call_safety_of_function(found[i].name))
			return false;
	return true;
}

/* may_take: return addresses of that file's functions. */
static int place_with_returns(struct placing *placing, const struct parser_function *found,
	size_t count, bool may_take, struct why *why)
{
	struct elf_returns *returns = xcalloc(count + 1, sizeof(*returns));
	int error = 0;

	if (!may_take || !are_safe(found, count))
		error = parser_returns(
			placing->outside->parsers, placing->file.fd, found, count, returns);
	if (error)
		why_set(why, error, "%s: cannot read the code of %s: %s", placing->request->text,
			placing->file.said, strerror(-error));
	else
		error = place_found(placing, found, count, returns, may_take, why);
	elf_returns_clear(returns, count);
	free(returns);
	return error;
}

static int place_functions(struct placing *placing, struct why *why)
{
	const struct call_request *request = placing->request;
	struct helpers *parsers = placing->outside->parsers;
	struct parser_function *found = NULL;
	enum elf_unwinds kind = ELF_UNWINDS_NOT;
	size_t count = 0;
	int error = call_open_file(placing->plan, request, placing->outside, &placing->file, why);

	if (error)
		return error;
	error = parser_unwinds(parsers, placing->file.fd, &kind);
	if (error == -ENOEXEC)
		return event_file_refuse(&placing->file, why);
	if (error)
		return why_set(
			why, -EINVAL, "cannot read %s: %s", placing->file.said, strerror(-error));
	error = event_find_functions(request->function, event_argument_bit(request->tested),
		placing->outside, &placing->file, &found, &count, why);
	if (!error)
		error = place_with_returns(placing, found, count,
			call_safety_of_file(&placing->plan->safety, &placing->file, kind), why);
	parser_functions_free(found, count);
	return error;
}

static int add_system_call(struct placing *placing, unsigned int number, struct why *why)
{
	struct call_function function = {.kind = CALL_OF_SYSTEM,
		.request = placing->request_index,
		.rule = placing->rule,
		.offset = number,
		.name = xasprintf("syscall:%s", syscall_name(number)),
		.file = xstrdup("")};
	int index = call_add_function(placing->plan, placing->request, &function, why);

	if (index >= 0)
		return 0;
	free(function.name);
	free(function.file);
	return index == -EEXIST ? 0 : index;
}

static int place_system_calls(struct placing *placing, struct why *why)
{
	const char *pattern = placing->request->function;
	int number = syscall_number(pattern), error = 0;
	size_t found = 0;

	if (!strcmp(pattern, "rt_sigreturn"))
		return why_set(why, -EINVAL,
			"syscall:rt_sigreturn does not return: it ends a signal's handler");
	if (number >= 0)
		return add_system_call(placing, (unsigned int)number, why);
	for (unsigned int i = 0; i < CONTRACT_SYSTEM_CALLS && !error; i++) {
		const char *name = syscall_name(i);
		/* What comes back from a signal's handler is another system call. */
		if (!name || fnmatch(pattern, name, 0) || !strcmp(name, "rt_sigreturn"))
			continue;
		found++;
		error = add_system_call(placing, i, why);
	}
	if (error || found)
		return error;
	_cleanup_free_ char *near = syscall_near(pattern);
	return why_set(why, -EINVAL, "there is no system call %s%s%s", pattern,
		near ? "; near it are " : "", near ? near : "");
}

static int add_kernel_function(void *context, const char *name, struct why *why)
{
	struct placing *placing = context;
	struct call_function function = {.kind = CALL_OF_KERNEL,
		.request = placing->request_index,
		.rule = placing->rule,
		.name = xasprintf("k:%s", name),
		.file = xstrdup("")};
	int index = call_add_function(placing->plan, placing->request, &function, why);

	if (index >= 0)
		return 0;
	free(function.name);
	free(function.file);
	return index == -EEXIST ? 0 : index;
}

static int place_one(struct placing *placing, struct why *why)
{
	int rule = rule_of(placing->plan, placing->request, why);

	if (rule < 0)
		return rule;
	placing->rule = (uint8_t)rule;
	switch (placing->request->kind) {
	case CALL_OF_SYSTEM:
		return place_system_calls(placing, why);
	case CALL_OF_MARKS:
		return call_place_marks(placing, why);
	case CALL_OF_KERNEL:
		return call_kernel_find(placing->request, add_kernel_function, placing, why);
	default:
		return place_functions(placing, why);
	}
}

int call_plan_make(const struct call_options *options, struct outside *outside,
	struct call_plan *plan, struct why *why)
{
	int error = 0;

	for (size_t i = 0; i < options->count && !error; i++) {
		struct placing placing = {.plan = plan,
			.request = &options->requests[i],
			.request_index = (uint32_t)i,
			.outside = outside,
			.file = {.fd = -1}};
		error = place_one(&placing, why);
		event_file_clear(&placing.file);
	}
	return error;
}

void call_plan_clear(struct call_plan *plan)
{
	vec_each (fd, &plan->fds)
		mem_close_fd(fd);
	vec_each (function, &plan->functions) {
		free(function->name);
		free(function->file);
		free(function->alias);
	}
	vec_clear(&plan->fds);
	vec_clear(&plan->functions);
	vec_clear(&plan->places);
}
