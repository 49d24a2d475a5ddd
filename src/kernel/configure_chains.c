// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sets up the following of wakers. Which frames are an interrupt's entry, a softirq or the sending
 * of a signal is told to the programs as ranges of kernel text.
 */
#include "kernel/configure_chains.h"

#include <bpf/libbpf.h>

#include "kernel/programs.h"
#include "dwell.skel.h"
#include "util/mem.h"

#define SMALL_DEPTH 8

static void set_range(volatile __u64 *to, struct text_range range)
{
	to[0] = range.start;
	to[1] = range.end;
}

unsigned int chains_set_text(struct dwell *skeleton, const struct capture_options *options,
	const struct kernel_text *text)
{
	struct dwell__data_text *to = skeleton->data_text;
	bool stacks_tell = text->interrupts.end && !options->waker_stacks_from_ns;

	set_range(to->text_interrupts, text->interrupts);
	set_range(to->text_softirqs, text->softirqs);
	for (size_t i = 0; i < TEXT_ACTIONS; i++) {
		set_range(to->text_softirq_actions + 2 * i, text->actions[i]);
		to->text_softirq_vectors[i] = text->action_vectors[i];
	}
	for (size_t i = 0; i < ARRAY_SIZE(text->signals); i++)
		set_range(to->text_signals + 2 * i, text->signals[i]);
	for (size_t i = 0; i < ARRAY_SIZE(text->wakes); i++)
		set_range(to->text_wakes + 2 * i, text->wakes[i]);
	for (size_t i = 0; i < ARRAY_SIZE(text->ipis); i++)
		set_range(to->text_ipis + 2 * i, text->ipis[i]);
	to->stacks_show_softirqs = stacks_tell && text->softirqs.end && text->has_own_actions;
	return (stacks_tell ? USE_BARE_VECTORS : 0) |
	       (to->stacks_show_softirqs ? USE_BARE_SOFTIRQS : 0);
}

unsigned int chains_configure(struct dwell *skeleton, const struct capture_options *options,
	uint32_t depth, const struct table_sizes *sizes)
{
	struct bpf_map *const others[] = {skeleton->maps.works, skeleton->maps.workers,
		skeleton->maps.vectors, skeleton->maps.wait_scratches, skeleton->maps.pasts,
		skeleton->maps.waits, skeleton->maps.wake_programs};

	skeleton->rodata->cfg_depth = depth;
	skeleton->rodata->cfg_waker_stacks_from = options->waker_stacks_from_ns;
	bpf_map__set_autocreate(skeleton->maps.small_chains, depth && depth <= SMALL_DEPTH);
	bpf_map__set_autocreate(skeleton->maps.chains, depth > SMALL_DEPTH);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		bpf_map__set_autocreate(others[i], depth);
	if (!depth)
		return 0;
	skeleton->rodata->cfg_past_mask = sizes->pasts - 1;
	bpf_map__set_max_entries(skeleton->maps.pasts, sizes->pasts);
	return USE_WAKERS | USE_BARE_VECTORS | USE_BARE_SOFTIRQS;
}
