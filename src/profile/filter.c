// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsing of filter words, and filters in words. */
#include "profile/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

void view_filter_init(struct view_filter *filter)
{
	*filter = (struct view_filter){
		.to_ns = UINT64_MAX,
		.max_band = CONTRACT_BANDS - 1,
		.states = VIEW_ALL_STATES,
		.reasons = VIEW_ALL_REASONS,
	};
}

void view_filter_clear(struct view_filter *filter)
{
	vec_clear(&filter->pids);
	vec_clear(&filter->tids);
	free(filter->comm_glob);
	filter->comm_glob = NULL;
	free(filter->thing_pattern);
	filter->thing_pattern = NULL;
	free(filter->slow_function);
	filter->slow_function = NULL;
}

static int parse_time(const char *option, const char *text, uint64_t *ret_ns, struct why *why)
{
	if (units_parse_duration(text, ret_ns))
		return why_set(why, -EINVAL,
			"%s %s: not a time; write 2s, 250ms or 1.5 (seconds) from the recording's "
			"start",
			option, text);
	return 0;
}

int view_filter_set_from(struct view_filter *filter, const char *text, struct why *why)
{
	return parse_time("--from", text, &filter->from_ns, why);
}

int view_filter_set_to(struct view_filter *filter, const char *text, struct why *why)
{
	return parse_time("--to", text, &filter->to_ns, why);
}

/* The band that begins at the length; -EINVAL if none does. */
static int parse_border(
	const char *option, const char *text, unsigned int *ret_band, struct why *why)
{
	uint64_t ns;

	if (!units_parse_duration(text, &ns))
		for (unsigned int band = 0; band < CONTRACT_BANDS; band++)
			if (band_start_ns(band) == ns) {
				*ret_band = band;
				return 0;
			}
	return why_set(why, -EINVAL,
		"%s %s: waits are summed by decade; give 10us, 100us, 1ms, 10ms, 100ms or 1s",
		option, text);
}

int view_filter_set_min_wait(struct view_filter *filter, const char *text, struct why *why)
{
	return parse_border("-m", text, &filter->min_band, why);
}

int view_filter_set_max_wait(struct view_filter *filter, const char *text, struct why *why)
{
	unsigned int band;
	int error = parse_border("-M", text, &band, why);

	if (error)
		return error;
	if (!band)
		return why_set(why, -EINVAL, "-M %s: no wait is shorter than that", text);
	filter->max_band = band - 1;
	return 0;
}

/* Calls `each` with every word of a comma list; stops at the first error. */
static int each_word(const char *list, void *target, struct why *why,
	int (*each)(const char *word, void *target, struct why *why))
{
	_cleanup_free_ char *copy = xstrdup(list);
	char *rest = copy;
	char *word;

	while ((word = strsep(&rest, ","))) {
		int error = each(word, target, why);
		if (error)
			return error;
	}
	return 0;
}

static int add_state(const char *word, void *target, struct why *why)
{
	struct view_filter *filter = target;
	size_t letters = strlen(filter->letters);
	enum time_state state;

	if (!strcmp(word, "runnable")) {
		filter->states |= 1u << TIME_WOKEN | 1u << TIME_PREEMPTED;
	} else if (state_from_name(word, &state) && state < TIME_STATES) {
		filter->states |= 1u << state;
	} else if (word[0] && !word[1] && strchr("SDTtIPXZ", word[0])) {
		filter->states |= 1u << TIME_BLOCKED;
		if (letters + 1 < sizeof(filter->letters) && !strchr(filter->letters, word[0]))
			filter->letters[letters] = word[0];
	} else {
		return why_set(why, -EINVAL,
			"--state %s: unknown; states are running, runnable, woken, preempted, "
			"blocked, or a letter of blocked time (S, D, T, ...)",
			word);
	}
	return 0;
}

int view_filter_set_states(struct view_filter *filter, const char *text, struct why *why)
{
	filter->states = 0;
	memset(filter->letters, 0, sizeof(filter->letters));
	return each_word(text, filter, why, add_state);
}

static int add_reason(const char *word, void *target, struct why *why)
{
	struct view_filter *filter = target;
	enum reason reason;
	char names[256] = "";

	if (reason_from_name(word, &reason)) {
		filter->reasons |= 1u << reason;
		return 0;
	}
	for (unsigned int i = 0; i < REASONS; i++) {
		strncat(names, i ? ", " : "", sizeof(names) - strlen(names) - 1);
		strncat(names, reason_name((enum reason)i), sizeof(names) - strlen(names) - 1);
	}
	return why_set(why, -EINVAL, "--reason %s: unknown; reasons are %s", word, names);
}

int view_filter_set_reasons(struct view_filter *filter, const char *text, struct why *why)
{
	filter->reasons = 0;
	return each_word(text, filter, why, add_reason);
}

int view_filter_set_thing(struct view_filter *filter, const char *text, struct why *why)
{
	if (!text[0])
		return why_set(why, -EINVAL,
			"--for: give a part of a name (10.0.0.5), or a pattern ('*.wal')");
	free(filter->thing_pattern);
	filter->thing_pattern = xstrdup(text);
	return 0;
}

static int parse_id(const char *word, uint32_t *ret)
{
	char *end;
	unsigned long number;

	if (word[0] < '0' || word[0] > '9')
		return -EINVAL;
	errno = 0;
	number = strtoul(word, &end, 10);
	if (errno || *end || number > INT32_MAX)
		return -EINVAL;
	*ret = (uint32_t)number;
	return 0;
}

static int add_pid(const char *word, void *target, struct why *why)
{
	struct view_filter *filter = target;
	uint32_t id;

	if (parse_id(word, &id))
		return why_set(why, -EINVAL, "-p %s: not a process number", word);
	vec_push(&filter->pids, id);
	return 0;
}

int view_filter_add_pids(struct view_filter *filter, const char *text, struct why *why)
{
	return each_word(text, filter, why, add_pid);
}

static int add_tid(const char *word, void *target, struct why *why)
{
	struct view_filter *filter = target;
	uint32_t id;

	if (parse_id(word, &id))
		return why_set(why, -EINVAL, "-t %s: not a thread number", word);
	vec_push(&filter->tids, id);
	return 0;
}

int view_filter_add_tids(struct view_filter *filter, const char *text, struct why *why)
{
	return each_word(text, filter, why, add_tid);
}

void view_filter_set_comm(struct view_filter *filter, const char *glob)
{
	free(filter->comm_glob);
	filter->comm_glob = xstrdup(glob);
}

int view_filter_set_slow(struct view_filter *filter, const char *function, struct why *why)
{
	if (!function[0])
		return why_set(why, -EINVAL, "slow calls of which function? Give its name");
	if (filter->slow_function && strcmp(filter->slow_function, function))
		return why_set(why, -EINVAL,
			"slow calls of one function at a time: %s, or %s",
			filter->slow_function, function);
	free(filter->slow_function);
	filter->slow_function = xstrdup(function);
	return 0;
}

int view_filter_set_idle(struct view_filter *filter, const char *text, struct why *why)
{
	static const char *const names[] = {
		[IDLE_SHOW] = "show", [IDLE_HIDE] = "hide", [IDLE_ONLY] = "only"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(text, names[i])) {
			filter->idle = (enum idle_choice)i;
			return 0;
		}
	return why_set(why, -EINVAL, "--idle %s: unknown; give show, hide or only", text);
}

int view_filter_check(const struct view_filter *filter, struct why *why)
{
	if (filter->min_band > filter->max_band)
		return why_set(why, -EINVAL, "-m is not below -M: no wait fits");
	if (filter->from_ns >= filter->to_ns)
		return why_set(why, -EINVAL, "--from is not before --to: nothing lies between");
	if (filter->is_user_only && filter->is_kernel_only)
		return why_set(why, -EINVAL, "-u and -k exclude each other");
	return 0;
}

bool view_filter_asks_for_waits(const struct view_filter *filter)
{
	return filter->min_band || filter->max_band != CONTRACT_BANDS - 1 ||
	       filter->states != VIEW_ALL_STATES || filter->letters[0] ||
	       filter->reasons != VIEW_ALL_REASONS || filter->thing_pattern ||
	       filter->idle == IDLE_ONLY;
}

bool view_filter_asks_for_time(const struct view_filter *filter)
{
	return filter->slow_function || view_filter_asks_for_waits(filter);
}

int view_filter_check_events(const struct view_filter *filter, const char *events, struct why *why)
{
	if (!view_filter_asks_for_time(filter))
		return 0;
	return why_set(why, -EINVAL,
		"%s have no state, reason or length: -m, -M, --state, --reason, --for, --slow and "
		"--idle only are for time; choose by thread (-p, -t, -n, -u, -k) or --from and "
		"--to",
		events);
}

bool view_filter_asks_for_threads(const struct view_filter *filter)
{
	return filter->pids.count || filter->tids.count || filter->comm_glob ||
	       filter->is_user_only || filter->is_kernel_only;
}

bool view_filter_is_open(const struct view_filter *filter)
{
	return !filter->from_ns && filter->to_ns == UINT64_MAX && !filter->min_band &&
	       filter->max_band == CONTRACT_BANDS - 1 && filter->states == VIEW_ALL_STATES &&
	       !filter->letters[0] && filter->reasons == VIEW_ALL_REASONS &&
	       !filter->thing_pattern && !filter->slow_function &&
	       !view_filter_asks_for_threads(filter);
}

static void put_ids(FILE *out, const char *what, const uint32_t *ids, size_t count)
{
	fprintf(out, ", %s", what);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%u", i ? "," : " ", ids[i]);
}

static void put_choices(FILE *out, const struct view_filter *filter)
{
	bool is_first = true;

	if (filter->states != VIEW_ALL_STATES) {
		for (unsigned int i = 0; i < TIME_STATES; i++)
			if (filter->states & 1u << i) {
				fprintf(out, "%s%s", is_first ? ", " : " or ",
					state_name((enum time_state)i));
				is_first = false;
			}
		if (filter->letters[0])
			fprintf(out, " in state %s", filter->letters);
	}
	if (filter->reasons == VIEW_ALL_REASONS)
		return;
	is_first = true;
	for (unsigned int i = 0; i < REASONS; i++)
		if (filter->reasons & 1u << i) {
			fprintf(out, "%s%s", is_first ? ", in " : " or ",
				reason_name((enum reason)i));
			is_first = false;
		}
}

char *view_filter_text(const struct view_filter *filter)
{
	char room[UNITS_ROOM];
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return xstrdup("");
	if (filter->min_band)
		fprintf(out, ", waits >= %s",
			units_duration(band_start_ns(filter->min_band), room));
	if (filter->max_band < CONTRACT_BANDS - 1)
		fprintf(out, ", waits < %s",
			units_duration(band_start_ns(filter->max_band + 1), room));
	put_choices(out, filter);
	if (filter->thing_pattern)
		fprintf(out, ", for %s", filter->thing_pattern);
	if (filter->pids.count)
		put_ids(out, filter->pids.count > 1 ? "processes" : "process", filter->pids.at,
			filter->pids.count);
	if (filter->tids.count)
		put_ids(out, filter->tids.count > 1 ? "threads" : "thread", filter->tids.at,
			filter->tids.count);
	if (filter->comm_glob)
		fprintf(out, ", threads named %s", filter->comm_glob);
	if (filter->is_user_only || filter->is_kernel_only)
		fprintf(out, ", %s threads", filter->is_user_only ? "user" : "kernel");
	if (filter->slow_function)
		fprintf(out, ", slow calls of %s", filter->slow_function);
	fclose(out);
	/* Each part begins with ", ". */
	if (text[0])
		memmove(text, text + 2, strlen(text + 2) + 1);
	return text;
}
