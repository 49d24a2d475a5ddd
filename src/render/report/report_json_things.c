// SPDX-License-Identifier: GPL-2.0-or-later
/* Things, owners and deadlocks as JSON. */
#include "render/report/report_json_things.h"

#include "profile/summary/line_things.h"

/* Of each line: there may be as many as there are files. */
#define MOST_THINGS 20

static void put_thing(struct json *json, const struct thing *thing)
{
	json_field_text(json, "kind", awaited_kind_name(thing->kind));
	json_field_text(json, "text", thing->text);
	if (thing->said.port)
		json_field_uint(json, "port", thing->said.port);
	/* Several that read the same have nothing else in common. */
	if (thing->members > 1 || thing->is_folded)
		return;
	if (thing->said.name[0])
		json_field_text(json, "name", thing->said.name);
	if (thing->said.place[0])
		json_field_text(json, "place", thing->said.place);
	if (thing->said.address)
		json_field_uint(json, "address", thing->said.address);
}

static void put_thread(struct json *json, const struct rec_thread *thread)
{
	json_field_text(json, "thread", thread->comm);
	json_field_uint(json, "tid", thread->tid);
}

void things_json(struct json *json, const struct summary *summary, size_t line)
{
	const struct summary_line *figures = &summary->lines.at[line];
	size_t count;
	const struct line_thing *things = line_things_of(summary, line, &count);

	if (count) {
		json_name(json, "awaited");
		json_open_array(json);
	}
	for (size_t i = 0; i < count && i < MOST_THINGS; i++) {
		json_open_object(json);
		put_thing(json, &summary->things.at.at[things[i].thing]);
		json_field_uint(json, "count", things[i].count);
		json_field_uint(json, "ns", things[i].ns);
		json_field_double(json, "share",
			figures->total_ns ? (double)things[i].ns / (double)figures->total_ns : 0);
		json_close_object(json);
	}
	if (count)
		json_close_array(json);
	if (count > MOST_THINGS)
		json_field_uint(json, "awaited_others", count - MOST_THINGS);
	if (figures->owner) {
		json_name(json, "owner");
		json_open_object(json);
		put_thread(json, figures->owner);
		json_close_object(json);
	}
}

void deadlocks_json(struct json *json, const struct summary *summary)
{
	const struct deadlocks *deadlocks = &summary->deadlocks;

	if (!deadlocks->at.count)
		return;
	json_name(json, "deadlocks");
	json_open_array(json);
	vec_each (deadlock, &deadlocks->at) {
		json_open_object(json);
		json_name(json, "threads");
		json_open_array(json);
		for (size_t i = 0; i < deadlock->count; i++) {
			const struct last_wait *wait = deadlocks_member(deadlocks, deadlock, i);
			const struct last_wait *before = deadlocks_before(deadlocks, deadlock, i);
			json_open_object(json);
			put_thread(json, wait->thread);
			json_field_text(json, "waits_for", summary->things.at.at[wait->thing].text);
			json_field_text(json, "holds", summary->things.at.at[before->thing].text);
			if (wait->spot)
				json_field_text(json, "function", wait->spot);
			json_field_uint(json, "ns", wait->ns);
			json_close_object(json);
		}
		json_close_array(json);
		json_close_object(json);
	}
	json_close_array(json);
}
