/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of mappings in order of time. They come from several CPUs, and each announcement of a
 * thread has its place among them: the mappings that an exec makes belong to the image announced by
 * it. Records younger than the ring's reading wait for the next batch, because an announcement that
 * is older than they are may be in it.
 */
#ifndef DWELL_CAPTURE_TIMELINE_H
#define DWELL_CAPTURE_TIMELINE_H

#include "capture/namer.h"

struct timeline;

struct timeline *timeline_new(void);
void timeline_free(struct timeline *timeline);

/* More records, framed as in a batch; those up to until_ns may be told from now on. */
void timeline_add(struct timeline *timeline, const char *records, size_t count, uint64_t until_ns);
/* Tells the namer those of a time up to until_ns that may be told and were not yet. */
void timeline_tell(struct timeline *timeline, struct namer *namer, uint64_t until_ns);

#endif
