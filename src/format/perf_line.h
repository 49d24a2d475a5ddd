/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of `perf script`: an event's head, "comm pid/tid [cpu] time: period event: fields", of
 * which `-F` may leave out most, and a frame, "address symbol+0xoffset (object)". Comms and symbols
 * may hold blanks, digits and parentheses. Private to src/format/.
 */
#ifndef DWELL_FORMAT_PERF_LINE_H
#define DWELL_FORMAT_PERF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Part of a line; not ended by NUL. */
struct span {
	const char *at;
	size_t length;
};

bool span_equals(struct span span, const char *text);
bool span_ends_with(struct span span, const char *text);
struct span span_trim(struct span span);
/* The digits at its start; false if there are none or too many. */
bool span_number(struct span span, uint64_t *ret);

struct perf_head {
	struct span comm;
	int64_t tid; /* -1: not told */
	int64_t pid;
	uint64_t time_ns; /* REPLAY_NO_TIME: not told */
	uint64_t period;
	uint16_t cpu;
	bool has_cpu;
	bool has_period;
	struct span event;  /* "cpu-clock", "sched:sched_switch"; empty: not told */
	struct span fields; /* behind the event's name: the tracepoint's fields, or the address */
};

/* False if the line is no head. has_stacks: also a line with a comm alone is one. */
bool perf_head_parse(struct span line, bool has_stacks, struct perf_head *ret);

/* "PERF_RECORD_LOST lost 17", "PERF_RECORD_COMM: ...": --show-lost-events and its like. */
bool perf_head_is_record(const struct perf_head *head);

struct perf_frame {
	uint64_t address;
	uint64_t offset;
	struct span name;   /* empty: unknown */
	struct span object; /* empty: not told */
	uint64_t place;     /* in the object, as -F dsoff prints it */
	bool has_place;
	bool is_inlined;
	bool is_kernel;
};

/* False if the line (without leading blanks) is no frame. */
bool perf_frame_parse(struct span line, struct perf_frame *ret);
/*
 * What stands for a frame without a name, as in other tools: "[libc.so.6]", "libc.so.6+0x1a2b" if
 * that is told, "[kernel]"; NULL: not even its object is known. The caller frees it.
 */
char *perf_frame_label(const struct perf_frame *frame);
/* Is it code that was made at run time? Its name is whatever its maker called it. */
bool perf_frame_is_jit(const struct perf_frame *frame);
/* "  file.c:12", as -F srcline prints it below a frame. The line is as it was read. */
bool perf_line_is_source(struct span line);

#endif
