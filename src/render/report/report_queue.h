/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences about who had the CPUs that threads were ready for. */
#ifndef DWELL_RENDER_REPORT_QUEUE_H
#define DWELL_RENDER_REPORT_QUEUE_H

#include "profile/summary/summary.h"
#include "util/json.h"

/*
 * "Behind stress-ng-cpu 90 %, kworker/0:1 4 %; waking an idle CPU 6 %." of the line
 * (an index); "" if nothing is told. Names are clean. Caller frees.
 */
char *queue_sentence(const struct summary *summary, size_t line);
/* The largest part of all: "90 % behind stress-ng-cpu", or "". Caller frees. */
char *queue_headline(const struct summary *summary);
/* "behind": [{"kind": "thread", "name": "stress-ng-cpu", "ns": 123}, ...], if anything is told. */
void queue_json(struct json *json, const struct summary *summary, size_t line);

#endif
