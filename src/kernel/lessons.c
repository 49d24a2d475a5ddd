// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every stack is sent a few times; then it is either learnt or has to wait until what was sent is
 * forgotten, which happens the later the less there is to learn.
 */
#include "kernel/lessons.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "dwell.skel.h"
#include "util/clock.h"
#include "util/units.h"

#define FORGET_FIRST_NS (250 * NS_PER_MS)
#define FORGET_LAST_NS (64 * NS_PER_S)

struct lessons {
	struct dwell *skeleton;
	struct ring_buffer *ring;
	struct frame_table *table; /* mapped */
	struct frame_rules *rules;
	uint64_t changes;
	uint64_t patience_ns;
	uint64_t forget_ns;
};

bool lessons_configure(
	struct dwell *skeleton, const struct capture_options *options, uint32_t ring_bytes)
{
	bool has_rules = false;

#ifdef __x86_64__
	has_rules = options->has_stacks;
#endif
	bpf_map__set_autocreate(skeleton->maps.frame_rules, has_rules);
	bpf_map__set_autocreate(skeleton->maps.lessons, has_rules);
	bpf_map__set_autocreate(skeleton->maps.lesson_rooms, has_rules);
	if (!has_rules)
		return false;
	bpf_map__set_max_entries(skeleton->maps.lessons, ring_bytes);
	skeleton->rodata->cfg_has_rules = true;
	return true;
}

/* Symbols come in order; neighbours become one range. */
static void add_module(void *context, const struct kernel_symbol *symbol)
{
	text_ranges *ranges = context;
	struct text_range range = {symbol->start, symbol->end};

	if (!kernel_symbols_is_module(symbol->module))
		return;
	if (ranges->count && ranges->at[ranges->count - 1].end >= range.start) {
		if (range.end > ranges->at[ranges->count - 1].end)
			ranges->at[ranges->count - 1].end = range.end;
		return;
	}
	vec_push(ranges, range);
}

static int on_lesson(void *context, void *data, size_t length)
{
	struct lessons *lessons = context;

	frame_rules_learn(lessons->rules, data, length);
	return 0;
}

int lessons_new(struct dwell *skeleton, const struct kernel_symbols *symbols,
	const struct kernel_text *text, struct lessons **ret)
{
	struct lessons *lessons;
	text_ranges modules = {0};
	void *table;

	if (!text->core.end || !text->schedule.end) {
		*ret = NULL;
		return 0;
	}
	skeleton->data_text->text_core = text->core.start;
	skeleton->data_text->text_core_bytes = text->core.end - text->core.start;
	lessons = xcalloc(1, sizeof(*lessons));
	lessons->skeleton = skeleton;
	lessons->patience_ns = FORGET_FIRST_NS;
	lessons->ring =
		ring_buffer__new(bpf_map__fd(skeleton->maps.lessons), on_lesson, lessons, NULL);
	table = mmap(NULL, sizeof(*lessons->table), PROT_READ | PROT_WRITE, MAP_SHARED,
		bpf_map__fd(skeleton->maps.frame_rules), 0);
	lessons->table = table == MAP_FAILED ? NULL : table;
	if (!lessons->ring || !lessons->table) {
		int error = -errno;
		lessons_free(lessons);
		return error ? error : -ENOMEM;
	}
	/* Code of modules only if their end is told. */
	if (bpf_program__autoload(skeleton->progs.on_module_gone))
		kernel_symbols_each(symbols, add_module, &modules);
	lessons->rules =
		frame_rules_new(text, &modules, lessons->table, skeleton->data_text->frame_first);
	*ret = lessons;
	return 0;
}

void lessons_free(struct lessons *lessons)
{
	if (!lessons)
		return;
	ring_buffer__free(lessons->ring);
	frame_rules_free(lessons->rules);
	if (lessons->table)
		munmap(lessons->table, sizeof(*lessons->table));
	free(lessons);
}

/* Lets stacks be sent again that are not known yet. */
static void forget_sent(struct lessons *lessons)
{
	uint64_t now = clock_monotonic_ns();
	struct frame_rules_counts counts;

	if (now < lessons->forget_ns)
		return;
	frame_rules_counts(lessons->rules, &counts);
	if (counts.changes != lessons->changes)
		lessons->patience_ns = FORGET_FIRST_NS;
	else if (lessons->patience_ns < FORGET_LAST_NS)
		lessons->patience_ns *= 2;
	lessons->changes = counts.changes;
	lessons->forget_ns = now + lessons->patience_ns;
	memset((void *)lessons->skeleton->bss->lesson_counts, 0, LESSON_SLOTS);
}

void lessons_take(struct lessons *lessons)
{
	if (__atomic_load_n(&lessons->skeleton->data_text->module_is_gone, __ATOMIC_RELAXED))
		frame_rules_forget_modules(lessons->rules);
	ring_buffer__consume(lessons->ring);
	forget_sent(lessons);
}
