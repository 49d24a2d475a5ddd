/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mappings as they are made: the kernel's own side-band records (perf's mmap2, comm, fork and exit
 * records of a dummy event on each CPU). They tell what a process had mapped even if it is gone
 * before anybody can look into /proc.
 */
#ifndef DWELL_HOST_MAP_EVENTS_H
#define DWELL_HOST_MAP_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/why.h"

struct map_events;

enum map_event_kind {
	MAP_EVENT_MAP,  /* executable memory was mapped */
	MAP_EVENT_EXEC, /* the process begins anew, without mappings */
	MAP_EVENT_FORK, /* a process like its parent */
	MAP_EVENT_EXIT, /* the process's first thread ended */
};

struct map_event {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	enum map_event_kind kind;
	uint32_t pid;
	uint32_t parent; /* MAP_EVENT_FORK */
	uint64_t start;  /* the rest: MAP_EVENT_MAP */
	uint64_t end;
	uint64_t offset;
	uint32_t dev_major;
	uint32_t dev_minor;
	uint64_t inode;
	const char *path; /* borrowed from the record */
};

/*
 * -errno if the kernel does not give them: then mappings are known from /proc only. With `wakes`
 * the fds become readable with each record.
 */
int map_events_new(bool wakes, struct map_events **ret, struct why *why);
void map_events_free(struct map_events *events);
/* Calls with each record that has come since; of one CPU they are in order, of several not. */
void map_events_read(struct map_events *events,
	void (*each)(void *context, const void *record, size_t length), void *context);
/* To poll: one for each CPU. */
size_t map_events_count(const struct map_events *events);
int map_events_fd(const struct map_events *events, size_t number);
/* Records that the kernel had no room for, so far. */
uint64_t map_events_lost(const struct map_events *events);
/* CPUs that came, or came back, after the start: perf's events hear nothing there. */
size_t map_events_deaf_cpus(const struct map_events *events);

/* What a record says; false if it is of another kind, or not whole. */
bool map_event_parse(const void *record, size_t length, struct map_event *ret);

#endif
