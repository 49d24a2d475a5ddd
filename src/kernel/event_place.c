// SPDX-License-Identifier: GPL-2.0-or-later
/* Files are opened and read by helpers; what they say comes back as offsets. */
#include "kernel/event_place.h"

#include <errno.h>
#include <string.h>

#include "elf/usdt.h"
#include "host/tracepoint.h"
#include "kernel/event_file.h"
#include "kernel/event_find.h"
#include "kernel/event_guard.h"
#include "kernel/event_number.h"
#include "symbol/outside/outside.h"
#include "symbol/outside/parser.h"
#include "util/mem.h"

/* The rule that an event's places share, unless each says for itself where its numbers are. */
static int new_rule(struct event_plan *plan, const struct event *event, uint32_t index,
	struct event_rule **ret, struct why *why)
{
	if (plan->rule_count == CONTRACT_EVENT_RULES)
		return why_set(why, -E2BIG,
			"-e %s: the numbers of all events are in more than %d different places; "
			"ask "
			"for fewer at once",
			event->text, CONTRACT_EVENT_RULES);
	struct event_rule *rule = &plan->rules[plan->rule_count++];
	*rule = (struct event_rule){.measure = index + 1,
		.condition = (uint8_t)event->condition,
		.limit = event->limit,
		.has_thing = event->has_thing,
		.is_in_user_code = event->kind == EVENT_CALL || event->kind == EVENT_MARK,
		.events = 1,
		.each = 1};
	*ret = rule;
	return 0;
}

/* One of so many is looked at, and stands for all. */
static void thin_rule(struct event_rule *rule, const struct event *event)
{
	if (event->period < 2)
		return;
	rule->one_of = (uint32_t)event->period;
	rule->events = rule->each = event->period;
}

static void add_place(struct event_plan *plan, const struct event_place *place)
{
	vec_push(&plan->places, *place);
}

/* The plan keeps it open. */
static int open_file(struct event_plan *plan, const struct event *event, struct outside *outside,
	struct event_file *ret, struct why *why)
{
	int error = event_file_open(event->path, outside, ret, why);

	if (!error)
		vec_push(&plan->fds, ret->fd);
	return error;
}

static int place_calls(struct event_plan *plan, const struct event *event, uint32_t index,
	struct outside *outside, struct why *why)
{
	_cleanup_(event_file_clear) struct event_file file = {.fd = -1};
	struct event_place place = {.event = index, .fd = -1};
	struct parser_function *found = NULL;
	struct event_rule *rule;
	size_t count = 0;
	int error = new_rule(plan, event, index, &rule, why);

	if (error)
		return error;
	place.rule = plan->rule_count - 1;
	thin_rule(rule, event);
	error = event_number_of_call(event, event->sum, &rule->value, why);
	if (!error)
		error = event_number_of_call(event, event->tested, &rule->tested, why);
	if (!error)
		error = event_guard_numbers(event, why);
	if (!error)
		error = open_file(plan, event, outside, &file, why);
	if (!error)
		error = event_guard_returns(event, outside, &file, why);
	if (!error)
		error = event_find_functions(event->function, event_arguments_needed(event),
			outside, &file, &found, &count, why);
	if (!error)
		error = event_guard_offsets(event, outside, &file, found, count, why);
	place.fd = file.fd;
	for (size_t i = 0; i < count && !error; i++) {
		/* A return is taken at the very beginning: that is where its address lies. */
		place.offset = event->offset      ? found[i].offset + event->offset
			       : event->is_return ? found[i].start
						  : found[i].place;
		add_place(plan, &place);
	}
	parser_functions_free(found, count);
	return error;
}

static int say_marks(const struct event *event, struct outside *outside,
	const struct event_file *file, int error, struct why *why)
{
	struct elf_usdt_name *names = NULL;
	size_t count = 0;

	if (error == -ENOEXEC)
		return event_file_refuse(file, why);
	if (error != -ENOENT)
		return why_set(why, -EINVAL, "cannot read the marks of %s: %s", file->said,
			strerror(-error));
	if (parser_usdt_names(outside->parsers, file->fd, &names, &count) || !count)
		return why_set(why, -EINVAL, "there are no USDT marks in %s", file->said);
	_cleanup_free_ char *example = xstrdup(names[0].text);
	elf_usdt_names_free(names, count);
	return why_set(why, -EINVAL,
		"there is no mark %s:%s in %s, but %zu others, as %s; dwell list 'usdt:%s:*' has "
		"them",
		event->group, event->function, file->said, count, example, event->path);
}

static int place_marks(struct event_plan *plan, const struct event *event, uint32_t index,
	struct outside *outside, struct why *why)
{
	_cleanup_(event_file_clear) struct event_file file = {.fd = -1};
	_cleanup_free_ struct elf_usdt_place *found = NULL;
	struct event_place place = {.event = index};
	size_t count = 0;
	int error = open_file(plan, event, outside, &file, why);

	if (error)
		return error;
	error = parser_usdt(
		outside->parsers, file.fd, event->group, event->function, &found, &count);
	if (error)
		return say_marks(event, outside, &file, error, why);
	error = event_guard_marks(event, found, count, why);
	place.fd = file.fd;
	for (size_t i = 0; i < count && !error; i++) {
		struct event_rule *rule;
		/* Without numbers all places count alike. */
		if (i && !event->sum && !event->tested) {
			rule = &plan->rules[plan->rule_count - 1];
		} else {
			error = new_rule(plan, event, index, &rule, why);
			if (error)
				break;
			thin_rule(rule, event);
		}
		error = event_number_of_mark(event, event->sum, &found[i], &rule->value, why);
		if (!error)
			error = event_number_of_mark(
				event, event->tested, &found[i], &rule->tested, why);
		place.rule = plan->rule_count - 1;
		place.offset = found[i].offset;
		place.semaphore = found[i].semaphore;
		add_place(plan, &place);
	}
	return error;
}

/* The kernel takes a program once for each tracepoint: further events are told by the same link. */
static bool share_place(struct event_plan *plan, const struct event_place *place)
{
	vec_each (other, &plan->places) {
		struct event_rule *rule = &plan->rules[other->rule];
		if (!other->tracepoint || other->tracepoint != place->tracepoint)
			continue;
		while (rule->next)
			rule = &plan->rules[rule->next - 1];
		rule->next = place->rule + 1;
		return true;
	}
	return false;
}

static int place_tracepoint(
	struct event_plan *plan, const struct event *event, uint32_t index, struct why *why)
{
	struct event_place place = {.event = index, .fd = -1};
	struct tracepoint tracepoint = {0};
	struct event_rule *rule;
	int error = tracepoint_read(event->group, event->function, &tracepoint, why);

	if (error)
		return error;
	error = new_rule(plan, event, index, &rule, why);
	if (!error)
		error = event_number_of_field(&tracepoint, event->sum, &rule->value, why);
	if (!error)
		error = event_number_of_field(&tracepoint, event->tested, &rule->tested, why);
	if (!error) {
		thin_rule(rule, event);
		place.rule = plan->rule_count - 1;
		place.tracepoint = tracepoint.id;
		if (!share_place(plan, &place))
			add_place(plan, &place);
	}
	tracepoint_clear(&tracepoint);
	return error;
}

/* Functions of the kernel and events of perf: there is one place, which the event itself says. */
static int place_other(
	struct event_plan *plan, const struct event *event, uint32_t index, struct why *why)
{
	struct event_place place = {.event = index, .fd = -1};
	struct event_rule *rule;
	int error = new_rule(plan, event, index, &rule, why);

	if (!error && event->kind == EVENT_KERNEL_CALL) {
		thin_rule(rule, event);
		error = event_number_of_call(event, event->sum, &rule->value, why);
		if (!error)
			error = event_number_of_call(event, event->tested, &rule->tested, why);
	} else if (!error) {
		rule->has_own_period = event->frequency != 0;
		rule->is_clock = event_is_clock(event);
		rule->events = rule->is_clock ? 1 : event->period;
		rule->each = event->period;
	}
	place.rule = plan->rule_count - 1;
	if (!error)
		add_place(plan, &place);
	return error;
}

int event_plan_make(const struct event *events, size_t count, struct outside *outside,
	struct event_plan *ret, struct why *why)
{
	int error = 0;

	for (uint32_t i = 0; i < count && !error; i++) {
		const struct event *event = &events[i];
		if (event->kind == EVENT_CALL)
			error = place_calls(ret, event, i, outside, why);
		else if (event->kind == EVENT_MARK)
			error = place_marks(ret, event, i, outside, why);
		else if (event->kind == EVENT_TRACEPOINT)
			error = place_tracepoint(ret, event, i, why);
		else if (event->kind != EVENT_OF_MEMORY)
			error = place_other(ret, event, i, why);
	}
	return error;
}

void event_plan_clear(struct event_plan *plan)
{
	vec_each (fd, &plan->fds)
		mem_close_fd(fd);
	vec_clear(&plan->fds);
	vec_clear(&plan->places);
	*plan = (struct event_plan){0};
}
