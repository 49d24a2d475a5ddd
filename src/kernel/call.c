// SPDX-License-Identifier: GPL-2.0-or-later
/* From words to requests. Whether there is what they name is found out where places are, but for
 * system calls, of which there is a table. */
#include "kernel/call.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/syscalls.h"
#include "kernel/asked.h"
#include "util/mem.h"
#include "util/text.h"
#include "util/units.h"

#define MOST_PERCENT_DIGITS 4

static struct call_request new_request(enum call_kind kind, const char *text)
{
	return (struct call_request){
		.kind = kind, .text = xstrdup(text), .slow_percentile = CALL_USUAL_PERCENTILE};
}

/* "f+0x10", but not "operator+". */
static bool has_offset(const char *function)
{
	const char *plus = strrchr(function, '+');

	return plus && isdigit((unsigned char)plus[1]);
}

static int refuse_offset(const char *text, struct why *why)
{
	return why_set(why, -EINVAL,
		"%s: a call begins where its function does: give the name without an offset", text);
}

static int parse_function(const char *text, const char *place, const char *program,
	struct call_request *ret, struct why *why)
{
	const char *colon = asked_colon(place);
	const char *function = colon ? colon + 1 : place;

	if (!colon && !program)
		return why_set(why, -EINVAL,
			"%s: of which program or library is that? Give " CALL_NAMES, text);
	if (colon == place || !*function)
		return why_set(why, -EINVAL,
			"%s: give it as FILE:FUNCTION, as libssl:SSL_read or "
			"/usr/bin/PROGRAM:main",
			text);
	if (has_offset(function))
		return refuse_offset(text, why);
	*ret = new_request(CALL_OF_FUNCTION, text);
	ret->path = colon ? xstrndup(place, (size_t)(colon - place)) : xstrdup(program);
	/* As it is called where its calls are told. */
	if (program && !strcmp(ret->path, basename(program))) {
		free(ret->path);
		ret->path = xstrdup(program);
	}
	ret->function = xstrdup(function);
	return 0;
}

static int parse_kernel_function(
	const char *text, const char *function, struct call_request *ret, struct why *why)
{
	if (!*function || strchr(function, ':'))
		return why_set(why, -EINVAL, "%s: give it as k:FUNCTION, as k:vfs_read", text);
	if (has_offset(function))
		return refuse_offset(text, why);
	*ret = new_request(CALL_OF_KERNEL, text);
	ret->function = xstrdup(function);
	return 0;
}

static bool is_pattern(const char *name)
{
	return strpbrk(name, "*?") != NULL;
}

static bool matches_any(const char *pattern)
{
	for (unsigned int i = 0; i < SYSCALLS_MOST; i++)
		if (syscall_name(i) && text_matches_glob(syscall_name(i), pattern))
			return true;
	return false;
}

static int parse_system_call(
	const char *text, const char *name, struct call_request *ret, struct why *why)
{
	int number = syscall_number(name);

	if (!*name)
		return why_set(why, -EINVAL, "%s: give it as syscall:NAME, as syscall:fsync", text);
	if (is_pattern(name) ? !matches_any(name) : number < 0) {
		_cleanup_free_ char *near = syscall_near(name);
		return why_set(why, -EINVAL, "%s: there is no system call %s%s%s", text, name,
			near ? "; near it are " : ": give its name as strace shows it",
			near ? near : "");
	}
	*ret = new_request(CALL_OF_SYSTEM, text);
	ret->function = xstrdup(number < 0 ? name : syscall_name((unsigned int)number));
	return 0;
}

static int parse_marks(
	const char *text, const char *place, struct call_request *ret, struct why *why)
{
	struct asked_mark mark;
	bool is_whole = asked_mark_parse(place, &mark);
	char *comma = is_whole ? strchr(mark.name, ',') : NULL;

	if (comma && (comma == mark.name || !comma[1] || strchr(comma + 1, ','))) {
		free(mark.path);
		free(mark.provider);
		free(mark.name);
		is_whole = false;
	}
	if (!is_whole)
		return why_set(why, -EINVAL,
			"%s: give it as usdt:FILE:PROVIDER:BEGIN,END; dwell list 'usdt:FILE:*' has "
			"the marks of a file",
			text);
	*ret = new_request(CALL_OF_MARKS, text);
	ret->path = mark.path;
	ret->group = mark.provider;
	ret->function = mark.name;
	if (comma) {
		*comma = '\0';
		ret->end = xstrdup(comma + 1);
	}
	return 0;
}

/* What -e can count is not all something that takes time. */
static bool is_moment(const char *text)
{
	static const char *const prefixes[] = {"uretprobe:", "ur:", "r:", "kretprobe:", "kr:",
		"fexit:", "fr:", "tracepoint:", "t:"};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (asked_behind(text, prefixes[i], NULL))
			return true;
	return false;
}

int call_parse(const char *text, const char *program, struct call_request *ret, struct why *why)
{
	const char *place;

	if ((place = asked_behind(text, "syscall:", NULL)))
		return parse_system_call(text, place, ret, why);
	if ((place = asked_behind(text, "usdt:", "U:")))
		return parse_marks(text, place, ret, why);
	if ((place = asked_behind(text, "kprobe:", "k:")) ||
		(place = asked_behind(text, "fentry:", "f:")))
		return parse_kernel_function(text, place, ret, why);
	if (is_moment(text))
		return why_set(why, -EINVAL,
			"%s: that is a moment, and a call takes time: give " CALL_NAMES, text);
	if (!(place = asked_behind(text, "uprobe:", "u:")))
		place = text;
	if (!*place)
		return why_set(why, -EINVAL, "'%s': which calls? Give " CALL_NAMES, text);
	return parse_function(text, place, program, ret, why);
}

void call_clear(struct call_request *request)
{
	free(request->text);
	free(request->path);
	free(request->group);
	free(request->function);
	free(request->end);
	free(request->tested);
	free(request->test);
	*request = (struct call_request){0};
}

/* "99.9" in millionths; 0 if that is none between 0 and 100. */
static uint32_t percentile_of(const char *text)
{
	size_t whole = strspn(text, "0123456789");
	const char *digits = text + whole + (text[whole] == '.');
	size_t count = strspn(digits, "0123456789");
	uint32_t millionths = 0, worth = 1000;

	if (!whole || whole > 2 || digits[count] || count > MOST_PERCENT_DIGITS ||
		(text[whole] && !count))
		return 0;
	for (size_t i = 0; i < whole; i++)
		millionths = 10 * millionths + 10000 * (uint32_t)(text[i] - '0');
	for (size_t i = 0; i < count; i++, worth /= 10)
		millionths += worth * (uint32_t)(digits[i] - '0');
	return millionths;
}

int call_set_slower(struct call_request *request, const char *text, struct why *why)
{
	uint64_t from_ns = 0;
	uint32_t percentile = text[0] == 'p' ? percentile_of(text + 1) : 0;

	if (!percentile && (units_parse_duration(text, &from_ns) || !from_ns))
		return why_set(why, -EINVAL,
			"--slower %s: from when on is a call slow? Give a time, as 10ms, or a "
			"percentile between p0 and p100, as p99 or p99.9",
			text);
	request->slow_percentile = percentile;
	request->slow_from_ns = from_ns;
	return 0;
}

int call_set_condition(struct call_request *request, const char *text, struct why *why)
{
	struct asked_condition asked = {0};
	bool is_condition = asked_condition_parse(text, &asked);

	if (!is_condition || strncmp(asked.tested, "arg", 3) != 0 || asked.tested[3] < '1' ||
		asked.tested[3] > '6' || asked.tested[4]) {
		free(asked.tested);
		return why_set(why, -EINVAL,
			"--if %s: give an argument (arg1 to arg6), OP and NUMBER, as 'arg3>=4096'; "
			"OP is one of " ASKED_CONDITIONS,
			text);
	}
	free(request->tested);
	free(request->test);
	request->tested = asked.tested;
	request->test = xstrdup(text);
	request->condition = asked.condition;
	request->limit = asked.limit;
	return 0;
}
