// SPDX-License-Identifier: GPL-2.0-or-later
/* Fields are looked for from the end: a comm may hold anything, also "pid=1". */
#include "format/sched_fields.h"

#include <string.h>

static const struct {
	const char *name;
	enum sched_event event;
} events[] = {
	{"sched_switch", SCHED_SWITCH},
	{"sched_waking", SCHED_WAKING},
	{"sched_wakeup", SCHED_WAKEUP},
	{"sched_wakeup_new", SCHED_WAKEUP_NEW},
	{"sched_process_fork", SCHED_FORK},
	{"sched_process_exit", SCHED_EXIT},
	{"sched_process_exec", SCHED_EXEC},
	{"sched_stat_sleep", SCHED_STAT_SLEEP},
	{"sched_stat_blocked", SCHED_STAT_BLOCKED},
	{"sched_stat_iowait", SCHED_STAT_IOWAIT},
	{"sched_stat_wait", SCHED_STAT_WAIT},
};

enum sched_event sched_event_of(struct span name)
{
	bool has_group = name.length > 6 && !memcmp(name.at, "sched:", 6);

	if (!name.length)
		return SCHED_NONE;
	if (has_group) {
		name.at += 6;
		name.length -= 6;
	}
	const char *colon = memchr(name.at, ':', name.length);
	if (colon)
		name.length = (size_t)(colon - name.at);
	if (name.length < 12 || memcmp(name.at, "sched_", 6))
		return has_group ? SCHED_OTHER : SCHED_NONE;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (span_equals(name, events[i].name))
			return events[i].event;
	return SCHED_OTHER;
}

/* Where `text` occurs last; NULL if nowhere. */
static const char *find_last(struct span span, const char *text)
{
	size_t length = strlen(text);

	for (size_t i = span.length < length ? 0 : span.length - length + 1; i--;)
		if (span.at[i] == *text && !memcmp(span.at + i, text, length))
			return span.at + i;
	return NULL;
}

static struct span behind(struct span span, const char *at)
{
	return (struct span){at, (size_t)(span.at + span.length - at)};
}

static bool parse_tid(struct span span, uint32_t *ret)
{
	uint64_t number;

	if (!span_number(span, &number) || number > INT32_MAX)
		return false;
	*ret = (uint32_t)number;
	return true;
}

/* "COMM_KEY=comm PID_KEY=12 ...": pid_key is given with the blank before it. */
static bool parse_keyed(struct span span, const char *comm_key, const char *pid_key,
	struct span *ret_comm, uint32_t *ret_tid)
{
	const char *pid = find_last(span, pid_key);
	size_t skip = strlen(comm_key);

	if (!pid || span.length < skip || memcmp(span.at, comm_key, skip) || pid < span.at + skip)
		return false;
	*ret_comm = (struct span){span.at + skip, (size_t)(pid - span.at) - skip};
	return parse_tid(behind(span, pid + strlen(pid_key)), ret_tid);
}

/* "comm:12 [120] ...", the plugin's way; what is behind "] " goes to ret_rest. */
static bool parse_plugin(
	struct span span, struct span *ret_comm, uint32_t *ret_tid, struct span *ret_rest)
{
	const char *bracket = find_last(span, " [");
	if (!bracket)
		return false;
	struct span front = {span.at, (size_t)(bracket - span.at)};
	const char *colon = memrchr(front.at, ':', front.length);
	const char *end = memchr(bracket, ']', (size_t)(span.at + span.length - bracket));

	if (!colon || !end || !parse_tid(behind(front, colon + 1), ret_tid))
		return false;
	*ret_comm = (struct span){front.at, (size_t)(colon - front.at)};
	*ret_rest = span_trim(behind(span, end + 1));
	return true;
}

/* The kernel's bits, where perf could not name them: include/linux/sched.h. */
static char letter_of_bits(uint64_t bits)
{
	static const char letters[] = "SDTtXZPI";

	if (bits & 0x100)
		return 'R';
	if (bits & 0x80)
		return 'X';
	if (bits & 0x400)
		return 'I';
	for (unsigned int i = 0; i < 7; i++)
		if (bits & 1u << i)
			return letters[i];
	return 'R';
}

/* "S", "R+", "D|K", "1" */
static bool parse_state(struct span state, struct sched_fields *fields)
{
	uint64_t bits;

	if (!state.length)
		return false;
	fields->letter = span_number(state, &bits) ? letter_of_bits(bits) : *state.at;
	if (!strchr("RSDTtXZPIKWNxI", fields->letter))
		return false;
	if (strchr("KWN", fields->letter))
		fields->letter = 'D';
	const char *blank = memchr(state.at, ' ', state.length);
	size_t length = blank ? (size_t)(blank - state.at) : state.length;
	fields->is_preempted = memchr(state.at, '+', length) != NULL;
	fields->is_dead = !fields->is_preempted && strchr("XxZ", fields->letter);
	return true;
}

static bool parse_switch(struct span span, struct sched_fields *fields)
{
	const char *arrow = find_last(span, " ==> ");
	if (!arrow)
		return false;
	struct span left = {span.at, (size_t)(arrow - span.at)}, right = behind(span, arrow + 5);
	struct span state, rest;

	if (parse_keyed(left, "prev_comm=", " prev_pid=", &fields->comm, &fields->tid)) {
		const char *key = find_last(left, " prev_state=");
		return key && parse_state(behind(left, key + 12), fields) &&
		       parse_keyed(right, "next_comm=", " next_pid=", &fields->other_comm,
			       &fields->other_tid);
	}
	return parse_plugin(left, &fields->comm, &fields->tid, &state) &&
	       parse_state(state, fields) &&
	       parse_plugin(right, &fields->other_comm, &fields->other_tid, &rest);
}

static bool parse_delay(struct span span, struct sched_fields *fields)
{
	const char *key = find_last(span, " delay=");

	return key && span_number(behind(span, key + 7), &fields->delay_ns);
}

/* "comm=a pid=1 child_comm=b child_pid=2" */
static bool parse_fork(struct span span, struct sched_fields *fields)
{
	const char *child = find_last(span, " child_comm=");

	return child &&
	       parse_keyed((struct span){span.at, (size_t)(child - span.at)},
		       "comm=", " pid=", &fields->comm, &fields->tid) &&
	       parse_keyed(behind(span, child + 1),
		       "child_comm=", " child_pid=", &fields->other_comm, &fields->other_tid);
}

bool sched_fields_parse(enum sched_event event, struct span fields, struct sched_fields *ret)
{
	struct sched_fields found = {0};
	struct span rest;
	const char *pid;
	bool is_good;

	switch (event) {
	case SCHED_SWITCH:
		is_good = parse_switch(fields, &found);
		break;
	case SCHED_FORK:
		is_good = parse_fork(fields, &found);
		break;
	case SCHED_EXEC:
		pid = find_last(fields, " pid=");
		is_good = pid && parse_tid(behind(fields, pid + 5), &found.tid);
		break;
	default:
		is_good = parse_keyed(fields, "comm=", " pid=", &found.comm, &found.tid) ||
			  parse_plugin(fields, &found.comm, &found.tid, &rest);
		if (event >= SCHED_STAT_SLEEP)
			is_good = is_good && parse_delay(fields, &found);
	}
	if (is_good)
		*ret = found;
	return is_good;
}
