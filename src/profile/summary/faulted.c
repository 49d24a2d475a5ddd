// SPDX-License-Identifier: GPL-2.0-or-later
/* Joins what faults were on with what waits for pages were for, by what both are called. */
#include "profile/summary/faulted.h"

#include <string.h>

#include "profile/summary/summary.h"
#include "util/hash.h"
#include "util/mem.h"

const char *fault_weight_name(enum fault_weight weight)
{
	static const char *const names[FAULT_WEIGHTS] = {"minor", "major", "page"};

	return (unsigned int)weight < FAULT_WEIGHTS ? names[weight] : names[FAULTS_ALL];
}

enum fault_weight fault_weight_of(const struct measured *measured)
{
	const char *name = measured->view.type.name;

	return strstr(name, "major")   ? FAULTS_MAJOR
	       : strstr(name, "minor") ? FAULTS_MINOR
				       : FAULTS_ALL;
}

/* The file of that text, made if need be. */
static struct faulted *file_of(struct faulted_files *files, struct map64 *by_text, const char *text)
{
	uint64_t *number = map64_put(by_text, hash_text(0, text), NULL);

	if (!*number) {
		struct faulted file = {.text = xstrdup(text)};
		vec_push(&files->at, file);
		*number = files->at.count;
	}
	return &files->at.at[*number - 1];
}

static void add_counts(
	struct faulted_files *files, struct map64 *by_text, const struct measured *measured)
{
	enum fault_weight weight = fault_weight_of(measured);

	vec_each (thing, &measured->things) {
		struct faulted *file = file_of(files, by_text, thing->text);
		file->count[weight] += thing->count;
		file->samples[weight] += thing->samples;
	}
}

/*
 * The leaf of a stack knows better what a wait for a page was in, a disk or a lock: that it was for
 * a page is what its thing says.
 */
static bool is_for_page(const struct summary *summary, const struct summary_wait *wait)
{
	if (wait->state != TIME_BLOCKED)
		return false;
	return wait->reason == REASON_FAULT ||
	       (wait->thing != REC_NONE &&
		       summary->things.at.at[wait->thing].kind == AWAITED_FAULT);
}

static void add_waits(struct summary *summary, struct map64 *by_text)
{
	struct faulted_files *files = &summary->faulted;

	vec_each (wait, &summary->waits) {
		if (!is_for_page(summary, wait))
			continue;
		const struct thing *thing =
			wait->thing == REC_NONE ? NULL : &summary->things.at.at[wait->thing];
		/* As what faults were on is called, so that both meet. */
		_cleanup_free_ char *text = thing && thing->kind == AWAITED_FAULT
						    ? thing_text_of_event(summary->things.recording,
							      thing->awaited, false)
						    : NULL;
		struct faulted *file = file_of(files, by_text, text ? text : "");
		file->wait_ns += wait->total_ns;
		file->waits += wait->count + wait->unended;
		files->wait_ns += wait->total_ns;
		files->waits += wait->count + wait->unended;
	}
}

static int compare(const void *left, const void *right)
{
	const struct faulted *a = left, *b = right;

	if (a->wait_ns != b->wait_ns)
		return a->wait_ns > b->wait_ns ? -1 : 1;
	for (unsigned int i = 0; i < FAULT_WEIGHTS; i++) {
		static const enum fault_weight order[] = {FAULTS_MAJOR, FAULTS_ALL, FAULTS_MINOR};
		if (a->count[order[i]] != b->count[order[i]])
			return a->count[order[i]] > b->count[order[i]] ? -1 : 1;
	}
	return strcmp(a->text, b->text);
}

void faulted_find(struct summary *summary)
{
	struct map64 by_text = {0};
	bool has_faults = false;

	vec_each (measured, &summary->measures) {
		if (measured->view.type.kind != MEASURE_FAULTS)
			continue;
		has_faults = true;
		add_counts(&summary->faulted, &by_text, measured);
	}
	if (has_faults)
		add_waits(summary, &by_text);
	map64_clear(&by_text);
	vec_sort(&summary->faulted.at, compare);
}

void faulted_clear(struct faulted_files *files)
{
	vec_each (file, &files->at)
		free(file->text);
	vec_clear(&files->at);
}
