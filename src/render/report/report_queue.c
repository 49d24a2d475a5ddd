// SPDX-License-Identifier: GPL-2.0-or-later
/* Who had the CPUs, in words. */
#include "render/report/report_queue.h"

#include <stdio.h>
#include <string.h>

#include "model/queue.h"
#include "profile/rounding.h"
#include "render/report/report_parts.h"
#include "util/mem.h"
#include "util/text.h"

/* Threads that are named. */
#define MOST_NAMES 3
/* A name with less than so many percent is none for the first line. */
#define LEAST_HEADLINE 5

/* What a sentence is made of: kinds, and of threads the largest by name. */
struct parts {
	uint64_t by_kind[QUEUE_KINDS];
	uint64_t all_ns;
	uint64_t kind_percent[QUEUE_KINDS];
	const char *names[MOST_NAMES];
	uint64_t name_percent[MOST_NAMES + 1]; /* the last: of all others */
	size_t name_count;
	size_t other_count;
};

static void take_apart(const queue_shares *shares, struct parts *ret)
{
	uint64_t name_ns[MOST_NAMES + 1] = {0};

	*ret = (struct parts){0};
	vec_each (share, shares) {
		ret->by_kind[share->kind] += share->ns;
		ret->all_ns += share->ns;
		if (share->kind != QUEUE_THREAD)
			continue;
		if (ret->name_count < MOST_NAMES) {
			ret->names[ret->name_count] = share->name;
			name_ns[ret->name_count++] = share->ns;
		} else {
			name_ns[MOST_NAMES] += share->ns;
			ret->other_count++;
		}
	}
	apportion(ret->by_kind, QUEUE_KINDS, 100, ret->kind_percent);
	apportion(name_ns, MOST_NAMES + 1, ret->kind_percent[QUEUE_THREAD], ret->name_percent);
}

/* "behind postgres 60 %, pgbench 13 % and 4 others 2 %" */
static void put_names(FILE *out, const struct parts *parts)
{
	/* So many that none of them counts. */
	if (!parts->name_percent[0]) {
		fprintf(out, "behind %zu threads %llu %%", parts->name_count + parts->other_count,
			(unsigned long long)parts->kind_percent[QUEUE_THREAD]);
		return;
	}
	for (size_t i = 0; i < parts->name_count && parts->name_percent[i]; i++) {
		_cleanup_free_ char *name = text_clean(parts->names[i], false);
		fprintf(out, "%s%s %llu %%", i ? ", " : "behind ", name,
			(unsigned long long)parts->name_percent[i]);
	}
	if (parts->name_percent[MOST_NAMES])
		fprintf(out, " and %zu other%s %llu %%", parts->other_count,
			parts->other_count == 1 ? "" : "s",
			(unsigned long long)parts->name_percent[MOST_NAMES]);
}

/*
 * Where the kernel does not say which threads the quota holds back, but the cgroup's counters say
 * that it did, a CPU may have been idle because of it.
 */
static bool may_be_quota(const struct summary *summary, const struct parts *parts)
{
	uint64_t told_ns = 0;

	vec_each (share, &summary->queues)
		told_ns += share->kind == QUEUE_QUOTA ? share->ns : 0;
	return report_was_held_back(summary, parts->all_ns) &&
	       told_ns < summary->meta->held_back_ns / 2;
}

static const char *words_of(const struct summary *summary, const struct parts *parts, size_t kind)
{
	switch (kind) {
	case QUEUE_IDLE_CPU:
		return may_be_quota(summary, parts) ? "waking an idle CPU, or the CPU quota"
						    : "waking an idle CPU";
	case QUEUE_QUOTA:
		return "held back by the CPU quota of its cgroup";
	default:
		return "not explained";
	}
}

/* Kinds by their size. */
static void sort_kinds(const struct parts *parts, size_t kinds[static QUEUE_KINDS])
{
	for (size_t i = 0; i < QUEUE_KINDS; i++) {
		size_t at = i;
		for (; at && parts->by_kind[kinds[at - 1]] < parts->by_kind[i]; at--)
			kinds[at] = kinds[at - 1];
		kinds[at] = i;
	}
}

char *queue_sentence(const struct summary *summary, size_t line)
{
	size_t kinds[QUEUE_KINDS], size;
	queue_shares shares;
	struct parts parts;
	char *text = NULL;
	bool has_any = false;

	queues_of_line(summary, line, &shares);
	take_apart(&shares, &parts);
	sort_kinds(&parts, kinds);
	FILE *out = open_memstream(&text, &size);
	for (size_t i = 0; out && i < QUEUE_KINDS; i++) {
		if (!parts.kind_percent[kinds[i]] ||
			(kinds[i] == QUEUE_UNTOLD && parts.kind_percent[QUEUE_UNTOLD] == 100))
			continue;
		fputs(has_any ? "; " : "", out);
		has_any = true;
		if (kinds[i] == QUEUE_THREAD)
			put_names(out, &parts);
		else
			fprintf(out, "%s %llu %%", words_of(summary, &parts, kinds[i]),
				(unsigned long long)parts.kind_percent[kinds[i]]);
	}
	if (out && has_any)
		fputs(".", out);
	if (out)
		fclose(out);
	vec_clear(&shares);
	if (!text)
		return xstrdup("");
	if (has_any && text[0] >= 'a' && text[0] <= 'z')
		text[0] = (char)(text[0] - 'a' + 'A');
	return text;
}

static char *part_text(uint64_t percent)
{
	return percent == 100 ? xstrdup("all") : xasprintf("%llu %%", (unsigned long long)percent);
}

char *queue_headline(const struct summary *summary)
{
	size_t kinds[QUEUE_KINDS];
	queue_shares shares;
	struct parts parts;
	char *text = NULL;

	queues_of_all(summary, &shares);
	take_apart(&shares, &parts);
	sort_kinds(&parts, kinds);
	if (parts.all_ns && kinds[0] == QUEUE_THREAD && parts.name_percent[0] < LEAST_HEADLINE) {
		text = xasprintf("%llu %% behind %zu threads",
			(unsigned long long)parts.kind_percent[QUEUE_THREAD],
			parts.name_count + parts.other_count);
	} else if (parts.all_ns && kinds[0] == QUEUE_THREAD) {
		_cleanup_free_ char *name = text_clean(parts.names[0], false);
		_cleanup_free_ char *part = part_text(parts.name_percent[0]);
		text = xasprintf("%s behind %s", part, name);
	} else if (parts.all_ns && kinds[0] != QUEUE_UNTOLD) {
		_cleanup_free_ char *part = part_text(parts.kind_percent[kinds[0]]);
		text = xasprintf("%s %s", part, words_of(summary, &parts, kinds[0]));
	}
	vec_clear(&shares);
	return text ? text : xstrdup("");
}

void queue_json(struct json *json, const struct summary *summary, size_t line)
{
	queue_shares shares;

	queues_of_line(summary, line, &shares);
	if (shares.count) {
		json_name(json, "behind");
		json_open_array(json);
		vec_each (share, &shares) {
			json_open_object(json);
			json_field_text(json, "kind", queue_kind_name(share->kind));
			if (share->kind == QUEUE_THREAD)
				json_field_text(json, "name", share->name);
			json_field_uint(json, "ns", share->ns);
			json_close_object(json);
		}
		json_close_array(json);
	}
	vec_clear(&shares);
}
