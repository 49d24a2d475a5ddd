// SPDX-License-Identifier: GPL-2.0-or-later
/* From the words of -e to events. */
#include "kernel/event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/asked.h"
#include "kernel/event_hardware.h"
#include "util/mem.h"
#include "util/text.h"

/* As often as perf samples counters. */
#define USUAL_HZ 4000

static const struct event_software software_events[] = {
#define EVENT_ROW(...) {__VA_ARGS__},
	EVENT_SOFTWARE(EVENT_ROW)
#undef EVENT_ROW
};

const struct event_software *event_software_at(size_t index)
{
	return index < ARRAY_SIZE(software_events) ? &software_events[index] : NULL;
}

static struct event new_event(enum event_kind kind, const char *text)
{
	return (struct event){.kind = kind, .text = xstrdup(text), .unit = "count", .period = 1};
}

static struct event software_event(const struct event_software *software, const char *text)
{
	struct event event = new_event(EVENT_PERF, text);

	event.name = xstrdup(software->name);
	event.unit = software->unit;
	event.one = xstrdup(software->one);
	event.about = xstrdup(software->about);
	event.perf_type = PERF_TYPE_SOFTWARE;
	event.perf_config = software->config;
	event.period = software->period;
	if (software->config == PERF_COUNT_SW_PAGE_FAULTS ||
		software->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		software->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ) {
		event.measure = MEASURE_FAULTS;
		event.has_thing = true;
	}
	return event;
}

static const struct event_software *find_software(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(software_events); i++) {
		const struct event_software *software = &software_events[i];
		if ((!strncmp(name, software->name, length) && !software->name[length]) ||
			(length && !strncmp(name, software->other_name, length) &&
				!software->other_name[length]))
			return software;
	}
	return NULL;
}

/* What comes behind a perf event's name, as perf has it: u, k, p and pp. */
static bool take_modifiers(const char *at, struct event *event)
{
	bool has_user = false, has_kernel = false;

	for (; *at; at++) {
		if (*at == 'u')
			has_user = true;
		else if (*at == 'k')
			has_kernel = true;
		else if (*at == 'p' && event->precise < 3)
			event->precise++;
		else if (*at != 'h' && *at != 'H' && *at != 'P')
			return false;
	}
	if (has_user != has_kernel) {
		event->has_no_kernel = has_user;
		event->has_no_user = has_kernel;
	}
	return true;
}

/* The colon in front of modifiers; NULL: there are none. */
static const char *modifiers_of(const char *text)
{
	const char *colon = strrchr(text, ':');

	return colon && colon[1] && strspn(colon + 1, "ukpPhH") == strlen(colon + 1) ? colon : NULL;
}

static struct event hardware_event(
	const struct event_hardware *hardware, const char *text, const char *name)
{
	struct event event = new_event(EVENT_PERF, text);

	event.name = xstrdup(text);
	event.one = xstrdup(name);
	event.about = xasprintf("where the CPU's counter of %s told of them", name);
	event.perf_type = hardware->type;
	event.perf_config = hardware->config;
	event.perf_config1 = hardware->config1;
	event.perf_config2 = hardware->config2;
	event_set_frequency(&event, USUAL_HZ);
	return event;
}

/*
 * "page-faults", "cycles:u", "r01c2", "cpu/event=0x3c/": 0; -ENOENT if it is none of perf's;
 * -EINVAL or -ENODEV with why.
 */
static int parse_perf(const char *text, struct event *ret, struct why *why)
{
	const char *colon = modifiers_of(text);
	size_t length = colon ? (size_t)(colon - text) : strlen(text);
	const struct event_software *software = find_software(text, length);
	_cleanup_free_ char *name = xstrndup(text, length);
	struct event_hardware hardware = {0};

	if (!software && !event_hardware_find(name, &hardware.type, &hardware.config)) {
		if (!event_hardware_is(name))
			return -ENOENT;
		int error = event_hardware_parse(name, &hardware, why);
		if (error)
			return error;
	}
	*ret = software ? software_event(software, text) : hardware_event(&hardware, text, name);
	if (!colon || take_modifiers(colon + 1, ret))
		return 0;
	event_clear(ret);
	return -ENOENT;
}

/* perf's word is for all faults; apart from each other they say which ones cost time. */
static void add_faults(const char *text, event_list *ret)
{
	static const char *const names[] = {"minor-faults", "major-faults"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct event event =
			software_event(find_software(names[i], strlen(names[i])), text);
		vec_push(ret, event);
	}
}

static int incomplete(const char *text, const char *form, struct why *why)
{
	return why_set(why, -EINVAL, "-e %s: give it as %s", text, form);
}

/* "+0x10" behind a function's name; false if that is no number. */
static bool take_offset(char *function, uint64_t *ret)
{
	char *plus = strrchr(function, '+'), *end;

	if (!plus)
		return true;
	errno = 0;
	*ret = strtoull(plus + 1, &end, 0);
	if (end == plus + 1 || *end || errno)
		return false;
	*plus = '\0';
	return true;
}

static int parse_call(
	const char *text, const char *place, bool is_return, struct event *ret, struct why *why)
{
	const char *colon = asked_colon(place);

	if (!colon || colon == place || !colon[1])
		return incomplete(text,
			"uprobe:FILE:FUNCTION, as uprobe:/usr/bin/PROGRAM:main or "
			"uprobe:libc:malloc",
			why);
	struct event event = new_event(EVENT_CALL, text);
	event.path = xstrndup(place, (size_t)(colon - place));
	event.function = xstrdup(colon + 1);
	event.is_return = is_return;
	event.name =
		xasprintf("%s:%s%s", basename(event.path), colon + 1, is_return ? ":return" : "");
	event.one = xasprintf("%s() %s", colon + 1, is_return ? "return" : "call");
	event.about = xstrdup(
		is_return ? "whom the function returned to" : "where the function was called from");
	if (!take_offset(event.function, &event.offset) || (event.offset && is_return)) {
		event_clear(&event);
		return why_set(why, -EINVAL, "-e %s: an offset is a number behind the name: %s",
			text, is_return ? "and a return has none" : "FUNCTION+0x10");
	}
	*ret = event;
	return 0;
}

static int parse_mark(const char *text, const char *place, struct event *ret, struct why *why)
{
	struct asked_mark mark;

	if (!asked_mark_parse(place, &mark))
		return incomplete(
			text, "usdt:FILE:PROVIDER:NAME; dwell list 'usdt:FILE:*' has them", why);
	*ret = new_event(EVENT_MARK, text);
	ret->path = mark.path;
	ret->group = mark.provider;
	ret->function = mark.name;
	ret->name = xasprintf("%s:%s", ret->group, ret->function);
	ret->one = xasprintf("%s:%s mark", ret->group, ret->function);
	ret->about = xstrdup("where the program came by that mark");
	return 0;
}

static int parse_kernel_call(
	const char *text, const char *function, bool is_return, struct event *ret, struct why *why)
{
	if (!*function)
		return incomplete(text, "kprobe:FUNCTION, as kprobe:vfs_read", why);
	*ret = new_event(EVENT_KERNEL_CALL, text);
	ret->function = xstrdup(function);
	ret->is_return = is_return;
	ret->name = xasprintf("k:%s%s", function, is_return ? ":return" : "");
	ret->one = xasprintf("%s() %s", function, is_return ? "return" : "call");
	ret->about = xstrdup("where the kernel's function was called from");
	if (take_offset(ret->function, &ret->offset))
		return 0;
	event_clear(ret);
	return why_set(
		why, -EINVAL, "-e %s: an offset is a number behind the name: FUNCTION+0x10", text);
}

static void set_tracepoint(struct event *ret, const char *text, char *group, char *name)
{
	/* Who issues a request, or is current where a packet arrives, need not be who wanted it. */
	bool is_indirect = !strcmp(group, "block") || !strcmp(group, "net") ||
			   !strcmp(group, "irq") || !strcmp(group, "napi");

	*ret = new_event(EVENT_TRACEPOINT, text);
	ret->group = group;
	ret->function = name;
	ret->name = xasprintf("%s:%s", group, name);
	ret->one = xstrdup(ret->name);
	ret->about = xasprintf("what ran where the kernel came by %s:%s%s", group, name,
		is_indirect ? ", which need not be what caused it" : "");
}

static int parse_tracepoint(const char *text, const char *place, struct event *ret, struct why *why)
{
	const char *colon = strchr(place, ':');

	if (!colon || colon == place || !colon[1] || strchr(colon + 1, ':'))
		return incomplete(text, "CATEGORY:TRACEPOINT, as block:block_rq_issue", why);
	set_tracepoint(ret, text, xstrndup(place, (size_t)(colon - place)), xstrdup(colon + 1));
	return 0;
}

static int parse_system_call(
	const char *text, const char *place, struct event *ret, struct why *why)
{
	const char *colon = strchr(place, ':');
	size_t length = colon ? (size_t)(colon - place) : strlen(place);
	bool is_return = colon && (!strcmp(colon, ":ret") || !strcmp(colon, ":return"));

	if (!length || (colon && !is_return))
		return incomplete(text, "syscall:NAME, or syscall:NAME:return", why);
	set_tracepoint(ret, text, xstrdup("syscalls"),
		xasprintf("sys_%s_%.*s", is_return ? "exit" : "enter", (int)length, place));
	free(ret->one);
	ret->one = xasprintf("%.*s %s", (int)length, place, is_return ? "return" : "call");
	free(ret->about);
	ret->about = xstrdup("where the system call was made");
	return 0;
}

/* Names that an unknown one may be a slip for. */
struct known_names {
	const char *names[128];
	size_t count;
};

static void add_known(struct known_names *known, const char *name)
{
	if (name[0] && known->count + 1 < ARRAY_SIZE(known->names))
		known->names[known->count++] = name;
}

static void add_hardware(
	void *context, const char *name, const char *about, const struct event_hardware *event)
{
	(void)about;
	(void)event;
	add_known(context, name);
}

static int unknown_event(const char *text, struct why *why)
{
	struct known_names known = {0};

	add_known(&known, "faults");
	for (size_t i = 0; i < ARRAY_SIZE(software_events); i++) {
		add_known(&known, software_events[i].name);
		add_known(&known, software_events[i].other_name);
	}
	event_hardware_each(add_hardware, &known);
	const char *near = text_nearest(text, known.names);
	if (near)
		return why_set(why, -EINVAL, "-e %s: unknown event; did you mean %s?", text, near);
	return why_set(why, -EINVAL,
		"-e %s: unknown event; dwell list has those of this machine, among them faults, "
		"CATEGORY:TRACEPOINT, uprobe:FILE:FUNCTION",
		text);
}

static int parse_one(const char *text, struct event *ret, struct why *why)
{
	const char *place;

	if ((place = asked_behind(text, "uprobe:", "u:")))
		return parse_call(text, place, false, ret, why);
	if ((place = asked_behind(text, "uretprobe:", "r:")) ||
		(place = asked_behind(text, "ur:", NULL)))
		return parse_call(text, place, true, ret, why);
	if ((place = asked_behind(text, "usdt:", "U:")))
		return parse_mark(text, place, ret, why);
	if ((place = asked_behind(text, "kprobe:", "k:")) ||
		(place = asked_behind(text, "fentry:", "f:")))
		return parse_kernel_call(text, place, false, ret, why);
	if ((place = asked_behind(text, "kretprobe:", "kr:")) ||
		(place = asked_behind(text, "fexit:", "fr:")))
		return parse_kernel_call(text, place, true, ret, why);
	if ((place = asked_behind(text, "tracepoint:", "t:")))
		return parse_tracepoint(text, place, ret, why);
	if ((place = asked_behind(text, "syscall:", NULL)))
		return parse_system_call(text, place, ret, why);
	int error = parse_perf(text, ret, why);
	if (error != -ENOENT)
		return error;
	/* As perf's users write a tracepoint. */
	if (strchr(text, ':') && !strpbrk(text, "/ "))
		return parse_tracepoint(text, text, ret, why);
	return unknown_event(text, why);
}

int event_parse(const char *text, event_list *ret, struct why *why)
{
	struct event event;

	if (!strcmp(text, "faults")) {
		add_faults(text, ret);
		return 0;
	}
	int error = parse_one(text, &event, why);
	if (!error)
		vec_push(ret, event);
	return error;
}

void event_clear(struct event *event)
{
	free(event->text);
	free(event->name);
	free(event->one);
	free(event->about);
	free(event->path);
	free(event->group);
	free(event->function);
	free(event->sum);
	free(event->test);
	free(event->tested);
	*event = (struct event){0};
}

void events_clear(event_list *events)
{
	vec_each (event, events)
		event_clear(event);
	vec_clear(events);
}
