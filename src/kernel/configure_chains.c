// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sets up the following of wakers. Which frames are an interrupt's entry, a softirq or the sending
 * of a signal is told to the programs as ranges of kernel text; where a symbol is missing the range
 * is empty, and that kind is not told apart.
 */
#include "kernel/configure_chains.h"

#include <bpf/libbpf.h>

#include "host/proc_text.h"
#include "kernel/programs.h"
#include "dwell.skel.h"
#include "util/mem.h"

#define SMALL_DEPTH 8

static void find(const struct kernel_symbols *symbols, const char *name, __u64 range[2])
{
	struct kernel_symbol symbol;

	if (!kernel_symbols_named(symbols, name, &symbol))
		return;
	range[0] = symbol.start;
	range[1] = symbol.end;
}

static void find_text(struct dwell *skeleton, const struct kernel_symbols *symbols)
{
	struct dwell__rodata *config = skeleton->rodata;
	__u64 entry[2] = {0}, end[2] = {0};

	/* Before it lie the entries of exceptions, which are the thread's own doing. */
	find(symbols, "asm_common_interrupt", entry);
	find(symbols, "__irqentry_text_end", end);
	config->cfg_interrupts[0] = end[0] ? entry[0] : 0;
	config->cfg_interrupts[1] = entry[0] ? end[0] : 0;
	/* Its name since 6.11; what is called __do_softirq from then on only calls it. */
	find(symbols, "__do_softirq", (__u64 *)config->cfg_softirqs);
	find(symbols, "handle_softirqs", (__u64 *)config->cfg_softirqs);
	/* Which of these have a frame of their own is the compiler's choice. */
	find(symbols, "signal_wake_up_state", (__u64 *)config->cfg_signals);
	find(symbols, "complete_signal", (__u64 *)config->cfg_signals + 2);
	find(symbols, "__send_signal_locked", (__u64 *)config->cfg_signals + 4);
	find(symbols, "try_to_wake_up", (__u64 *)config->cfg_wakes);
	find(symbols, "wake_up_new_task", (__u64 *)config->cfg_wakes + 2);
	find(symbols, "__queue_work", (__u64 *)config->cfg_wakes + 4);
	find(symbols, "asm_sysvec_reschedule_ipi", (__u64 *)config->cfg_ipis);
	find(symbols, "asm_sysvec_call_function", (__u64 *)config->cfg_ipis + 2);
	find(symbols, "asm_sysvec_call_function_single", (__u64 *)config->cfg_ipis + 4);
}

unsigned int chains_configure(struct dwell *skeleton, const struct capture_options *options,
	uint32_t depth, const struct table_sizes *sizes, const struct kernel_symbols *symbols)
{
	struct bpf_map *const waits[] = {skeleton->maps.waits_0, skeleton->maps.waits_1};
	struct bpf_map *const others[] = {skeleton->maps.works, skeleton->maps.workers,
		skeleton->maps.vectors, skeleton->maps.wait_scratches, skeleton->maps.pasts};

	skeleton->rodata->cfg_depth = depth;
	skeleton->rodata->cfg_waker_stacks_from = options->waker_stacks_from_ns;
	skeleton->rodata->cfg_whole_waits = sizes->wait_rows / 4 * 3;
	bpf_map__set_autocreate(skeleton->maps.small_chains, depth && depth <= SMALL_DEPTH);
	bpf_map__set_autocreate(skeleton->maps.chains, depth > SMALL_DEPTH);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		bpf_map__set_autocreate(others[i], depth);
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		bpf_map__set_autocreate(waits[i], depth);
		bpf_map__set_max_entries(waits[i], sizes->wait_rows);
		bpf_map__set_value_size(waits[i], sizes->wait_bytes);
	}
	if (!depth)
		return 0;
	skeleton->rodata->cfg_past_mask = sizes->pasts - 1;
	bpf_map__set_max_entries(skeleton->maps.pasts, sizes->pasts);
	int64_t frames;
	if (!proc_text_read_number("/proc/sys/kernel/perf_event_max_stack", &frames) &&
		frames < CONTRACT_MAX_FRAMES)
		skeleton->rodata->cfg_max_frames = (uint32_t)frames;
	if (symbols)
		find_text(skeleton, symbols);
	bool stacks_tell = skeleton->rodata->cfg_interrupts[1] && !options->waker_stacks_from_ns;
	return stacks_tell ? USE_WAKERS : USE_WAKERS | USE_BARE_VECTORS;
}
