/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an event counts as, by the rule that its link's cookie names: is it one that was asked for,
 * which number does it bring, how many does it stand for.
 */
#ifndef DWELL_EVENT_RULE_BPF_H
#define DWELL_EVENT_RULE_BPF_H

#include "event.bpf.h"
#include "fault.bpf.h"

const volatile struct event_rule cfg_event_rules[CONTRACT_EVENT_RULES];

/* What a program is given, as a number: of its own pointer the verifier allows few sums. */
static __always_inline u64 number_of_context(void *ctx)
{
	void *at = ctx;
	u64 number = 0;

	bpf_probe_read_kernel(&number, sizeof(number), &at);
	return number;
}

static __always_inline s64 widened(u64 raw, u32 bytes, bool is_signed)
{
	u32 unused = bytes < 8 ? 64 - 8 * bytes : 0;

	return is_signed ? (s64)(raw << unused) >> unused : (s64)(raw << unused >> unused);
}

/* Of a size that the verifier knows each time. What cannot be read is 0, and told. */
static __always_inline u64 read_bytes(u64 at, u32 bytes, bool is_user)
{
	u64 raw = 0;
	long error;

#define READ(size)                                                                                 \
	(is_user ? bpf_probe_read_user(&raw, size, (void *)at)                                     \
		 : bpf_probe_read_kernel(&raw, size, (void *)at))
	if (bytes == 8)
		error = READ(8);
	else if (bytes == 4)
		error = READ(4);
	else if (bytes == 2)
		error = READ(2);
	else
		error = READ(1);
#undef READ
	if (error)
		__sync_fetch_and_add(&odd_values, 1);
	return raw;
}

/* Global: verified once. */
__noinline s64 read_number(u64 context, u32 rule, bool is_tested)
{
	const volatile struct event_rule *by = &cfg_event_rules[rule & (CONTRACT_EVENT_RULES - 1)];
	const volatile struct event_number *number = is_tested ? &by->tested : &by->value;
	u32 bytes = number->bytes;
	u64 raw = 0;

	if (number->source == NUMBER_CONSTANT)
		return number->plus;
	if (number->source == NUMBER_OF_CONTEXT)
		raw = read_bytes(context + number->offset, bytes, false);
	else if (number->source == NUMBER_OF_MEMORY)
		raw = read_bytes(
			read_bytes(context + number->offset, 8, false) + number->plus, bytes, true);
	return widened(raw, bytes, number->is_signed);
}

static __always_inline bool holds(s64 number, u32 condition, s64 limit, bool is_signed)
{
	/* Numbers without a sign, as addresses are, keep their order if the upper half becomes
	 * the lower one. */
	if (!is_signed) {
		u64 half = 1ULL << 63;

		if (condition == CONDITION_BITS)
			return number & limit;
		number ^= half;
		limit ^= half;
	}
	switch (condition) {
	case CONDITION_EQUAL:
		return number == limit;
	case CONDITION_UNEQUAL:
		return number != limit;
	case CONDITION_LESS:
		return number < limit;
	case CONDITION_MOST:
		return number <= limit;
	case CONDITION_MORE:
		return number > limit;
	case CONDITION_LEAST:
		return number >= limit;
	case CONDITION_BITS:
		return number & limit;
	default:
		return true;
	}
}

/* Is it asked for, and is it its turn? */
static __always_inline bool is_chosen_event(u64 context, u32 rule)
{
	const volatile struct event_rule *by = &cfg_event_rules[rule & (CONTRACT_EVENT_RULES - 1)];

	if (by->condition != CONDITION_NONE &&
		!holds(read_number(context, rule, true), by->condition, by->limit,
			by->tested.is_signed || by->tested.bytes < 8))
		return false;
	return by->one_of < 2 || bpf_get_prandom_u32() % by->one_of == 0;
}

/*
 * The value that it brings. A number below 0 is an error in most places ("-11 bytes were read"),
 * and one that is absurd would spoil every sum: both count as an event of nothing, and are told.
 */
static __always_inline u64 value_of(u64 context, u32 rule)
{
	const volatile struct event_rule *by = &cfg_event_rules[rule & (CONTRACT_EVENT_RULES - 1)];
	s64 number;

	if (by->value.source == NUMBER_NONE)
		return 1;
	number = read_number(context, rule, false);
	if (number >= 0 && (u64)number <= CONTRACT_EVENT_MOST)
		return number;
	__sync_fetch_and_add(&odd_values, 1);
	return 0;
}

/* Of all that it stands for. */
static __always_inline u64 times(u64 value, u64 each)
{
	return value && each > CONTRACT_EVENT_MOST / value ? CONTRACT_EVENT_MOST : value * each;
}

/* One event of a link; of perf's own, how many it stands for and the address that it is about. */
static __always_inline void event_now(void *ctx, u64 cookie, u64 own_period, u64 address)
{
	u32 rule = cookie & (CONTRACT_EVENT_RULES - 1);
	const volatile struct event_rule *by = &cfg_event_rules[rule];
	u64 now = bpf_ktime_get_ns(), context = number_of_context(ctx);
	struct thread *thread = event_thread(now);
	struct event_part part;

	if (!thread || !is_chosen_event(context, rule))
		return;
	struct event_key key = {
		.thread = thread->serial, .slice = event_slice(now), .measure = by->measure};
	part.events = by->has_own_period && !by->is_clock ? own_period : by->events;
	part.most = value_of(context, rule);
	part.value = times(part.most, by->has_own_period ? own_period : by->each);
	if (by->has_thing)
		key.thing = file_at(address);
	event_put(ctx, thread, now, &key, &part,
		by->is_in_user_code ? EVENT_USER_STACK : EVENT_BOTH_STACKS);
}

#endif
