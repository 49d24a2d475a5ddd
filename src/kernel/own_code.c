// SPDX-License-Identifier: GPL-2.0-or-later
/* Cuts dwell's own programs out of kernel stacks, from the leaf on, frame by frame. */
#include "kernel/own_code.h"

#include <string.h>

#include "util/mem.h"

void own_code_add(struct own_code *own, uint64_t start, uint64_t bytes)
{
	struct code_range range = {start, start + bytes};

	if (!start || range.end <= start)
		return;
	if (!own->ranges.count || start < own->all.start)
		own->all.start = start;
	if (range.end > own->all.end)
		own->all.end = range.end;
	vec_push(&own->ranges, range);
}

void own_code_clear(struct own_code *own)
{
	vec_clear(&own->ranges);
	own->all = (struct code_range){0};
}

bool own_code_has(const struct own_code *own, uint64_t address)
{
	if (address < own->all.start || address >= own->all.end)
		return false;
	vec_each (range, &own->ranges)
		if (address >= range->start && address < range->end)
			return true;
	return false;
}

static bool is_in_thunk(const struct kernel_symbols *symbols, uint64_t address)
{
	static const char thunk[] = "__x86_indirect_thunk_";
	struct kernel_symbol symbol;

	return kernel_symbols_find(symbols, address, &symbol) &&
	       !strncmp(symbol.name, thunk, strlen(thunk));
}

uint64_t kernel_frame_place(const struct kernel_symbols *symbols, const __u64 *frames, size_t index)
{
	uint64_t pc = frames[index];
	struct kernel_symbol symbol;

	if (!index)
		return pc;
	if (index == 1 && symbols && kernel_symbols_find(symbols, pc, &symbol) &&
		symbol.start == pc && is_in_thunk(symbols, frames[0]))
		return pc;
	return pc - 1;
}

enum kind {
	KIND_OTHER,
	KIND_FOREIGN,   /* code that is not the core kernel's: a module's, another tool's */
	KIND_OWN,       /* of one of our programs */
	KIND_GLUE,      /* calls whatever listens to a tracepoint */
	KIND_BPF_GLUE,  /* calls BPF programs only */
	KIND_INTERRUPT, /* where an interrupt begins */
};

/* What a function is, by how its name begins. */
static const struct {
	const char *prefix;
	enum kind kind;
} words[] = {
	{"bpf_trace_run", KIND_BPF_GLUE},
	{"__bpf_trace_", KIND_BPF_GLUE},
	{"__traceiter_", KIND_GLUE},
	{"__SCT__tp_func_", KIND_GLUE},
	{"asm_common_interrupt", KIND_INTERRUPT},
	{"asm_sysvec_", KIND_INTERRUPT},
	{"asm_exc_nmi", KIND_INTERRUPT},
	{"el1h_64_irq", KIND_INTERRUPT},
	{"el1h_64_fiq", KIND_INTERRUPT},
};

static enum kind kind_of_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(name, words[i].prefix, strlen(words[i].prefix)))
			return words[i].kind;
	return KIND_OTHER;
}

struct cut {
	const struct own_code *own;
	const struct kernel_symbols *symbols;
	const __u64 *frames;
	uint32_t *kept;
	size_t count;
};

static enum kind kind_of(const struct cut *cut, size_t index)
{
	uint64_t at = kernel_frame_place(cut->symbols, cut->frames, index);
	struct kernel_symbol symbol;

	/* A program about to be called shows as its first address, perhaps nameless. */
	if (cut->own && (own_code_has(cut->own, at) || own_code_has(cut->own, cut->frames[index])))
		return KIND_OWN;
	if (!cut->symbols)
		return KIND_OTHER;
	if (!kernel_symbols_find(cut->symbols, at, &symbol))
		return KIND_FOREIGN;
	/* Trampolines are called like modules, too: they hold no program of ours. */
	return symbol.module[0] ? KIND_FOREIGN : kind_of_name(symbol.name);
}

/* Takes back what the frame at hand called, up to an interrupt. */
static void drop_callees(struct cut *cut)
{
	while (cut->count && kind_of(cut, cut->kept[cut->count - 1]) != KIND_INTERRUPT)
		cut->count--;
}

static bool is_tracer(enum kind kind)
{
	return kind == KIND_OWN || kind == KIND_GLUE || kind == KIND_BPF_GLUE;
}

/* Does a frame of this kind begin a run of the tracer's frames? */
static bool begins_tracer(const struct cut *cut, enum kind kind, bool is_leaf)
{
	if (kind == KIND_OWN)
		return true;
	if (is_leaf)
		return is_tracer(kind);
	/* Glue that called a program goes with it, unless the program is another tool's. */
	return kind == KIND_BPF_GLUE &&
	       (!cut->count || kind_of(cut, cut->kept[cut->count - 1]) != KIND_FOREIGN);
}

size_t own_code_cut(const struct own_code *own, const struct kernel_symbols *symbols,
	const __u64 *frames, size_t first, size_t depth, uint32_t *kept)
{
	struct cut cut = {.own = own, .symbols = symbols, .frames = frames, .kept = kept};

	for (size_t i = first; i < depth; i++) {
		if (!begins_tracer(&cut, kind_of(&cut, i), i == first)) {
			kept[cut.count++] = (uint32_t)i;
			continue;
		}
		drop_callees(&cut);
		while (i + 1 < depth && is_tracer(kind_of(&cut, i + 1)))
			i++;
	}
	return cut.count;
}
