// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An event is a head and, with -g, the frames below it up to an empty line. Frames are interned as
 * lines: only the first of its kind is parsed. An event is finished by the next head, an empty line
 * or the end.
 */
#include "format/perf_script.h"

#include <string.h>

#include "format/perf_line.h"
#include "format/sched_fields.h"
#include "format/stacks.h"
#include "format/tidy_name.h"
#include "format/waker.h"
#include "util/mem.h"

struct reader {
	struct perf_log *log;
	struct skipped *skipped;
	VEC(uint32_t) frames; /* of the event, leaf first */
	struct replay_event event;
	bool is_open;        /* there is an event */
	bool is_loose;       /* its head may be any text: it takes frames to believe it */
	bool wants_stack;    /* and its frames matter */
	bool is_after_empty; /* a stack's head may be a comm alone */
	bool is_after_frame; /* a line of source may follow */
	bool is_idle;        /* the event's CPU was: tid 0 */
};

static uint32_t text_number(struct perf_log *log, struct span span)
{
	return span.length ? intern_bytes(&log->table.texts, span.at, span.length) : 0;
}

/* Inlined functions live in the object of the frame that they are inlined into. */
static void settle_inlined(struct stack_table *table, const uint32_t *frames, size_t count)
{
	const struct table_frame *outer = &table->frames.at[frames[count - 1]];

	for (size_t i = count - 1; i-- && table->frames.at[frames[i]].is_inlined;) {
		struct table_frame *inlined = &table->frames.at[frames[i]];
		if (!inlined->object) {
			inlined->object = outer->object;
			inlined->is_kernel = outer->is_kernel;
		}
	}
}

/* The name that is shown: tidy, or of the object if the function has none. */
static void name_frame(
	struct perf_log *log, const struct perf_frame *parsed, struct table_frame *frame)
{
	bool is_tidy = log->has_full_names || parsed->is_kernel || perf_frame_is_jit(parsed);
	_cleanup_free_ char *made = !parsed->name.length ? perf_frame_label(parsed)
				    : is_tidy            ? NULL
					      : tidy_name(parsed->name.at, parsed->name.length);

	frame->name = made ? text_number(log, (struct span){made, strlen(made)})
			   : text_number(log, parsed->name);
	frame->is_unnamed = !parsed->name.length;
}

static bool add_frame(struct reader *reader, struct span source)
{
	struct stack_table *table = &reader->log->table;
	struct perf_frame parsed;
	bool is_new;
	uint32_t number = stack_table_frame(table, source.at, source.length, &is_new);
	struct table_frame *frame = &table->frames.at[number];

	if (is_new && perf_frame_parse(source, &parsed)) {
		frame->is_valid = true;
		frame->address = parsed.address;
		frame->offset = parsed.offset;
		name_frame(reader->log, &parsed, frame);
		frame->object = text_number(reader->log, parsed.object);
		frame->is_kernel = parsed.is_kernel;
		frame->is_inlined = parsed.is_inlined;
		frame->is_schedule = parsed.is_kernel && span_equals(parsed.name, "__schedule");
	}
	if (!frame->is_valid)
		return false;
	vec_push(&reader->frames, number);
	if (!frame->is_inlined && reader->frames.count > 1)
		settle_inlined(table, reader->frames.at, reader->frames.count);
	return true;
}

/* Leaves out the frames of the tracer itself, below __schedule. */
static size_t first_frame(const struct reader *reader)
{
	const struct table_frame *frames = reader->log->table.frames.at;

	if (reader->event.kind == REPLAY_SWITCH || reader->event.kind == REPLAY_WAITED)
		for (size_t i = 0; i < reader->frames.count && i < 16; i++)
			if (frames[reader->frames.at[i]].is_schedule)
				return i;
	return 0;
}

/* Of a wake only the waker's own frames are kept: returns their number, the first in *first. */
static size_t settle_waker(struct reader *reader, size_t *first)
{
	struct stack_table *table = &reader->log->table;
	struct waker waker =
		waker_of_stack(table, reader->frames.at, reader->frames.count, reader->is_idle);

	reader->event.hop_kind = (uint8_t)waker.kind;
	reader->event.hop_name =
		*waker.name ? intern_bytes(&table->texts, waker.name, strlen(waker.name)) : 0;
	*first = waker.first;
	return waker.end;
}

/* The event is none after all. */
static void forget_sample(struct reader *reader)
{
	if (reader->event.kind != REPLAY_SAMPLE)
		return;
	reader->log->samples--;
	reader->log->sampled.at[reader->event.measure - 1].samples--;
}

static void finish_event(struct reader *reader)
{
	uint32_t *frames = reader->frames.at;
	size_t count = reader->frames.count;
	size_t first = first_frame(reader);

	if (!reader->is_open)
		return;
	reader->is_open = false;
	if (reader->is_loose && !count) {
		reader->skipped->counts[SKIP_UNKNOWN]++;
		forget_sample(reader);
		return;
	}
	if (reader->event.kind == REPLAY_WAKING && reader->event.hop_kind != HOP_UNKNOWN)
		count = settle_waker(reader, &first);
	if (count && reader->wants_stack) {
		if (count - first > STACKS_MAX_DEPTH) {
			reader->skipped->counts[SKIP_CUT]++;
			count = first + STACKS_MAX_DEPTH;
		}
		for (size_t a = first, b = count - 1; a < b; a++, b--) {
			uint32_t swapped = frames[a];
			frames[a] = frames[b];
			frames[b] = swapped;
		}
		reader->event.stack =
			stack_table_stack(&reader->log->table, frames + first, count - first);
	}
	reader->frames.count = 0;
	vec_push(&reader->log->events, reader->event);
}

/* Threads without a tid are told apart by their comm. */
static uint32_t tid_of(struct perf_log *log, const struct perf_head *head)
{
	return head->tid >= 0 ? (uint32_t)head->tid : REPLAY_NO_TID | text_number(log, head->comm);
}

static void on_sample(struct reader *reader, const struct perf_head *head)
{
	struct perf_log *log = reader->log;
	struct perf_frame frame;

	/* Where no event is shown an address may stand, and nothing else. */
	if (!head->event.length && head->fields.length && !perf_frame_parse(head->fields, &frame)) {
		reader->skipped->counts[SKIP_UNKNOWN]++;
		return;
	}
	/* A name alone is believed when frames follow, but not among events that have names. */
	if (reader->is_loose && perf_log_has_names(log)) {
		reader->skipped->counts[SKIP_UNKNOWN]++;
		return;
	}
	uint32_t number = perf_log_sampled(log, head->event);
	if (!number || (head->has_period && head->period > INT64_MAX)) {
		reader->skipped->counts[number ? SKIP_TOO_LARGE : SKIP_UNKNOWN]++;
		return;
	}
	log->samples++;
	log->sampled.at[number - 1].samples++;
	log->sampled.at[number - 1].with_period += head->has_period;
	reader->event.kind = REPLAY_SAMPLE;
	reader->event.tid = tid_of(log, head);
	reader->event.comm = text_number(log, head->comm);
	reader->event.measure = number;
	reader->event.value = head->has_period ? head->period : 1;
	reader->is_open = reader->wants_stack = true;
	/* Without -g the address stands on the line itself; of tracepoints the fields do. */
	if (head->fields.length && !perf_event_is_tracepoint(head->event))
		add_frame(reader, head->fields);
}

static enum replay_kind kind_of(enum sched_event event)
{
	static const enum replay_kind kinds[] = {
		[SCHED_SWITCH] = REPLAY_SWITCH,
		[SCHED_WAKING] = REPLAY_WAKING,
		[SCHED_WAKEUP] = REPLAY_WAKEUP,
		[SCHED_WAKEUP_NEW] = REPLAY_NEW,
		[SCHED_FORK] = REPLAY_FORK,
		[SCHED_EXIT] = REPLAY_EXIT,
		[SCHED_EXEC] = REPLAY_NAME,
	};

	return event < SCHED_STAT_SLEEP ? kinds[event] : REPLAY_WAITED;
}

/*
 * sched_stat_*: as recorded, head and stack are the waker's and the fields name the sleeper; after
 * `perf inject -s` head and stack are the sleeper's own, and the fields, read from the bytes of
 * another event, mean nothing (of a sched_switch "delay" is prev_state). The period is the delay in
 * both.
 */
static bool on_stat(struct reader *reader, enum sched_event kind, const struct perf_head *head,
	const struct sched_fields *fields, bool is_good)
{
	struct replay_event *event = &reader->event;
	bool is_injected = head->has_period && (!is_good || fields->delay_ns != head->period);

	if (!is_good && !is_injected)
		return false;
	event->state = kind == SCHED_STAT_WAIT ? TIME_WOKEN : TIME_BLOCKED;
	event->letter = kind == SCHED_STAT_SLEEP ? 'S' : kind == SCHED_STAT_WAIT ? 0 : 'D';
	event->is_iowait = kind == SCHED_STAT_IOWAIT;
	event->ns = is_injected ? head->period : fields->delay_ns;
	/* inject makes an event only of a wait whose switch was logged. */
	event->is_whole = is_injected;
	reader->wants_stack = is_injected;
	if (is_injected) {
		event->tid = tid_of(reader->log, head);
		event->comm = text_number(reader->log, head->comm);
	}
	reader->log->waits++;
	return true;
}

/* A wake is logged by its waker, as the event's own thread. */
static void on_waker(struct reader *reader, const struct perf_head *head)
{
	struct replay_event *event = &reader->event;

	reader->wants_stack = true;
	reader->is_idle = head->tid == 0;
	if (head->tid < 0) {
		event->hop_kind = HOP_UNKNOWN;
		return;
	}
	event->other_tid = (uint32_t)head->tid;
	event->other_comm = text_number(reader->log, head->comm);
}

static void on_sched(struct reader *reader, enum sched_event kind, const struct perf_head *head)
{
	struct sched_fields fields = {0};
	struct replay_event *event = &reader->event;
	bool is_good = sched_fields_parse(kind, head->fields, &fields);

	event->kind = kind_of(kind);
	event->tid = fields.tid;
	event->other_tid = fields.other_tid;
	event->comm = text_number(reader->log, fields.comm);
	event->other_comm = text_number(reader->log, fields.other_comm);
	event->letter = fields.letter;
	event->is_preempted = fields.is_preempted;
	event->is_dead = fields.is_dead;
	reader->wants_stack = kind == SCHED_SWITCH;
	if (kind == SCHED_WAKING || kind == SCHED_WAKEUP_NEW)
		on_waker(reader, head);
	if (kind == SCHED_EXEC)
		event->comm = text_number(reader->log, head->comm);
	if (kind >= SCHED_STAT_SLEEP)
		is_good = on_stat(reader, kind, head, &fields, is_good);
	if (!is_good || head->time_ns == REPLAY_NO_TIME) {
		reader->skipped->counts[SKIP_NO_TIME]++;
		return;
	}
	if (head->tid < 0 || (uint32_t)head->tid != event->tid)
		event->pid = 0;
	reader->log->switches += kind == SCHED_SWITCH;
	reader->is_open = true;
}

/* "PERF_RECORD_LOST lost 17", and records of other sorts, whose times are not the log's. */
static void on_record(struct reader *reader, const struct perf_head *head)
{
	static const char lost[] = "PERF_RECORD_LOST";
	struct span number = head->fields;
	uint64_t count;

	if (number.length < sizeof(lost) - 1 || memcmp(number.at, lost, sizeof(lost) - 1))
		return;
	const char *blank = memrchr(number.at, ' ', number.length);
	if (blank)
		number = (struct span){blank + 1, (size_t)(number.at + number.length - blank - 1)};
	if (!span_number(number, &count) || count > INT64_MAX - reader->log->lost_events)
		count = reader->log->lost_events < INT64_MAX;
	reader->log->lost_events += count;
}

static bool on_head(struct reader *reader, struct span line)
{
	struct perf_head head;

	if (!perf_head_parse(line, reader->is_after_empty, &head))
		return false;
	finish_event(reader);
	reader->frames.count = 0;
	if (perf_head_is_record(&head)) {
		on_record(reader, &head);
		return true;
	}
	reader->event = (struct replay_event){.time_ns = head.time_ns,
		.cpu = head.cpu,
		.pid = head.pid > 0 ? (uint32_t)head.pid : 0};
	reader->is_loose = !head.event.length && !head.has_cpu && head.time_ns == REPLAY_NO_TIME;
	enum sched_event kind = sched_event_of(head.event);
	if (kind == SCHED_NONE || kind == SCHED_OTHER)
		on_sample(reader, &head);
	else
		on_sched(reader, kind, &head);
	return true;
}

/* "# event : name = cycles, ..., { sample_period, sample_freq } = 997, freq = 1, ..." */
static void on_comment(struct reader *reader, struct span line)
{
	static const char key[] = "sample_freq } = ";
	const char *at = memmem(line.at, line.length, key, sizeof(key) - 1);
	uint64_t hz;

	if (!at || !memmem(line.at, line.length, "freq = 1", 8))
		return;
	at += sizeof(key) - 1;
	if (span_number((struct span){at, (size_t)(line.at + line.length - at)}, &hz) && hz &&
		hz < 1000000)
		reader->log->sample_hz = (uint32_t)hz;
}

static void on_line(struct reader *reader, const struct line *line)
{
	struct span text = span_trim((struct span){line->text, line->length});
	bool is_tabbed = line->text[0] == '\t';
	bool is_after_frame = reader->is_after_frame;

	if (is_after_frame && perf_line_is_source((struct span){line->text, line->length}))
		return;
	reader->is_after_frame = false;
	if (!text.length) {
		finish_event(reader);
		reader->is_after_empty = true;
		return;
	}
	if (line->text[0] == '#') {
		on_comment(reader, text);
		return;
	}
	if (!is_tabbed && on_head(reader, text)) {
		reader->is_after_empty = false;
		return;
	}
	reader->is_after_empty = false;
	reader->is_after_frame = true;
	if (reader->is_open && !reader->wants_stack && is_tabbed)
		return;
	if (reader->is_open && add_frame(reader, text))
		return;
	/* Frames of events that are of no interest, or were counted with their head. */
	struct perf_frame frame;
	if (!reader->is_open && perf_frame_parse(text, &frame))
		return;
	reader->is_after_frame = false;
	reader->skipped->counts[SKIP_UNKNOWN]++;
}

void perf_log_read(struct perf_log *log, struct lines *lines, struct skipped *skipped)
{
	struct reader reader = {.log = log, .skipped = skipped, .is_after_empty = true};
	struct line line;

	while (lines_next(lines, &line))
		on_line(&reader, &line);
	finish_event(&reader);
	vec_clear(&reader.frames);
}

void perf_log_clear(struct perf_log *log)
{
	stack_table_clear(&log->table);
	vec_clear(&log->events);
	vec_clear(&log->sampled);
}
