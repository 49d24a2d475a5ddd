/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting events from any context. The switch and wake programs run with interrupts off, so that a
 * CPU is in one of them at a time, and none can be half done when user space has had its say on
 * that CPU (on_barrier). An event may be anywhere: a uprobe's program is preempted by other threads
 * that hit it, too, a tracepoint's is interrupted by an interrupt with events of its own, and a
 * sample of a PMU is an NMI. So an event
 *
 * - claims a slot of its CPU: room for a walk and counters that nobody else uses until it is done.
 *   A program stays on its CPU and runs to its end, so no claim is ever left behind;
 * - says in its claim which of the two tables it writes. User space empties the one that is not
 *   active when no claim names it, however long that takes;
 * - adds to a row by atomic additions, because two events of one row can be under way.
 *
 * An event that finds no slot is counted without its stacks. Of those that the kernel runs our
 * programs for none is lost without being told (docs/decisions.md has those that it does not).
 */
#ifndef DWELL_EVENT_BPF_H
#define DWELL_EVENT_BPF_H

#include "stack.bpf.h"
#include "contract/event.h"

/* How often an event may find the tables flipped between its claim and its look. User space flips
 * at most twenty times a second. */
#define CLAIM_TRIES 3

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct event_key);
	__type(value, struct event_sum);
} events_0 SEC(".maps"), events_1 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct event_claims);
} event_claims SEC(".maps");

volatile __u32 active_events;
/* Rows used in each table; user space zeroes it after draining. */
__u64 event_rows_used[2] OWN_LINE;
/* New rows beyond this many share one without stacks for each thread, slice and measure. */
const volatile __u64 cfg_event_rows;

/* What an event has claimed. */
struct event_room {
	struct event_claims *claims;
	struct cpu *cpu; /* counters of its own */
	struct walk *walk;
	u32 slot;
	u32 table;
};

static __always_inline void event_leave(struct event_room *room)
{
	u32 slot = room->slot & (CONTRACT_EVENT_SLOTS - 1);

	__sync_lock_test_and_set(&room->claims->by_slot[slot], 0);
}

/*
 * Names the table that is active in the claim, and looks again: user space, which makes the other
 * one active first and looks for claims then, cannot have missed it.
 */
static __always_inline bool settle_table(struct event_room *room)
{
	u32 slot = room->slot & (CONTRACT_EVENT_SLOTS - 1);

	for (int i = 0; i < CLAIM_TRIES; i++) {
		u32 active = active_events & 1;

		if (active == room->table)
			return true;
		room->table = active;
		__sync_lock_test_and_set(&room->claims->by_slot[slot], 1 + active);
	}
	return false;
}

static __always_inline bool claim_slot(struct event_room *room)
{
	u32 table = active_events & 1;

	room->table = table;
	for (u32 slot = 0; slot < CONTRACT_EVENT_SLOTS; slot++) {
		if (__sync_val_compare_and_swap(&room->claims->by_slot[slot], 0, 1 + table))
			continue;
		room->slot = slot;
		if (settle_table(room))
			return true;
		event_leave(room);
		return false;
	}
	return false;
}

/* False if there is no slot. */
static __always_inline bool event_enter(struct event_room *room)
{
	u32 level, place;

	if (!claim_slot(room))
		return false;
	level = CPU_LEVELS + room->slot;
	place = WALK_SLOTS + room->slot;
	room->cpu = bpf_map_lookup_elem(&cpus, &level);
	room->walk = bpf_map_lookup_elem(&walks, &place);
	if (room->cpu && room->walk) {
		room->walk->is_of_event = true;
		return true;
	}
	event_leave(room);
	return false;
}

static __always_inline void raise_max(struct event_sum *sum, u64 value)
{
	for (int i = 0; i < MAX_TRIES; i++) {
		u64 known = sum->max_value;

		if (value <= known ||
			__sync_val_compare_and_swap(&sum->max_value, known, value) == known)
			return;
	}
}

/* An event on its way into a row. */
struct event_part {
	u64 value;
	u64 events;
	u64 most; /* of one of them */
};

/* A row that another event makes at the same moment is that event's, and this one adds to it. */
static __always_inline bool event_add_to(
	void *table, u64 *used, const struct event_key *key, const struct event_part *part)
{
	struct event_sum *sum = bpf_map_lookup_elem(table, key);
	struct event_sum first = {1, part->value, part->most, part->events};

	if (!sum) {
		if (!bpf_map_update_elem(table, key, &first, BPF_NOEXIST)) {
			__sync_fetch_and_add(used, 1);
			return true;
		}
		sum = bpf_map_lookup_elem(table, key);
	}
	if (!sum)
		return false;
	__sync_fetch_and_add(&sum->count, 1);
	__sync_fetch_and_add(&sum->value, part->value);
	__sync_fetch_and_add(&sum->events, part->events);
	raise_max(sum, part->most);
	return true;
}

/* Into the table that the claim names. Static: 6.1 takes no key of a map from a global function. */
static __noinline int event_add(u32 table, struct event_key *key, struct event_part *part)
{
	if (!key || !part)
		return 0;
	return table ? event_add_to(&events_1, &event_rows_used[1], key, part)
		     : event_add_to(&events_0, &event_rows_used[0], key, part);
}

/* Is there room for one more row with stacks? Known ones are not asked for. */
static __always_inline bool has_room(u32 table, const struct event_key *key)
{
	if (event_rows_used[table & 1] < cfg_event_rows)
		return true;
	return table ? bpf_map_lookup_elem(&events_1, key) : bpf_map_lookup_elem(&events_0, key);
}

static __always_inline void strip_key(struct event_key *key)
{
	key->kernel_stack = STACK_OVERFLOW;
	key->user_stack = STACK_OVERFLOW;
	key->thing = 0;
}

static __always_inline void credit_event(
	struct event_room *room, struct event_key *key, struct event_part *part)
{
	count(room->cpu, COUNTER_EVENTS, 1);
	if (has_room(room->table, key) && event_add(room->table, key, part))
		return;
	strip_key(key);
	if (event_add(room->table, key, part))
		count(room->cpu, COUNTER_BARE_EVENTS, 1);
}

/* Only if nobody else had the CPU meanwhile: an event can be preempted. */
static __always_inline void note_claim_cost(struct event_room *room, u64 begun, enum counter timed)
{
	struct cpu *cpu = this_cpu();

	if (cpu && cpu->last_switch <= begun)
		cost_note(room->cpu, begun, timed);
}

/* Without a slot there is no scratch for stacks and no counter of one's own. */
static __noinline int credit_bare_event(struct event_key *key, struct event_part *part)
{
	u32 zero = 0;
	struct event_claims *claims = bpf_map_lookup_elem(&event_claims, &zero);

	if (!claims || !key || !part)
		return 0;
	strip_key(key);
	for (int i = 0; i < CLAIM_TRIES; i++) {
		u32 table = active_events & 1;
		bool is_in = false;

		__sync_fetch_and_add(&claims->bare_writers[table], 1);
		if ((active_events & 1) == table)
			is_in = event_add(table, key, part);
		__sync_fetch_and_sub(&claims->bare_writers[table], 1);
		if (is_in) {
			__sync_fetch_and_add(&claims->bare, 1);
			return 0;
		}
	}
	__sync_fetch_and_add(&claims->refused, 1);
	return 0;
}

/*
 * The books of the current thread, if its events count now. An event outside of threads, or of a
 * thread that is not recorded, is nobody's.
 */
static __always_inline struct thread *event_thread(u64 now)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread;

	if (now < window_start || now >= window_end || !task->pid)
		return NULL;
	thread = bpf_task_storage_get(&threads, task, NULL, 0);
	return thread && thread->is_target && thread->state != THREAD_DEAD ? thread : NULL;
}

static __always_inline u32 event_slice(u64 now)
{
	return (now - window_start) / cfg_slice_ns;
}

/* Which stacks an event has. */
enum event_stacks {
	EVENT_NO_STACKS, /* those that the key has already */
	EVENT_USER_STACK,
	EVENT_BOTH_STACKS,
};

/*
 * Counts an event of the current thread under the key, which gets its stacks. ctx is the program's
 * own. One that is always in user code is not asked for a kernel stack: 6.1 has scratch for one
 * walk of a CPU only, and whoever preempts it finds none.
 */
static __always_inline void event_put(void *ctx, struct thread *thread, u64 now,
	struct event_key *key, struct event_part *part, enum event_stacks stacks)
{
	struct event_room room;
	u32 zero = 0;

	room.claims = bpf_map_lookup_elem(&event_claims, &zero);
	if (!room.claims)
		return;
	if (!event_enter(&room)) {
		credit_bare_event(key, part);
		return;
	}
	if (stacks == EVENT_BOTH_STACKS)
		key->kernel_stack = kernel_stack_now(ctx, room.cpu, room.walk);
	if (stacks != EVENT_NO_STACKS)
		key->user_stack = user_stack_now(ctx, room.cpu, room.walk, thread);
	credit_event(&room, key, part);
	note_claim_cost(&room, now, COUNTER_EVENT_TIMED);
	event_leave(&room);
}

#endif
