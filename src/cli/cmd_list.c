// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dwell list: what record -e can count here. Whatever cannot be looked at, for want of rights or
 * because the machine does not have it, is a line with the reason; the rest is shown all the same.
 */
#include "cli/command.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cli/list_file.h"
#include "cli/listing.h"
#include "cli/terminal.h"
#include "host/tracepoint.h"
#include "kernel/event.h"
#include "kernel/event_hardware.h"
#include "util/mem.h"
#include "util/nearest.h"
#include "util/text.h"

#define WIDEST_COLUMNS 100

struct list {
	const char *glob; /* NULL: everything */
	bool is_json;
	bool has_fields;
	struct listing listing;
	/* While tracepoints are gone through. */
	struct nearest nearest;
	const char *pattern;
	/* While hardware events are. */
	bool is_counted; /* the last one by its own name */
	int error;       /* why the first one is not counted */
	char *uncounted;
};

enum {
	KEY_JSON = 2000,
};

static const struct argp_option options[] = {
	{.key = 'v', .name = "verbose", .doc = "all fields of tracepoints with their types"},
	{.name = "json", .key = KEY_JSON, .doc = "the same as JSON, with all fields"},
	{0},
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct list *list = state->input;

	switch (key) {
	case 'v':
		list->has_fields = true;
		return 0;
	case KEY_JSON:
		list->is_json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (list->glob) {
			fail(STATUS_USAGE, "list takes one pattern; %s is too many (quote it: '*')",
				value);
			return EINVAL;
		}
		list->glob = value;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {.options = options, .parser = parse_option};

static bool is_wanted(struct list *list, const char *name)
{
	if (list->glob)
		nearest_add(&list->nearest, name);
	return !list->pattern || text_matches_glob(name, list->pattern);
}

static void add_software(struct list *list)
{
	static const struct {
		const char *name, *one, *about;
	} events[] = {
#define SOFTWARE_ROW(name, unit, one, about, ...) {name, one, about},
		EVENT_SOFTWARE(SOFTWARE_ROW)
#undef SOFTWARE_ROW
	};

	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (is_wanted(list, events[i].name))
			listing_add(&list->listing, LISTING_SOFTWARE, events[i].name, "%s: %s",
				events[i].one, events[i].about);
}

static void add_hardware_event(
	void *context, const char *name, const char *about, const struct event_hardware *event)
{
	struct list *list = context;

	if (about) {
		int error = event_hardware_try(event);
		list->is_counted = !error;
		if (error && !list->error)
			list->error = error;
	}
	if (!list->is_counted) {
		char *longer = xasprintf("%s%s%s", list->uncounted ? list->uncounted : "",
			list->uncounted ? ", " : "", name);
		free(list->uncounted);
		list->uncounted = longer;
	} else if (is_wanted(list, name)) {
		listing_add(&list->listing, LISTING_HARDWARE, name, "%s",
			about ? about : "the same by another name");
	}
}

/* Does the machine count anything by itself? And if not, why? */
static const char *why_no_hardware(int error)
{
	switch (error) {
	case -EACCES:
	case -EPERM:
		return "hidden from this user: see perf_event_paranoid in dwell check";
	case -ENOSYS:
		return "this kernel has no perf events";
	default:
		return "no PMU: the CPUs of this machine offer no counters, as in most virtual "
		       "machines";
	}
}

static void add_hardware(struct list *list)
{
	bool is_any;

	event_hardware_each(add_hardware_event, list);
	uint32_t type = 0;
	uint64_t config = 0;
	event_hardware_find("cycles", &type, &config);
	is_any = !event_hardware_try(&(struct event_hardware){.type = type, .config = config}) ||
		 listing_count(&list->listing, LISTING_HARDWARE);
	if (!is_any)
		listing_add(&list->listing, LISTING_MISSING, "hardware events", "%s",
			why_no_hardware(list->error));
	else if (list->uncounted)
		listing_add(&list->listing, LISTING_MISSING, "hardware events",
			"these CPUs do not count %s", list->uncounted);
	if (is_any)
		listing_add(&list->listing, LISTING_WAYS, "rHEX, cpu/event=HEX,umask=HEX/",
			"any other event of the CPUs, by the numbers of their manual");
}

static bool add_tracepoint(void *context, const char *category, const char *name)
{
	struct list *list = context;
	_cleanup_free_ char *both = xasprintf("%s:%s", category, name);
	struct tracepoint tracepoint;

	/* For those who gave only the second word. */
	if (list->glob && !strchr(list->glob, ':'))
		nearest_add(&list->nearest, name);
	if (!is_wanted(list, both))
		return true;
	struct listing_item *item =
		listing_add(&list->listing, LISTING_TRACEPOINTS, both, "%s", "");
	if (tracepoint_read(category, name, &tracepoint, NULL))
		return true;
	for (size_t i = 0; i < tracepoint.field_count; i++)
		listing_add_field(item, tracepoint.fields[i].name, tracepoint.fields[i].type,
			tracepoint.fields[i].is_number);
	tracepoint_clear(&tracepoint);
	return true;
}

static void add_tracepoints(struct list *list)
{
	struct why why;

	if (tracepoint_each(add_tracepoint, list, &why))
		listing_add(&list->listing, LISTING_MISSING, "tracepoints", "%s", why.text);
}

static bool has_pmu(const char *name)
{
	_cleanup_free_ char *path = xasprintf("/sys/bus/event_source/devices/%s/type", name);

	return !access(path, F_OK);
}

static void add_ways(struct list *list)
{
	struct listing *listing = &list->listing;

	listing_add(listing, LISTING_WAYS, "syscall:NAME, syscall:NAME:ret",
		"a system call at its beginning or its end: tracepoints of the category syscalls");
	if (has_pmu("uprobe")) {
		listing_add(listing, LISTING_WAYS, "uprobe:PATH:FUNCTION",
			"calls of a function in a file: dwell list 'uprobe:PATH:GLOB'");
		listing_add(listing, LISTING_WAYS, "usdt:PATH:PROVIDER:NAME",
			"probes that its authors left in a file: dwell list 'usdt:PATH'");
	} else {
		listing_add(listing, LISTING_MISSING, "uprobes, USDT", "not in this kernel");
	}
	if (has_pmu("kprobe"))
		listing_add(listing, LISTING_WAYS, "kprobe:FUNCTION",
			"calls of a function of the kernel, as /proc/kallsyms names them");
	else
		listing_add(listing, LISTING_MISSING, "kprobes", "not in this kernel");
}

static void add_machine(struct list *list)
{
	add_software(list);
	add_hardware(list);
	add_tracepoints(list);
	if (!list->glob)
		add_ways(list);
}

static int nothing_found(const struct list *list)
{
	if (event_hardware_is(list->glob))
		return fail(STATUS_NOTHING, "%s is not counted here: %s", list->glob,
			list->error ? why_no_hardware(list->error)
				    : "it is given to record -e as it is, and not listed");
	_cleanup_free_ char *near = nearest_text(&list->nearest);

	if (near)
		return fail(STATUS_NOTHING,
			"nothing that can be counted here matches %s; near are %s", list->glob,
			near);
	vec_each (item, &list->listing.items)
		if (item->group == LISTING_MISSING && !strcmp(item->name, "tracepoints"))
			return fail(STATUS_NOTHING,
				"nothing that can be counted here matches %s; tracepoints were not "
				"looked through: %s",
				list->glob, item->about);
	return fail(STATUS_NOTHING, "nothing that can be counted here matches %s; all: dwell list",
		list->glob);
}

/* "sched" is all that has it in its name, unless something is called so. */
static void find_on_machine(struct list *list)
{
	_cleanup_free_ char *anywhere = NULL, *category = NULL, *name = NULL, *point = NULL;

	list->pattern = list->glob;
	if (list->glob && tracepoint_split(list->glob, &category, &name))
		list->pattern = point = xasprintf("%s:%s", category, name);
	add_machine(list);
	if (list->glob && !strpbrk(list->glob, "*?:") &&
		!listing_count(&list->listing, LISTING_GROUPS)) {
		listing_clear(&list->listing);
		list->pattern = anywhere = xasprintf("*%s*", list->glob);
		add_machine(list);
	}
	list->pattern = NULL;
}

static size_t width(void)
{
	size_t columns = terminal_columns(WIDEST_COLUMNS);

	return columns < WIDEST_COLUMNS ? columns : WIDEST_COLUMNS;
}

/* Beside what was looked for, what is missing, and why, would only be in the way. */
static void drop_reasons(struct listing *listing)
{
	struct listing found = {0}, rest = {0};

	vec_each (item, &listing->items)
		if (item->group < LISTING_WAYS)
			vec_push(&found.items, *item);
		else
			vec_push(&rest.items, *item);
	listing_clear(&rest);
	vec_clear(&listing->items);
	*listing = found;
}

static int find(struct list *list)
{
	bool is_of_file = list->glob && list_file_is(list->glob);
	struct why why = {{0}};

	if (!is_of_file)
		find_on_machine(list);
	else if (list_file(list->glob, &list->listing, &why))
		return fail(STATUS_USAGE, "%s", why.text);
	if (!listing_count(&list->listing, LISTING_GROUPS))
		return is_of_file ? fail(STATUS_NOTHING, "%s", why.text) : nothing_found(list);
	if (list->glob)
		drop_reasons(&list->listing);
	return STATUS_DONE;
}

static int run_list(const struct command *command, int argc, char **argv)
{
	struct list list = {0};
	int status = options_parse(command, &argp, 0, argc, argv, &list);

	if (status == OPTIONS_GO_ON) {
		nearest_init(&list.nearest, list.glob ? list.glob : "");
		status = find(&list);
		if (!status && list.is_json)
			listing_json(stdout, &list.listing);
		else if (!status)
			listing_print(stdout, &list.listing, list.has_fields, width());
		if (!status)
			status = finish_stdout(STATUS_DONE);
		nearest_clear(&list.nearest);
	}
	free(list.uncounted);
	listing_clear(&list.listing);
	return status;
}

const struct command cmd_list = {
	.name = "list",
	.usage = "[GLOB] [-v] [--json]",
	.summary = "What record -e can count here: events, tracepoints, functions",
	.examples = "  dwell list                     all that can be counted, and what cannot\n"
		    "  dwell list 'block:*'           tracepoints, with the numbers to sum\n"
		    "  dwell list sched:sched_switch  all fields of one\n"
		    "  dwell list 'uprobe:/usr/lib/libssl.so.3:SSL_*'   functions of a file\n"
		    "  dwell list usdt:/usr/bin/python3                 probes in it\n",
	.argp = &argp,
	.run = run_list,
	.needs_rights = true,
};
