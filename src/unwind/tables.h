/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel side's unwind tables as user space writes them: rows, page words and rules of objects,
 * maps of mappings, and the entry that makes a map an image's. Everything that is referred to
 * is written before what refers to it. Not safe for several threads: the loader's lock is around
 * it.
 */
#ifndef DWELL_UNWIND_TABLES_H
#define DWELL_UNWIND_TABLES_H

#include "unwind/extents.h"
#include "contract/unwind.h"
#include "elf/cfi/cfi.h"

enum unwind_area { UNWIND_ROWS, UNWIND_PAGES, UNWIND_VMAS, UNWIND_AREAS };

/*
 * The arrays, as mapped. The last rooms are counts of words, rules and mappings; of all but the
 * rules parts may not be there yet, and are nothing but zeros to read.
 */
struct unwind_areas {
	uint32_t *rows;
	uint32_t *pages;
	struct unwind_rule *rules;
	struct unwind_vma *vmas;
	uint32_t row_room;
	uint32_t page_room;
	uint32_t rule_room;
	uint32_t vma_room;
	struct step_table *steps;       /* NULL: walks on the host keep no steps */
	volatile uint32_t *map_time;    /* counts what is published; NULL: nobody asks (tests) */
	volatile uint32_t *generations; /* of maps, STEP_SLOTS; NULL: nobody keeps steps (tests) */
	int processes_fd;               /* -1: nothing is published (tests) */
	/* Sees to it that the first `count` of an array are there. 0 or -errno. NULL: all are. */
	int (*reserve)(void *context, enum unwind_area area, uint32_t count);
	void *reserve_context;
};

struct unwind_tables;

struct unwind_tables *unwind_tables_new(const struct unwind_areas *areas);
void unwind_tables_free(struct unwind_tables *tables);
const struct unwind_areas *unwind_tables_areas(const struct unwind_tables *tables);

/* Where an object's table is. */
struct unwind_place {
	uint32_t row_start;
	uint32_t row_count;
	uint32_t page_start;
	uint32_t page_count; /* words are one more */
	uint64_t first_page; /* address in the object */
};

/* Copies an object's table in; -ENOSPC if there is no room. */
int unwind_tables_add(
	struct unwind_tables *tables, const struct cfi_table *table, struct unwind_place *ret);
/* The rows are reused after a while; no mapping may refer to them any more. */
void unwind_tables_drop(struct unwind_tables *tables, const struct unwind_place *place);
/* What goes into a mapping's page0. */
uint32_t unwind_place_page0(const struct unwind_place *place);

/* A map of sorted mappings; -ENOSPC if there is no room. It is nobody's yet. */
int unwind_tables_add_vmas(struct unwind_tables *tables, const struct unwind_vma *vmas,
	uint32_t count, uint32_t *ret_base);
void unwind_tables_drop_vmas(struct unwind_tables *tables, uint32_t base, uint32_t count);
/* Changes a mapping of the map at `base` in place, while it may be read. */
void unwind_tables_set_vma(
	struct unwind_tables *tables, uint32_t base, uint32_t index, const struct unwind_vma *vma);
/* Makes a map the image's. -errno if the table of images is full. */
int unwind_tables_publish(
	struct unwind_tables *tables, uint32_t image, uint32_t base, uint32_t count);
void unwind_tables_forget(struct unwind_tables *tables, uint32_t image);
/* Calls with the map of each image that has one: also of those that inherited it by a fork. */
void unwind_tables_each_process(struct unwind_tables *tables,
	void (*each)(void *context, uint32_t image, uint32_t base), void *context);

/* Rows in use, of how many. */
void unwind_tables_fill(const struct unwind_tables *tables, uint32_t *ret_used, uint32_t *ret_room);

#endif
