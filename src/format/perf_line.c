// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A head is read from its firmest words outwards: the first "[003]" or "12.345678:" in it is the
 * anchor; the number before that is the tid, and all before that is the comm.
 */
#include "format/perf_line.h"

#include <string.h>

#include "replay/replay.h"
#include "util/units.h"

static bool is_digit(char letter)
{
	return letter >= '0' && letter <= '9';
}

static bool is_blank(char letter)
{
	return letter == ' ' || letter == '\t';
}

bool span_equals(struct span span, const char *text)
{
	return strlen(text) == span.length && !memcmp(span.at, text, span.length);
}

bool span_ends_with(struct span span, const char *text)
{
	size_t length = strlen(text);

	return span.length >= length && !memcmp(span.at + span.length - length, text, length);
}

struct span span_trim(struct span span)
{
	while (span.length && is_blank(*span.at)) {
		span.at++;
		span.length--;
	}
	while (span.length && is_blank(span.at[span.length - 1]))
		span.length--;
	return span;
}

bool span_number(struct span span, uint64_t *ret)
{
	uint64_t number = 0;
	size_t i = 0;

	for (; i < span.length && is_digit(span.at[i]); i++)
		if (__builtin_mul_overflow(number, 10, &number) ||
			__builtin_add_overflow(number, (uint64_t)(span.at[i] - '0'), &number))
			return false;
	if (i)
		*ret = number;
	return i > 0;
}

/* The next word from `from` on; false if there is none. */
static bool next_word(struct span line, size_t from, struct span *ret)
{
	while (from < line.length && is_blank(line.at[from]))
		from++;
	size_t end = from;
	while (end < line.length && !is_blank(line.at[end]))
		end++;
	*ret = (struct span){line.at + from, end - from};
	return end > from;
}

static size_t end_of(struct span line, struct span word)
{
	return (size_t)(word.at - line.at) + word.length;
}

static bool is_all_digits(struct span word)
{
	for (size_t i = 0; i < word.length; i++)
		if (!is_digit(word.at[i]))
			return false;
	return word.length > 0;
}

/* "[003]" */
static bool is_cpu(struct span word, uint16_t *ret)
{
	uint64_t cpu;

	if (word.length < 3 || word.at[0] != '[' || word.at[word.length - 1] != ']')
		return false;
	struct span inner = {word.at + 1, word.length - 2};
	if (!is_all_digits(inner) || !span_number(inner, &cpu) || cpu > 8191)
		return false;
	*ret = (uint16_t)cpu;
	return true;
}

/* "4752.182133:", also with nine digits */
static bool is_time(struct span word, uint64_t *ret_ns)
{
	const char *point = memchr(word.at, '.', word.length);
	uint64_t seconds, ns = 0;

	if (!point || word.length < 4 || word.at[word.length - 1] != ':')
		return false;
	struct span whole = {word.at, (size_t)(point - word.at)};
	struct span part = {point + 1, (size_t)(word.at + word.length - 1 - (point + 1))};
	if (!is_all_digits(whole) || !is_all_digits(part) || part.length > 9 ||
		!span_number(whole, &seconds) || seconds > INT64_MAX / NS_PER_S / 2)
		return false;
	span_number(part, &ns);
	for (size_t i = part.length; i < 9; i++)
		ns *= 10;
	*ret_ns = seconds * NS_PER_S + ns;
	return true;
}

/* "12", "12/13", "-1": ids as -F pid, tid or both print them. */
static bool is_ids(struct span word, struct perf_head *head)
{
	const char *slash = memchr(word.at, '/', word.length);
	struct span first = {word.at, slash ? (size_t)(slash - word.at) : word.length};
	uint64_t pid, tid;

	if (span_equals(word, "-1") || span_equals(word, "-1/-1"))
		return true;
	if (!is_all_digits(first) || !span_number(first, &pid) || pid > INT32_MAX)
		return false;
	tid = pid;
	if (slash) {
		struct span second = {slash + 1, word.length - first.length - 1};
		if (span_equals(second, "-1"))
			return true;
		if (!is_all_digits(second) || !span_number(second, &tid) || tid > INT32_MAX)
			return false;
		head->pid = (int64_t)pid;
	}
	head->tid = (int64_t)tid;
	return true;
}

/* "cpu-clock:", "sched:sched_switch:", "cycles:u:" */
static bool is_event(struct span word)
{
	return word.length > 1 && word.at[word.length - 1] == ':' && !is_digit(*word.at);
}

/* What follows comm, tid, cpu and time: "[period] event: fields". */
static void parse_event(struct span rest, struct perf_head *head)
{
	struct span word;
	size_t at = 0;

	if (!next_word(rest, at, &word))
		return;
	if (is_all_digits(word) && span_number(word, &head->period)) {
		head->has_period = true;
		at = end_of(rest, word);
		if (!next_word(rest, at, &word))
			return;
	}
	if (is_event(word)) {
		head->event = (struct span){word.at, word.length - 1};
		at = end_of(rest, word);
	}
	head->fields = span_trim((struct span){rest.at + at, rest.length - at});
}

/* The words before the anchor: the comm, and the ids if they are shown. */
static void parse_front(struct span front, struct perf_head *head)
{
	front = span_trim(front);
	size_t start = front.length;
	while (start && !is_blank(front.at[start - 1]))
		start--;
	struct span last = {front.at + start, front.length - start};
	if (start && is_ids(last, head))
		front = span_trim((struct span){front.at, start});
	head->comm = front;
}

/* A head with a CPU or a time in it. */
static bool parse_anchored(struct span line, struct perf_head *head)
{
	struct span word = {line.at, 0};
	size_t at = 0;

	while (next_word(line, at, &word)) {
		at = end_of(line, word);
		head->has_cpu = is_cpu(word, &head->cpu);
		if (!head->has_cpu && !is_time(word, &head->time_ns))
			continue;
		parse_front((struct span){line.at, (size_t)(word.at - line.at)}, head);
		struct span next;
		if (head->has_cpu && next_word(line, at, &next) && is_time(next, &head->time_ns))
			at = end_of(line, next);
		parse_event((struct span){line.at + at, line.length - at}, head);
		return head->comm.length > 0;
	}
	return false;
}

/* One without: "comm 12 34 event:", "comm event:", and above a stack also "comm" alone. */
static bool parse_loose(struct span line, bool has_stacks, struct perf_head *head)
{
	struct span word = {line.at, 0};
	size_t at = 0;

	head->comm = span_trim(line);
	while (next_word(line, at, &word)) {
		size_t start = (size_t)(word.at - line.at);
		bool is_id = at && is_ids(word, head);
		if (at && (is_id || is_event(word))) {
			head->comm = span_trim((struct span){line.at, start});
			start = is_id ? end_of(line, word) : start;
			parse_event((struct span){line.at + start, line.length - start}, head);
			return has_stacks || head->event.length;
		}
		at = end_of(line, word);
	}
	return has_stacks && head->comm.length > 0 && head->comm.length < 64;
}

bool perf_head_parse(struct span line, bool has_stacks, struct perf_head *ret)
{
	struct perf_head head = {.tid = -1, .pid = -1, .time_ns = REPLAY_NO_TIME};

	line = span_trim(line);
	/* A line of sense is short; hostile ones would cost a look at each word. */
	if (line.length > 4096)
		line.length = 4096;
	if (!parse_anchored(line, &head)) {
		head = (struct perf_head){.tid = -1, .pid = -1, .time_ns = REPLAY_NO_TIME};
		if (!parse_loose(line, has_stacks, &head))
			return false;
	}
	*ret = head;
	return true;
}

bool perf_head_is_record(const struct perf_head *head)
{
	static const char start[] = "PERF_RECORD_";
	struct span text = head->event.length ? head->event : head->fields;

	return text.length >= sizeof(start) - 1 && !memcmp(text.at, start, sizeof(start) - 1);
}
