// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's symbol table: one array sorted by address, with all names of an address side by
 * side, the best first. kallsyms has no sizes, so every end is computed once, after sorting: a
 * symbol never reaches into another module, past the end of kernel text, or over the padding in
 * front of the next function.
 */
#include "symbol/kernel_table.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* KSYM_NAME_LEN is 512 since Linux 6.1, MODULE_NAME_LEN 56. */
#define MAX_LINE_BYTES 1024
#define CHUNK_BYTES (64U << 10)
#define MAX_SYMBOLS (4U << 20)
#define MAX_NAMES_BYTES (256U << 20)
#define NAME_BLOCK_BYTES (256U << 10)
#define PAGE_BYTES 4096
/* A longer stretch without a symbol outside core text is a hole between two allocations. */
#define MAX_MODULE_SYMBOL_BYTES (256U << 10)

enum rank {
	RANK_GLOBAL,
	RANK_WEAK,
	RANK_LOCAL,
	RANK_BOUNDARY, /* padding or an end mark: ends the symbol before it, is none itself */
};

struct line {
	uint64_t address;
	char type;
	const char *name;
	size_t name_length;
	const char *module;
};

static int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Sixteen digits at most, as the kernel writes them; NULL if there is none, or more. By hand: there
 * are more than a hundred thousand of them at every start. */
static char *take_address(char *text, uint64_t *ret)
{
	uint64_t address = 0;
	int count = 0;

	for (; digit_of(text[count]) >= 0; count++)
		address = address << 4 | (uint64_t)digit_of(text[count]);
	*ret = address;
	return count && count <= 16 ? text + count : NULL;
}

/* "ffffffff81000000 T _text" or "ffffffffc0201000 t name\t[module]"; cuts the line into its words.
 */
static bool split_line(char *line, struct line *ret)
{
	struct line parsed = {.module = ""};
	char *rest = take_address(line, &parsed.address), *bracket;

	if (!rest || rest[0] != ' ' || !rest[1] || rest[2] != ' ')
		return false;
	parsed.type = rest[1];
	parsed.name = rest += 3;
	while (*rest && *rest != ' ' && *rest != '\t')
		rest++;
	bracket = *rest ? strchr(rest, '[') : NULL;
	*rest = '\0';
	if (bracket) {
		parsed.module = bracket + 1;
		bracket[strcspn(bracket, "]")] = '\0';
	}
	if (!parsed.name[0])
		return false;
	parsed.name_length = (size_t)(rest - parsed.name);
	*ret = parsed;
	return true;
}

/* __pfx_ and __cfi_ name the patchable padding before a function, the ends no code at all. */
static bool is_boundary(const char *name)
{
	return !strncmp(name, "__pfx_", 6) || !strncmp(name, "__cfi_", 6) ||
	       !strcmp(name, "_etext") || !strcmp(name, "_einittext");
}

static enum rank rank_of(const struct line *line)
{
	if (is_boundary(line->name))
		return RANK_BOUNDARY;
	if (line->type == 'T')
		return RANK_GLOBAL;
	return line->type == 't' ? RANK_LOCAL : RANK_WEAK;
}

static void note_landmark(struct kernel_symbols *symbols, const struct line *line)
{
	if (line->module[0])
		return;
	if (!strcmp(line->name, "_text"))
		symbols->text = line->address;
	else if (!strcmp(line->name, "_etext"))
		symbols->text_end = line->address;
	else if (!strcmp(line->name, "_einittext"))
		symbols->init_text_end = line->address;
}

static const char *keep(struct kernel_names *names, const char *name, size_t bytes)
{
	if (!names->blocks.count || names->used + bytes > NAME_BLOCK_BYTES) {
		vec_push(&names->blocks, xmalloc(NAME_BLOCK_BYTES));
		names->used = 0;
	}
	char *kept = names->blocks.at[names->blocks.count - 1] + names->used;
	memcpy(kept, name, bytes);
	names->used += bytes;
	return kept;
}

const char *kernel_names_keep(struct kernel_names *names, const char *name)
{
	return keep(names, name, strlen(name) + 1);
}

static void names_clear(struct kernel_names *names)
{
	vec_each (block, &names->blocks)
		free(*block);
	vec_clear(&names->blocks);
}

static void add_line(struct kernel_symbols *symbols, const struct line *line)
{
	struct kernel_entry entry = {.start = line->address,
		.name = keep(&symbols->names, line->name, line->name_length + 1),
		.module = line->module[0] ? intern(&symbols->modules, line->module) : 0,
		.rank = rank_of(line)};

	note_landmark(symbols, line);
	vec_push(&symbols->entries, entry);
}

/* What is read and not yet cut into lines. */
struct chunk {
	size_t at;
	size_t count;
	char bytes[CHUNK_BYTES + 1];
};

/* The rest of the last line goes to the front, and what comes behind it; false at the end. */
static bool refill(struct chunk *chunk, FILE *in)
{
	chunk->count -= chunk->at;
	memmove(chunk->bytes, chunk->bytes + chunk->at, chunk->count);
	chunk->at = 0;
	size_t got = fread(chunk->bytes + chunk->count, 1, CHUNK_BYTES - chunk->count, in);
	chunk->count += got;
	return got;
}

/* The next line without its end, NULL behind the last; one that does not fit is "". */
static char *next_line(struct chunk *chunk, FILE *in)
{
	bool is_cut = false;

	for (;;) {
		char *line = chunk->bytes + chunk->at;
		size_t left = chunk->count - chunk->at;
		char *end = memchr(line, '\n', left);

		if (end) {
			*end = '\0';
			chunk->at += (size_t)(end - line) + 1;
			return is_cut || end - line >= MAX_LINE_BYTES ? end : line;
		}
		is_cut |= left >= MAX_LINE_BYTES;
		if (is_cut)
			chunk->at = chunk->count;
		if (refill(chunk, in))
			continue;
		if (chunk->at == chunk->count)
			return NULL;
		line = chunk->bytes + chunk->at;
		chunk->bytes[chunk->count] = '\0';
		chunk->at = chunk->count;
		return line;
	}
}

static bool is_code(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

static int read_lines(struct kernel_symbols *symbols, FILE *in, struct why *why)
{
	_cleanup_free_ struct chunk *chunk = xmalloc(sizeof(*chunk));
	size_t hidden = 0;
	char *text;

	chunk->at = chunk->count = 0;
	while ((text = next_line(chunk, in))) {
		struct line line;
		if (!split_line(text, &line) || !is_code(line.type))
			continue;
		hidden += !line.address;
		if (!line.address)
			continue;
		if (symbols->entries.count == MAX_SYMBOLS ||
			symbols->names.blocks.count > MAX_NAMES_BYTES / NAME_BLOCK_BYTES)
			return why_set(why, -E2BIG, "the kernel's symbol table is beyond measure");
		add_line(symbols, &line);
	}
	if (ferror(in))
		return why_set(why, -EIO, "cannot read the kernel's symbol table");
	if (symbols->entries.count)
		return 0;
	if (hidden)
		return why_set(why, -EACCES,
			"kernel addresses are hidden (kernel.kptr_restrict): run `sysctl "
			"kernel.kptr_restrict=0` as root, or run dwell with CAP_SYSLOG");
	return why_set(why, -ENODATA, "the kernel's symbol table is empty");
}

static int leading_underscores(const char *name)
{
	return (int)strspn(name, "_");
}

static int compare_entries(const void *left, const void *right)
{
	const struct kernel_entry *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	int order = leading_underscores(a->name) - leading_underscores(b->name);
	if (order)
		return order;
	if (strlen(a->name) != strlen(b->name))
		return strlen(a->name) < strlen(b->name) ? -1 : 1;
	order = strcmp(a->name, b->name);
	return order ? order : (a->module > b->module) - (a->module < b->module);
}

/*
 * The core kernel's symbols come in order of address, and are nearly all: they need sorting among
 * those of one address only. What comes behind them in any order is sorted with the last of them.
 */
static void sort_entries(struct kernel_symbols *symbols)
{
	struct kernel_entry *at = symbols->entries.at;
	size_t count = symbols->entries.count, begun = 0, i;
	uint64_t least = UINT64_MAX;

	for (i = 1; i < count && at[i].start >= at[i - 1].start; i++) {
		if (at[i].start == at[begun].start)
			continue;
		if (i - begun > 1)
			qsort(at + begun, i - begun, sizeof(*at), compare_entries);
		begun = i;
	}
	for (size_t rest = i; rest < count; rest++)
		if (at[rest].start < least)
			least = at[rest].start;
	while (begun && at[begun - 1].start >= least)
		begun--;
	if (count - begun > 1)
		qsort(at + begun, count - begun, sizeof(*at), compare_entries);
}

/* The end of a symbol whose follower, if any, starts at next. */
static uint64_t end_of(const struct kernel_symbols *symbols, const struct kernel_entry *entry,
	const struct kernel_entry *next)
{
	uint64_t page_end = (entry->start | (PAGE_BYTES - 1)) + 1;
	uint64_t end = next ? next->start : UINT64_MAX;
	bool is_bounded = next && next->module == entry->module;

	if (!entry->module && entry->start < symbols->text_end) {
		is_bounded = true;
		end = end < symbols->text_end ? end : symbols->text_end;
	} else if (!entry->module && entry->start < symbols->init_text_end) {
		is_bounded = true;
		end = end < symbols->init_text_end ? end : symbols->init_text_end;
	}
	if (!is_bounded || (entry->module && end - entry->start > MAX_MODULE_SYMBOL_BYTES))
		return end < page_end ? end : page_end;
	return end;
}

static void compute_ends(struct kernel_symbols *symbols)
{
	struct kernel_entry *at = symbols->entries.at;
	const struct kernel_entry *next = NULL;

	for (size_t i = symbols->entries.count; i-- > 0;) {
		if (i + 1 < symbols->entries.count && at[i + 1].start != at[i].start)
			next = &at[i + 1];
		at[i].end = end_of(symbols, &at[i], next);
	}
}

static void drop_boundaries(struct kernel_symbols *symbols)
{
	size_t kept = 0;

	vec_each (entry, &symbols->entries)
		if (entry->rank != RANK_BOUNDARY)
			symbols->entries.at[kept++] = *entry;
	symbols->entries.count = kept;
}

static void note_module_bases(struct kernel_symbols *symbols)
{
	vec_reserve(&symbols->module_bases, symbols->modules.texts.count);
	symbols->module_bases.count = symbols->modules.texts.count;
	vec_each (base, &symbols->module_bases)
		*base = 0;
	vec_each (entry, &symbols->entries)
		if (!symbols->module_bases.at[entry->module])
			symbols->module_bases.at[entry->module] = entry->start;
	symbols->module_bases.at[0] = symbols->text;
}

int kernel_symbols_parse(FILE *in, struct kernel_symbols **ret, struct why *why)
{
	struct kernel_symbols *symbols = xcalloc(1, sizeof(*symbols));
	int err;

	intern(&symbols->modules, "");
	err = read_lines(symbols, in, why);
	if (err) {
		kernel_symbols_free(symbols);
		return err;
	}
	sort_entries(symbols);
	compute_ends(symbols);
	drop_boundaries(symbols);
	note_module_bases(symbols);
	*ret = symbols;
	return 0;
}

void kernel_symbols_free(struct kernel_symbols *symbols)
{
	if (!symbols)
		return;
	vec_clear(&symbols->entries);
	names_clear(&symbols->names);
	vec_clear(&symbols->module_bases);
	intern_clear(&symbols->modules);
	free(symbols);
}

static struct kernel_symbol symbol_of(
	const struct kernel_symbols *symbols, const struct kernel_entry *entry)
{
	return (struct kernel_symbol){.name = entry->name,
		.module = intern_text(&symbols->modules, entry->module),
		.start = entry->start,
		.end = entry->end};
}

/* Position of the first entry that starts after the address. */
static size_t upper_bound(const struct kernel_symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->entries.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (symbols->entries.at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool kernel_symbols_find(
	const struct kernel_symbols *symbols, uint64_t address, struct kernel_symbol *ret)
{
	const struct kernel_entry *at = symbols->entries.at;
	size_t position = upper_bound(symbols, address);

	if (!position || address >= at[position - 1].end)
		return false;
	for (position--; position && at[position - 1].start == at[position].start;)
		position--;
	*ret = symbol_of(symbols, &at[position]);
	return true;
}

/* .isra.0, .constprop.0, .llvm.123, also several: the function itself under another name. A part of
 * it (.part.0, .cold) is not. */
static bool is_clone_suffix(const char *suffix)
{
	static const char *const kinds[] = {".isra.", ".constprop.", ".llvm."};
	bool is_known = *suffix == '.';

	while (is_known && *suffix) {
		is_known = false;
		for (size_t i = 0; i < ARRAY_SIZE(kinds) && !is_known; i++) {
			size_t length = strlen(kinds[i]);
			size_t digits = 0;
			if (!strncmp(suffix, kinds[i], length))
				digits = strspn(suffix + length, "0123456789");
			is_known = digits > 0;
			if (is_known)
				suffix += length + digits;
		}
	}
	return is_known;
}

/* Names that begin with the same character, one after the other. */
struct name_lists {
	size_t first[UCHAR_MAX + 1]; /* one more than its number; 0: none */
	size_t next[KERNEL_SYMBOLS_MAX_NAMED];
};

static void list_names(const char *const *names, size_t count, struct name_lists *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < count; i++) {
		size_t *first = &ret->first[(unsigned char)names[i][0]];

		ret->next[i] = *first;
		*first = i + 1;
	}
}

void kernel_symbols_named(const struct kernel_symbols *symbols, const char *const *names,
	size_t count, struct kernel_symbol *ret)
{
	const struct kernel_entry *found[KERNEL_SYMBOLS_MAX_NAMED] = {0};
	struct name_lists lists;

	count = count < ARRAY_SIZE(found) ? count : ARRAY_SIZE(found);
	list_names(names, count, &lists);
	vec_each (entry, &symbols->entries) {
		size_t number = entry->module ? 0 : lists.first[(unsigned char)entry->name[0]];

		for (; number; number = lists.next[number - 1]) {
			const struct kernel_entry **of = &found[number - 1];
			size_t length = strlen(names[number - 1]);

			if (strncmp(entry->name, names[number - 1], length))
				continue;
			/* The first of that name, or else the first clone. */
			bool has_name = *of && !(*of)->name[length];
			if (!entry->name[length] ? !has_name
						 : !*of && is_clone_suffix(entry->name + length))
				*of = entry;
		}
	}
	for (size_t i = 0; i < count; i++)
		ret[i] = found[i] ? symbol_of(symbols, found[i]) : (struct kernel_symbol){0};
}

uint64_t kernel_symbols_base(const struct kernel_symbols *symbols)
{
	return symbols->text;
}

void kernel_symbols_core(
	const struct kernel_symbols *symbols, uint64_t *ret_start, uint64_t *ret_end)
{
	bool is_known = symbols->text && symbols->text < symbols->text_end;

	*ret_start = is_known ? symbols->text : 0;
	*ret_end = is_known ? symbols->text_end : 0;
}

bool kernel_symbols_is_module(const char *module)
{
	return module[0] && strcmp(module, "bpf") && strncmp(module, "__builtin__", 11);
}

void kernel_symbols_each(const struct kernel_symbols *symbols,
	void (*each)(void *context, const struct kernel_symbol *symbol), void *context)
{
	vec_each (entry, &symbols->entries) {
		struct kernel_symbol symbol = symbol_of(symbols, entry);
		each(context, &symbol);
	}
}

uint64_t kernel_symbols_module_base(const struct kernel_symbols *symbols, const char *module)
{
	for (uint32_t i = 0; i < symbols->module_bases.count; i++)
		if (!strcmp(intern_text(&symbols->modules, i), module))
			return symbols->module_bases.at[i];
	return 0;
}
