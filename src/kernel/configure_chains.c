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

static void set_range(__u64 to[2], struct text_range range)
{
	to[0] = range.start;
	to[1] = range.end;
}

static void set_text(struct dwell *skeleton, const struct kernel_text *text)
{
	struct dwell__rodata *config = skeleton->rodata;

	set_range((__u64 *)config->cfg_interrupts, text->interrupts);
	set_range((__u64 *)config->cfg_softirqs, text->softirqs);
	for (size_t i = 0; i < TEXT_ACTIONS; i++) {
		set_range((__u64 *)config->cfg_softirq_actions + 2 * i, text->actions[i]);
		config->cfg_softirq_vectors[i] = text->action_vectors[i];
	}
	for (size_t i = 0; i < ARRAY_SIZE(text->signals); i++)
		set_range((__u64 *)config->cfg_signals + 2 * i, text->signals[i]);
	for (size_t i = 0; i < ARRAY_SIZE(text->wakes); i++)
		set_range((__u64 *)config->cfg_wakes + 2 * i, text->wakes[i]);
	for (size_t i = 0; i < ARRAY_SIZE(text->ipis); i++)
		set_range((__u64 *)config->cfg_ipis + 2 * i, text->ipis[i]);
}

unsigned int chains_configure(struct dwell *skeleton, const struct capture_options *options,
	uint32_t depth, const struct table_sizes *sizes, const struct kernel_text *text)
{
	struct bpf_map *const others[] = {skeleton->maps.works, skeleton->maps.workers,
		skeleton->maps.vectors, skeleton->maps.wait_scratches, skeleton->maps.pasts,
		skeleton->maps.waits};

	skeleton->rodata->cfg_depth = depth;
	skeleton->rodata->cfg_waker_stacks_from = options->waker_stacks_from_ns;
	bpf_map__set_autocreate(skeleton->maps.small_chains, depth && depth <= SMALL_DEPTH);
	bpf_map__set_autocreate(skeleton->maps.chains, depth > SMALL_DEPTH);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		bpf_map__set_autocreate(others[i], depth);
	if (!depth)
		return 0;
	bpf_map__set_value_size(bpf_map__inner_map(skeleton->maps.waits), sizes->wait_bytes);
	skeleton->rodata->cfg_past_mask = sizes->pasts - 1;
	bpf_map__set_max_entries(skeleton->maps.pasts, sizes->pasts);
	set_text(skeleton, text);
	bool stacks_tell = skeleton->rodata->cfg_interrupts[1] && !options->waker_stacks_from_ns;
	bool softirqs_show = stacks_tell && text->softirqs.end && text->has_own_actions;
	skeleton->rodata->cfg_stacks_show_softirqs = softirqs_show;
	return USE_WAKERS | (stacks_tell ? 0 : USE_BARE_VECTORS) |
	       (softirqs_show ? 0 : USE_BARE_SOFTIRQS);
}
