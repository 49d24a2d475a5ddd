/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a wait was for, as a sentence: percentages of its blocked time that add up to 100, at most
 * three causes of 5 % or more, the rest as one figure. What is not explained comes last, or first
 * if it is much. Recorded facts only.
 */
#ifndef DWELL_RENDER_REPORT_CAUSES_H
#define DWELL_RENDER_REPORT_CAUSES_H

#include "profile/summary/explain.h"
#include "util/json.h"

/* "71 % disk vda, 22 % jbd2/vda1-8 ran or had no CPU, 7 % not explained (earlier)." `who` is the
 * name of the waiting threads. "" if nothing is known at all. Caller frees. */
char *cause_sentence(const struct explanation *explanation, const char *who);
/*
 * "disk vda", "a timer (hrtimer_wakeup)", "jbd2/vda1-8"; of a kind that this dwell does not have,
 * its word and the name. Caller frees.
 */
char *cause_name(const struct words *words, enum hop_kind kind, const char *name);
/* The causes as fields of the open object, and the same sentence. */
void cause_json(struct json *json, const struct explanation *explanation, const char *who);

#endif
