// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keeps the kernel's symbol table up to date. A look at /proc/modules is cheap and tells most
 * changes; BPF programs and trampolines come and go without a trace in it, so an unchanged list is
 * trusted for a while only, and twice as long each time that this was in vain. Names of a new
 * reading are the old ones wherever they are the same, so that names which were handed out stay
 * valid and only new symbols take memory.
 */
#include <errno.h>
#include <string.h>

#include "symbol/kernel_table.h"
#include "util/clock.h"
#include "util/hash.h"
#include "util/units.h"

#define LOOK_NS (100 * NS_PER_MS)
#define SHORT_PATIENCE_NS (1 * NS_PER_S)
#define LONG_PATIENCE_NS (64 * NS_PER_S)

/* Of what identifies modules: not their users, which change all the time. 0 if it cannot be read.
 */
static uint64_t hash_modules(void)
{
	_cleanup_fclose_ FILE *in = fopen("/proc/modules", "re");
	char line[4096];
	uint64_t hash = 1;

	if (!in)
		return 0;
	while (fgets(line, sizeof(line), in)) {
		char name[256], state[32], address[32];
		unsigned long long bytes;
		if (sscanf(line, "%255s %llu %*s %*s %31s %31s", name, &bytes, state, address) != 4)
			continue;
		hash = hash_text(hash_add(hash_text(hash, name), bytes), state);
		hash = hash_text(hash, address);
	}
	return hash;
}

static const struct kernel_entry *find_same(
	const struct kernel_symbols *symbols, const struct kernel_entry *wanted)
{
	size_t low = 0, high = symbols->entries.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (symbols->entries.at[middle].start < wanted->start)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < symbols->entries.count; low++) {
		const struct kernel_entry *entry = &symbols->entries.at[low];
		if (entry->start != wanted->start)
			return NULL;
		if (!strcmp(entry->name, wanted->name))
			return entry;
	}
	return NULL;
}

/* Moves what a new entry refers to into the lasting table; true if it was not there. */
static bool adopt(struct kernel_symbols *symbols, const struct kernel_symbols *fresh,
	struct kernel_entry *entry)
{
	const struct kernel_entry *same = find_same(symbols, entry);

	entry->name = same ? same->name : kernel_names_keep(&symbols->names, entry->name);
	entry->module = intern(&symbols->modules, intern_text(&fresh->modules, entry->module));
	return !same || same->end != entry->end || same->module != entry->module;
}

/* Programs of these come and go; addresses in recordings must not move with the first of them. */
static bool is_gathering(const char *module)
{
	return module[0] && !kernel_symbols_is_module(module);
}

static void adopt_bases(struct kernel_symbols *symbols, const struct kernel_symbols *fresh)
{
	while (symbols->module_bases.count < symbols->modules.texts.count)
		vec_push(&symbols->module_bases, 0);
	for (uint32_t i = 0; i < symbols->module_bases.count; i++) {
		const char *module = intern_text(&symbols->modules, i);
		uint64_t base = kernel_symbols_module_base(fresh, module);
		if (base && !(symbols->module_bases.at[i] && is_gathering(module)))
			symbols->module_bases.at[i] = base;
	}
}

int kernel_symbols_update(struct kernel_symbols *symbols, FILE *in)
{
	struct kernel_symbols *fresh;
	bool is_changed;
	int err = kernel_symbols_parse(in, &fresh, NULL);

	if (err)
		return err;
	is_changed = fresh->entries.count != symbols->entries.count;
	vec_each (entry, &fresh->entries)
		is_changed |= adopt(symbols, fresh, entry);
	adopt_bases(symbols, fresh);
	vec_clear(&symbols->entries);
	vec_append(&symbols->entries, fresh->entries.at, fresh->entries.count);
	kernel_symbols_free(fresh);
	return is_changed;
}

int kernel_symbols_refresh(struct kernel_symbols *symbols)
{
	uint64_t now_ns = clock_monotonic_ns(), hash;
	_cleanup_fclose_ FILE *in = NULL;
	int changed;

	if (now_ns - symbols->looked_ns < LOOK_NS)
		return 0;
	symbols->looked_ns = now_ns;
	hash = hash_modules();
	if (hash == symbols->modules_hash && now_ns - symbols->read_ns < symbols->patience_ns)
		return 0;
	in = fopen("/proc/kallsyms", "re");
	if (!in)
		return -errno;
	changed = kernel_symbols_update(symbols, in);
	if (changed < 0)
		return changed;
	symbols->modules_hash = hash;
	symbols->read_ns = now_ns;
	if (changed)
		symbols->patience_ns = SHORT_PATIENCE_NS;
	else if (symbols->patience_ns < LONG_PATIENCE_NS)
		symbols->patience_ns *= 2;
	return changed;
}

int kernel_symbols_new(struct kernel_symbols **ret, struct why *why)
{
	_cleanup_fclose_ FILE *in = fopen("/proc/kallsyms", "re");
	uint64_t hash = hash_modules();
	int err;

	if (!in)
		return why_set(why, -errno, "cannot open /proc/kallsyms: %s", strerror(errno));
	err = kernel_symbols_parse(in, ret, why);
	if (err)
		return err;
	(*ret)->modules_hash = hash;
	(*ret)->looked_ns = (*ret)->read_ns = clock_monotonic_ns();
	(*ret)->patience_ns = SHORT_PATIENCE_NS;
	return 0;
}
