// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of views, and views of what a recording counts. */
#include "profile/view_types.h"

#include <errno.h>
#include <string.h>

#include "util/mem.h"
#include "util/text.h"

#define RUNNING (1u << TIME_RUNNING | 1u << TIME_SAMPLE)
#define RUNNABLE (1u << TIME_WOKEN | 1u << TIME_PREEMPTED)
#define BLOCKED (1u << TIME_BLOCKED)
/* Before the name of what a recording counts, for those who like to say so. */
#define EVENT_PREFIX "event:"

static const struct view_type types[VIEWS] = {
	[VIEW_OFFCPU] = {.id = VIEW_OFFCPU,
		.name = "offcpu",
		.unit_word = "ns",
		.title = "Off-CPU time",
		.label = "Off-CPU",
		.about = "blocked and runnable time, by where the thread went off CPU",
		.weight = "off-CPU time",
		.counted = "wait",
		.counts = "waits",
		.palette = "reason",
		.states = RUNNABLE | BLOCKED,
		.marks = {[TIME_WOKEN] = "[runq]", [TIME_PREEMPTED] = "[preempted]"},
		.has_idle = true,
		.has_reasons = true},
	[VIEW_ONCPU] = {.id = VIEW_ONCPU,
		.name = "oncpu",
		.unit_word = "ns",
		.title = "On-CPU time",
		.label = "On-CPU",
		.about = "running time: samples, scaled to each thread's exact running time",
		.weight = "running time",
		.counted = "sample",
		.counts = "samples",
		.palette = "hot",
		.states = RUNNING},
	[VIEW_RUNQ] = {.id = VIEW_RUNQ,
		.name = "runq",
		.unit_word = "ns",
		.title = "Time without a CPU",
		.label = "Run queue",
		.about = "runnable time: ready, but without a CPU",
		.weight = "time ready without a CPU",
		.counted = "wait",
		.counts = "waits",
		.palette = "yellow",
		.states = RUNNABLE,
		.marks = {[TIME_WOKEN] = "[woken]", [TIME_PREEMPTED] = "[preempted]"}},
	[VIEW_HOTCOLD] = {.id = VIEW_HOTCOLD,
		.name = "hotcold",
		.unit_word = "ns",
		.title = "Time on CPU and off",
		.label = "Hot/cold",
		.about = "all time of the threads in one tree",
		.weight = "thread time",
		.counted = "wait or sample",
		.counts = "waits and samples",
		.palette = "hot",
		.states = RUNNING | RUNNABLE | BLOCKED,
		.marks = {[TIME_RUNNING] = "[running]",
			[TIME_WOKEN] = "[runnable]",
			[TIME_PREEMPTED] = "[runnable]",
			[TIME_BLOCKED] = "[blocked *]",
			[TIME_SAMPLE] = "[running]"},
		.has_idle = true},
	[VIEW_WAKEUP] = {.id = VIEW_WAKEUP,
		.name = "wakeup",
		.unit_word = "ns",
		.title = "Blocked time by waker",
		.label = "Wakers",
		.about = "blocked time, by the stack of who ended it, then by who had waited",
		.weight = "blocked time",
		.counted = "wait",
		.counts = "waits",
		.palette = "wakeup",
		.states = BLOCKED,
		.needs_chains = true},
	[VIEW_OFFWAKE] = {.id = VIEW_OFFWAKE,
		.name = "offwake",
		.unit_word = "ns",
		.title = "Blocked time and its wakers",
		.label = "Off-wake",
		.about = "blocked time, by where the thread waited, and behind \"--\" the stack of "
			 "who woke it",
		.weight = "blocked time",
		.counted = "wait",
		.counts = "waits",
		.palette = "reason",
		.states = BLOCKED,
		.has_reasons = true,
		.needs_chains = true},
	[VIEW_CHAIN] = {.id = VIEW_CHAIN,
		.name = "chain",
		.unit_word = "ns",
		.title = "Blocked time and its chains of wakers",
		.label = "Chains",
		.about = "blocked time, by where the thread waited, and behind each \"--\" the "
			 "next waker of the chain",
		.weight = "blocked time",
		.counted = "wait",
		.counts = "waits",
		.palette = "reason",
		.states = BLOCKED,
		.has_reasons = true,
		.needs_chains = true},
};

const struct view_type *view_type(enum view view)
{
	return &types[(unsigned int)view < VIEWS ? view : VIEW_OFFCPU];
}

const struct view_type *view_from_name(const char *name)
{
	for (unsigned int i = 0; i < VIEWS; i++)
		if (!strcmp(name, types[i].name))
			return &types[i];
	return NULL;
}

const struct view_type *view_nearest(const char *name)
{
	const char *names[VIEWS + 1] = {NULL};

	for (unsigned int i = 0; i < VIEWS; i++)
		names[i] = types[i].name;
	const char *near = view_from_name(name) ? NULL : text_nearest(name, names);
	return near ? view_from_name(near) : NULL;
}

/* "page faults" of "page fault", "context switches" of "context switch"; names of perf such as
 * "cpu_core/cycles/P" stay as they are. */
static char *plural(const char *word)
{
	const char *space = strrchr(word, ' ');
	bool is_name = strpbrk(space ? space : word, "/:");

	size_t length = strlen(word);

	if (is_name || (length && word[length - 1] == 's'))
		return xstrdup(word);
	return xasprintf("%s%s", word,
		length > 1 && !strcmp(word + length - 2, "ch") && strchr(word, ' ') ? "es" : "s");
}

static char *capitalized(const char *text)
{
	char *copy = xstrdup(text);

	if (copy[0] >= 'a' && copy[0] <= 'z')
		copy[0] = (char)(copy[0] - 'a' + 'A');
	return copy;
}

/* What a measure of a kind that dwell knows is called; all NULL: by its event. */
struct kind_words {
	const char *title;
	const char *label;
	const char *weight;
};

static const struct kind_words kind_words[MEASURE_KINDS] = {
	[MEASURE_ALLOC] = {"Memory allocated", "Allocated", "allocated memory"},
	[MEASURE_FREED] = {"Memory freed", "Freed", "freed memory"},
	[MEASURE_LIVE] = {"Memory live at the end", "Live", "live memory"},
	[MEASURE_LEAKS] = {"Suspected leaks", "Leaks", "suspected leaks"},
	[MEASURE_GROWTH] = {"Address space mapped", "Growth", "mapped address space"},
	[MEASURE_SHRINK] = {"Address space given back", "Shrinking", "address space given back"},
};

void view_of_measure(
	const struct recording *recording, uint32_t measure_index, struct view_choice *ret)
{
	size_t count;
	const struct rec_measure *measure = &recording_measures(recording, &count)[measure_index];
	char *event = text_clean(measure->event[0] ? measure->event : measure->name, false);
	char *events = plural(event);

	*ret = (struct view_choice){
		.texts = {event, events, capitalized(events), text_clean(measure->about, false),
			text_clean(measure->name, false), text_clean(measure->unit, false)}};
	ret->type = (struct view_type){.id = VIEW_MEASURE,
		.name = ret->texts[4],
		.title = ret->texts[2],
		.label = ret->texts[2],
		.about = ret->texts[3],
		.weight = ret->texts[1],
		.counted = ret->texts[0],
		.counts = ret->texts[1],
		.palette = "mem",
		.unit = unit_from_name(measure->unit),
		.unit_word = ret->texts[5],
		.measure = measure_index,
		.kind = measure_kind_from_name(measure->kind)};
	const struct kind_words *words = &kind_words[ret->type.kind];
	if (words->title) {
		ret->type.title = words->title;
		ret->type.label = words->label;
		ret->type.weight = words->weight;
	}
}

static int unknown_view(const char *name, const char *const *names, bool has_calls, struct why *why)
{
	const char *near = text_nearest(name, names);

	if (near)
		return why_set(why, -EINVAL, "unknown view %s; did you mean %s?", name, near);
	_cleanup_free_ char *measures = xstrdup("");
	for (names += VIEWS; *names; names++) {
		char *longer = xasprintf("%s, %s", measures, *names);
		free(measures);
		measures = longer;
	}
	return why_set(why, -EINVAL, "unknown view %s; views are " VIEW_NAMES "%s%s", name,
		measures, has_calls ? ", slow:FUNCTION" : "");
}

/* A measure that was asked for as an event, so that views of time are none. */
static int choose_event(const struct recording *recording, const char *name,
	const char *const *names, struct view_choice *ret, struct why *why)
{
	for (size_t i = VIEWS; names[i]; i++)
		if (!strcmp(name, names[i])) {
			view_of_measure(recording, (uint32_t)(i - VIEWS), ret);
			return 0;
		}
	const char *near = text_nearest(name, names + VIEWS);
	return why_set(why, -EINVAL, "no event %s was counted%s%s%s", name,
		near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

int view_choose(const struct recording *recording, const char *name, struct view_choice *ret,
	struct why *why)
{
	const struct view_type *type = view_from_name(name);
	size_t count = 0, functions = 0;
	const struct rec_measure *measures =
		recording ? recording_measures(recording, &count) : NULL;

	if (type) {
		*ret = (struct view_choice){.type = *type};
		return 0;
	}
	_cleanup_free_ const char **names = xcalloc(VIEWS + count + 1, sizeof(*names));
	for (unsigned int i = 0; i < VIEWS; i++)
		names[i] = types[i].name;
	for (size_t i = 0; i < count; i++) {
		names[VIEWS + i] = measures[i].name;
		if (!strcmp(name, measures[i].name)) {
			view_of_measure(recording, (uint32_t)i, ret);
			return 0;
		}
	}
	/* By the whole name first: perf's events may be called "event:...", too. */
	if (!strncmp(name, EVENT_PREFIX, strlen(EVENT_PREFIX)))
		return choose_event(recording, name + strlen(EVENT_PREFIX), names, ret, why);
	if (recording)
		recording_functions(recording, &functions);
	return unknown_view(name, names, functions, why);
}

void view_choice_clear(struct view_choice *choice)
{
	for (size_t i = 0; i < ARRAY_SIZE(choice->texts); i++)
		free(choice->texts[i]);
	*choice = (struct view_choice){0};
}
