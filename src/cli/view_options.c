// SPDX-License-Identifier: GPL-2.0-or-later
/* Options of all looking commands. */
#include "cli/view_options.h"

#include <errno.h>
#include <string.h>

#include "cli/command.h"
#include "profile/slow.h"

enum {
	KEY_FROM = 0x1000,
	KEY_TO,
	KEY_STATE,
	KEY_REASON,
	KEY_FOR,
	KEY_IDLE,
	KEY_SLOW,
	KEY_BY,
};

static const struct argp_option options[] = {
	{.doc = "Which threads:"},
	{.key = 'p', .name = "pid", .arg = "PID,...", .doc = "threads of these processes"},
	{.key = 't', .name = "tid", .arg = "TID,...", .doc = "these threads"},
	{.key = 'n', .name = "name", .arg = "GLOB", .doc = "threads whose comm matches"},
	{.key = 'u', .name = "user-threads", .doc = "user threads only"},
	{.key = 'k', .name = "kernel-threads", .doc = "kernel threads only"},
	{.doc = "Which time:"},
	{.key = KEY_FROM,
		.name = "from",
		.arg = "TIME",
		.doc = "from this time of the recording on"},
	{.key = KEY_TO,
		.name = "to",
		.arg = "TIME",
		.doc = "up to this time; both are rounded out to whole slices"},
	{.key = 'm',
		.name = "min-wait",
		.arg = "TIME",
		.doc = "waits this long or longer: 10us, 100us, 1ms, 10ms, 100ms or 1s"},
	{.key = 'M', .name = "max-wait", .arg = "TIME", .doc = "waits shorter than this"},
	{.key = KEY_STATE,
		.name = "state",
		.arg = "STATE,...",
		.doc = "running, runnable, woken, preempted, blocked, or S, D, T, ...: blocked in "
		       "that "
		       "state"},
	{.key = KEY_REASON,
		.name = "reason",
		.arg = "WORD,...",
		.doc = "blocked time only, for these reasons: disk, lock, futex, pipe, socket, "
		       "..."},
	{.key = KEY_FOR,
		.name = "for",
		.arg = "PATTERN",
		.doc = "blocked time only, for things called so: a part of a file's, socket's or "
		       "lock's name, or a whole one with * and ?"},
	{.key = KEY_IDLE,
		.name = "idle",
		.arg = "show|hide|only",
		.doc = "waits of threads that have nothing to do (default hide)"},
	{.key = KEY_SLOW,
		.name = "slow",
		.arg = "FUNCTION",
		.doc = "time of slow calls of this function alone (record --calls): its name, a "
		       "part of it, or a pattern"},
	{.doc = "How stacks look:"},
	{.key = KEY_BY,
		.name = "by",
		.arg = "WORD,...",
		.doc = "name stacks by comm, process, thread, container, name (of the process), "
		       "awaited (what a wait was for; not for reports)"},
	{.key = 'U', .name = "user-stacks", .doc = "user frames only"},
	{.key = 'K', .name = "kernel-stacks", .doc = "kernel frames only"},
	{0},
};

void view_options_init(struct view_options *view)
{
	*view = (struct view_options){0};
	view_filter_init(&view->filter);
	view->shape.by[0] = BY_COMM;
	view->shape.by_count = 1;
}

void view_options_clear(struct view_options *view)
{
	view_filter_clear(&view->filter);
}

static int parse_filter(int key, char *value, struct view_filter *filter, struct why *why)
{
	switch (key) {
	case 'p':
		return view_filter_add_pids(filter, value, why);
	case 't':
		return view_filter_add_tids(filter, value, why);
	case 'n':
		view_filter_set_comm(filter, value);
		return 0;
	case 'm':
		return view_filter_set_min_wait(filter, value, why);
	case 'M':
		return view_filter_set_max_wait(filter, value, why);
	case KEY_FROM:
		return view_filter_set_from(filter, value, why);
	case KEY_TO:
		return view_filter_set_to(filter, value, why);
	case KEY_STATE:
		return view_filter_set_states(filter, value, why);
	case KEY_REASON:
		return view_filter_set_reasons(filter, value, why);
	case KEY_FOR:
		return view_filter_set_thing(filter, value, why);
	case KEY_IDLE:
		return view_filter_set_idle(filter, value, why);
	case KEY_SLOW:
		return view_filter_set_slow(filter, value, why);
	case ARGP_KEY_END:
		return view_filter_check(filter, why);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int parse_key(int key, char *value, struct view_options *view, struct why *why)
{
	switch (key) {
	case 'u':
		view->filter.is_user_only = true;
		return 0;
	case 'k':
		view->filter.is_kernel_only = true;
		return 0;
	case 'U':
		view->shape.is_user_only = true;
		return 0;
	case 'K':
		view->shape.is_kernel_only = true;
		return 0;
	case KEY_BY:
		view->has_by = true;
		return stack_shape_set_by(&view->shape, value, why);
	case KEY_IDLE:
		view->has_idle = true;
		return parse_filter(key, value, &view->filter, why);
	case ARGP_KEY_END:
		if (view->shape.is_user_only && view->shape.is_kernel_only)
			return why_set(why, -EINVAL, "-U and -K exclude each other");
		return parse_filter(key, value, &view->filter, why);
	default:
		return parse_filter(key, value, &view->filter, why);
	}
}

int view_options_take_slow(struct view_options *view, const char **name)
{
	struct why why = {""};

	if (strncmp(*name, SLOW_PREFIX, strlen(SLOW_PREFIX)) != 0)
		return STATUS_DONE;
	if (view_filter_set_slow(&view->filter, *name + strlen(SLOW_PREFIX), &why))
		return fail(STATUS_USAGE, "--view %s: %s", *name, why.text);
	*name = view_type(VIEW_HOTCOLD)->name;
	return STATUS_DONE;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct why why = {""};
	int error = parse_key(key, value, state->input, &why);

	if (!error || error == ARGP_ERR_UNKNOWN)
		return error;
	fail(STATUS_USAGE, "%s", why.text);
	return EINVAL;
}

const struct argp view_options_argp = {.options = options, .parser = parse_option};
