// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints the unwind table of an ELF file, or of the "[vdso]", a row a line: address, CFA kind and
 * offset, frame pointer kind and offset, and where rbx is followed its offset (0: the same). With
 * -t: how long reading takes, and what was met; with -c: how long storing it in a cache and loading
 * it again takes (in a folder cfi-cache here).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "elf/cfi/cfi.h"
#include "elf/file.h"
#include "unwind/unwind_cache.h"
#include "symbol/vdso.h"

static const char *const cfa_words[] = {"gap", "sp", "fp", "sp*", "fp*", "plt", "signal", "stop",
	"frameptr", "ra_reg", "bad", "bx", "sp"};
static const char *const fp_words[] = {"same", "cfa", "fp", "lost"};

static void print_rows(const struct cfi_table *table)
{
	for (uint32_t page = 0; page < table->page_count; page++)
		for (uint32_t i = table->pages[page]; i < table->pages[page + 1]; i++) {
			const struct unwind_rule *rule =
				&table->rules[UNWIND_ROW_RULE(table->rows[i])];
			uint64_t address = table->first_page +
					   ((uint64_t)page << UNWIND_PAGE_SHIFT) +
					   UNWIND_ROW_ADDRESS(table->rows[i]);
			bool has_bx = rule->cfa_kind == UNWIND_CFA_BX ||
				      rule->cfa_kind == UNWIND_CFA_SP_BX;
			printf("%" PRIx64 " %s %" PRId32 " %s %d", address,
				cfa_words[rule->cfa_kind],
				has_bx ? UNWIND_DEREF_LOW(rule->cfa_offset) : rule->cfa_offset,
				fp_words[rule->fp_kind], rule->fp_offset);
			if (has_bx)
				printf(" %d", UNWIND_DEREF_HIGH(rule->cfa_offset));
			printf("\n");
		}
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void print_counts(const struct cfi_table *table, double taken_s)
{
	const struct cfi_counts *counts = &table->counts;

	printf("ms %.3f rows %u rules %u pages %u fdes %" PRIu64 " raw %" PRIu64 " bad %" PRIu64
	       " skipped %" PRIu64 " foreign %" PRIu64 " covered %" PRIu64 " cut %d\n",
		taken_s * 1e3, table->row_count, table->rule_count, table->page_count, counts->fdes,
		counts->raw_rows, counts->bad_rows, counts->skipped, counts->foreign,
		counts->covered, counts->is_cut);
}

static int print_cache_times(const struct cfi_table *table)
{
	struct unwind_cache *cache;
	struct cfi_table back;
	struct why why = {""};
	double start_s = now_s(), stored_s;
	int err = unwind_cache_open_at("cfi-cache", UNWIND_CACHE_BYTES, &cache, &why);

	if (!err)
		err = unwind_cache_store(cache, "00", 0, table);
	stored_s = now_s();
	if (!err)
		err = unwind_cache_load(cache, "00", 0, &back);
	if (err) {
		printf("error %s: %s\n", strerrorname_np(-err), why.text);
		return 1;
	}
	printf("store ms %.3f load ms %.3f rows %u\n", (stored_s - start_s) * 1e3,
		(now_s() - stored_s) * 1e3, back.row_count);
	cfi_table_clear(&back);
	unwind_cache_free(cache);
	return 0;
}

int main(int argc, char **argv)
{
	bool is_cached = argc > 1 && !strcmp(argv[1], "-c");
	bool is_timed = is_cached || (argc > 1 && !strcmp(argv[1], "-t"));
	const char *path = argv[argc - 1];
	struct cfi_table table;
	struct elf_file *file;
	struct why why = {"no ELF file of ours"};
	double start_s = now_s();
	int fd = -1, err;

	if (argc != 2 + is_timed)
		return 2;
	if (!strcmp(path, "[vdso]")) {
		err = vdso_open(&file);
	} else {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		err = fd < 0 ? -errno : elf_file_open(fd, &file);
	}
	if (!err) {
		err = cfi_table_read(file, &table, &why);
		if (err)
			elf_file_free(file);
	}
	if (err) {
		printf("error %s: %s\n", strerrorname_np(-err), why.text);
		return err == -ENOEXEC || err == -ENOENT ? 77 : 1;
	}
	if (is_timed)
		print_counts(&table, now_s() - start_s);
	else
		print_rows(&table);
	if (is_cached)
		err = print_cache_times(&table);
	cfi_table_clear(&table);
	elf_file_free(file);
	if (fd >= 0)
		close(fd);
	return err;
}
