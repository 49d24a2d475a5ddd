// SPDX-License-Identifier: GPL-2.0-or-later
/* Guesses where the kernel has all memory, and proves it on pages with words of chance. */
#include "kernel/direct_map.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "contract/contract.h"
#include "dwell.skel.h"
#include "util/mem.h"

#define PROOF_PAGES 4
/* Page tables may lie above as much memory as there is: physical addresses have holes. */
#define SPARE_GIB 64

/* What page tables with four and with five levels begin with. */
static const uint32_t shifts[] = {39, 48};

struct guess {
	uint64_t below_gib;
	uint32_t shift;
};

static bool is_in_cpuinfo(const char *flag)
{
	FILE *in = fopen("/proc/cpuinfo", "re");
	char word[64];
	bool is_there = false;

	while (in && !is_there && fscanf(in, "%63s", word) == 1 && strcmp(word, "bogomips"))
		is_there = !strcmp(word, flag);
	if (in)
		fclose(in);
	return is_there;
}

/*
 * A wrong guess reads another page of what the kernel has mapped. Some hypervisors have pages there
 * that nobody may touch: those not accepted yet (TDX), those given back (Hyper-V). Xen's tables
 * have other addresses.
 */
static bool may_guess(void)
{
	return access("/sys/bus/vmbus", F_OK) && access("/sys/hypervisor/type", F_OK) &&
	       !is_in_cpuinfo("tdx_guest");
}

void direct_map_configure(struct dwell *skeleton, bool has_loads)
{
#ifdef __x86_64__
	has_loads =
		has_loads && skeleton->rodata->cfg_user_stacks == USER_STACKS_TABLE && may_guess();
#else
	has_loads = false;
#endif
	bpf_program__set_autoload(skeleton->progs.on_direct_map, has_loads);
}

/* Is the word found by the guess? */
static bool is_found(struct dwell *skeleton, const struct guess *guess, const uint64_t *word)
{
	uint64_t arguments[] = {(uintptr_t)word, *word, guess->below_gib, guess->shift};
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = arguments, .ctx_size_in = sizeof(arguments));
	int fd = bpf_program__fd(skeleton->progs.on_direct_map);

	return !bpf_prog_test_run_opts(fd, &run) && run.retval == 1;
}

/* By the first and the last word of every page? Not, if a page is not there. */
static bool is_proven(
	struct dwell *skeleton, const struct guess *guess, uint64_t *pages, size_t words)
{
	for (size_t i = 0; i < PROOF_PAGES; i++)
		if (!is_found(skeleton, guess, &pages[i * words]) ||
			!is_found(skeleton, guess, &pages[(i + 1) * words - 1]))
			return false;
	return true;
}

static bool find_guess(struct dwell *skeleton, const uint64_t *word, struct guess *ret)
{
	uint64_t gib = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) >> 30;

	for (size_t i = 0; i < ARRAY_SIZE(shifts); i++) {
		ret->shift = shifts[i];
		for (uint64_t below = 0; below < 2 * gib + SPARE_GIB; below++) {
			ret->below_gib = below;
			if (is_found(skeleton, ret, word))
				return true;
		}
	}
	return false;
}

void direct_map_find(struct dwell *skeleton)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), bytes = PROOF_PAGES * page_bytes;
	struct guess guess;
	uint64_t *pages;

	if (!bpf_program__autoload(skeleton->progs.on_direct_map))
		return;
	pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return;
	if (getrandom(pages, bytes, 0) != (ssize_t)bytes || !find_guess(skeleton, pages, &guess) ||
		!is_proven(skeleton, &guess, pages, page_bytes / sizeof(*pages)))
		__atomic_store_n(&skeleton->bss->direct_base, 0, __ATOMIC_SEQ_CST);
	munmap(pages, bytes);
}
