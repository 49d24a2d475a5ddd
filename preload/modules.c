// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects are found by address (_dl_find_object(), which takes no lock; glibc 2.35), and what they
 * are linked to by names among all that are loaded (dl_iterate_phdr(), whose lock nobody holds
 * while constructors run). dlclose() is interposed to count unloadings: what was remembered
 * before the last one is looked for again. Whoever calls from an object keeps it, and what it is
 * linked to, from being unloaded meanwhile.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "preload/blocks.h"
#include "preload/modules.h"

#define MOST_OBJECTS 512 /* that are loaded; further ones are not looked into */
#define MOST_NEEDED 64   /* that one is linked to, by others, too */
#define KNOWN_ROOM 256   /* objects that are remembered at once */

/* Bumped when something may have been unloaded. */
static uint64_t unloadings;

typedef int (*dlclose_fn)(void *handle);

/* Since glibc 2.35. Asked for by name: linked to it, older ones would not load the library. */
typedef int (*find_object_fn)(void *address, struct dl_find_object *result);

static dlclose_fn next_dlclose;
static find_object_fn find_object; /* NULL: there is none, and nobody's operators are found */

void modules_start(void)
{
	find_object = (find_object_fn)dlsym(RTLD_DEFAULT, "_dl_find_object");
	/* What succeeds puts an end to the error of what did not. */
	next_dlclose = (dlclose_fn)dlsym(RTLD_NEXT, "dlclose");
}

EXPORTED int dlclose(void *handle)
{
	int result;

	if (!next_dlclose)
		modules_start();
	result = next_dlclose(handle);
	__atomic_fetch_add(&unloadings, 1, __ATOMIC_RELEASE);
	return result;
}

/* An object's dynamic section, as far as it is needed. */
struct module {
	uintptr_t base;
	const ElfW(Dyn) * dynamic;
	const ElfW(Sym) * symbols;
	const char *names;
	const uint32_t *hash; /* DT_GNU_HASH */
	const char *soname;   /* "" if it has none */
};

/* ld.so makes addresses of offsets where it can write. */
static const void *at(const struct module *module, uintptr_t value)
{
	return (const void *)(value < module->base ? module->base + value : value);
}

static bool read_module(struct module *module, uintptr_t base, const ElfW(Dyn) * dynamic)
{
	uintptr_t soname = 0;

	*module = (struct module){.base = base, .dynamic = dynamic, .soname = ""};
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag == DT_SYMTAB)
			module->symbols = at(module, dynamic->d_un.d_ptr);
		else if (dynamic->d_tag == DT_STRTAB)
			module->names = at(module, dynamic->d_un.d_ptr);
		else if (dynamic->d_tag == DT_GNU_HASH)
			module->hash = at(module, dynamic->d_un.d_ptr);
		else if (dynamic->d_tag == DT_SONAME)
			soname = dynamic->d_un.d_val;
	}
	if (!module->names)
		return false;
	if (soname)
		module->soname = module->names + soname;
	return true;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

static void *function_of(const struct module *module, const ElfW(Sym) * symbol)
{
	return symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
			       ELF64_ST_TYPE(symbol->st_info) == STT_FUNC
		       ? (void *)(module->base + symbol->st_value)
		       : NULL;
}

/* What the object itself defines. */
static void *find_defined(const struct module *module, const char *name)
{
	const uint32_t *table = module->hash;
	uint32_t hash = hash_of(name), buckets, first, index;
	const uint32_t *chain, *bucket;

	if (!table || !module->symbols || !table[0])
		return NULL;
	buckets = table[0];
	first = table[1];
	bucket = table + 4 + (size_t)table[2] * sizeof(ElfW(Addr)) / sizeof(uint32_t);
	chain = bucket + buckets;
	index = bucket[hash % buckets];
	if (index < first)
		return NULL;
	for (;; index++) {
		uint32_t other = chain[index - first];
		const ElfW(Sym) *symbol = &module->symbols[index];
		if ((other | 1) == (hash | 1) && !strcmp(module->names + symbol->st_name, name) &&
			function_of(module, symbol))
			return function_of(module, symbol);
		if (other & 1)
			return NULL;
	}
}

struct loaded {
	struct module modules[MOST_OBJECTS];
	size_t count;
};

static int add_loaded(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct loaded *loaded = context;
	struct module *module = &loaded->modules[loaded->count];

	(void)bytes;
	if (loaded->count == MOST_OBJECTS)
		return 1;
	for (size_t i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC &&
			read_module(module, info->dlpi_addr,
				(const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr)))
			loaded->count++;
	return 0;
}

static const struct module *find_named(const struct loaded *loaded, const char *soname)
{
	for (size_t i = 0; i < loaded->count; i++)
		if (!strcmp(loaded->modules[i].soname, soname))
			return &loaded->modules[i];
	return NULL;
}

static bool has(const struct module *const *modules, size_t count, const struct module *module)
{
	for (size_t i = 0; i < count; i++)
		if (modules[i] == module)
			return true;
	return false;
}

/* Breadth first, as the dynamic linker looks. */
static void *find_needed(const struct loaded *loaded, const struct module *from, const char *name)
{
	const struct module *queue[MOST_NEEDED] = {from};
	size_t count = 1;

	for (size_t i = 0; i < count; i++) {
		void *function = find_defined(queue[i], name);
		if (function)
			return function;
		for (const ElfW(Dyn) *entry = queue[i]->dynamic; entry->d_tag != DT_NULL; entry++) {
			const struct module *needed =
				entry->d_tag == DT_NEEDED
					? find_named(loaded, queue[i]->names + entry->d_un.d_val)
					: NULL;
			if (needed && count < MOST_NEEDED && !has(queue, count, needed))
				queue[count++] = needed;
		}
	}
	return NULL;
}

/* Without a lock of ours: a fork would leave it taken in the child, for ever. */
static void *look_in_modules(const struct link_map *map, const char *name)
{
	static __thread bool is_iterating __attribute__((tls_model("initial-exec")));
	struct loaded *loaded;
	struct module from;
	void *function = NULL;

	if (is_iterating || !read_module(&from, map->l_addr, map->l_ld))
		return NULL;
	/* What is found without the others needs no list of them. */
	function = find_defined(&from, name);
	if (function)
		return function;
	loaded = next.malloc(sizeof(*loaded));
	if (!loaded)
		return NULL;
	is_iterating = true;
	loaded->count = 0;
	dl_iterate_phdr(add_loaded, loaded);
	function = find_needed(loaded, &from, name);
	is_iterating = false;
	next.free(loaded);
	return function;
}

/*
 * What is remembered of an object. A reader believes what it read if `changes` was even and is the
 * same afterwards: who changes an entry makes it odd meanwhile.
 */
struct known {
	uint64_t changes;
	const struct link_map *map;
	uint64_t unloadings;
	void *functions[MODULES_OPERATORS];
};

static struct known known[KNOWN_ROOM];

static struct known *known_of(const struct link_map *map)
{
	return &known[((uintptr_t)map * 0x9e3779b97f4a7c15 >> 32) % KNOWN_ROOM];
}

static void *recall(const struct link_map *map, unsigned int number, uint64_t now)
{
	struct known *entry = known_of(map);
	uint64_t changes = __atomic_load_n(&entry->changes, __ATOMIC_ACQUIRE);
	void *function = __atomic_load_n(&entry->functions[number], __ATOMIC_RELAXED);
	bool is_it = __atomic_load_n(&entry->map, __ATOMIC_RELAXED) == map &&
		     __atomic_load_n(&entry->unloadings, __ATOMIC_RELAXED) == now;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return is_it && !(changes & 1) &&
			       __atomic_load_n(&entry->changes, __ATOMIC_RELAXED) == changes
		       ? function
		       : NULL;
}

/* Objects that share an entry take it from each other; who comes while it is changed goes without.
 */
static void remember(const struct link_map *map, unsigned int number, uint64_t now, void *function)
{
	struct known *entry = known_of(map);
	uint64_t changes = __atomic_load_n(&entry->changes, __ATOMIC_RELAXED);

	if (changes & 1 || !__atomic_compare_exchange_n(&entry->changes, &changes, changes + 1,
				   false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (entry->map != map || entry->unloadings != now) {
		for (unsigned int i = 0; i < MODULES_OPERATORS; i++)
			__atomic_store_n(&entry->functions[i], NULL, __ATOMIC_RELAXED);
		__atomic_store_n(&entry->map, map, __ATOMIC_RELAXED);
		__atomic_store_n(&entry->unloadings, now, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&entry->functions[number], function, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->changes, changes + 2, __ATOMIC_RELEASE);
}

/* The same of the objects that a thread came from last, by where they are: no locks, no search. */
struct recent {
	uintptr_t start;
	uintptr_t bytes; /* 0: none */
	uint64_t unloadings;
	void *functions[MODULES_OPERATORS];
};

#define RECENT 4
#define RECENT_SHIFT 20

static __thread struct recent recents[RECENT] __attribute__((tls_model("initial-exec")));

static void note_recent(struct recent *recent, const struct dl_find_object *found, uint64_t now)
{
	uintptr_t start = (uintptr_t)found->dlfo_map_start;

	if (recent->start == start && recent->unloadings == now && recent->bytes)
		return;
	memset(recent, 0, sizeof(*recent));
	recent->start = start;
	recent->bytes = (uintptr_t)found->dlfo_map_end - start;
	recent->unloadings = now;
}

void *modules_find(unsigned int number, const char *name, const void *caller)
{
	struct recent *recent = &recents[((uintptr_t)caller >> RECENT_SHIFT) % RECENT];
	uint64_t now = __atomic_load_n(&unloadings, __ATOMIC_ACQUIRE);
	struct dl_find_object found;
	void *function;

	if ((uintptr_t)caller - recent->start < recent->bytes && recent->unloadings == now &&
		recent->functions[number])
		return recent->functions[number];
	if (!find_object || find_object((void *)caller, &found) || !found.dlfo_link_map)
		return NULL;
	function = recall(found.dlfo_link_map, number, now);
	if (!function) {
		function = look_in_modules(found.dlfo_link_map, name);
		if (function)
			remember(found.dlfo_link_map, number, now, function);
	}
	note_recent(recent, &found, now);
	recent->functions[number] = function;
	return function;
}
