/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places of one file, at which one program runs. */
#ifndef DWELL_KERNEL_UPROBES_H
#define DWELL_KERNEL_UPROBES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/vec.h"
#include "util/why.h"

struct bpf_program;
struct kernel;

struct uprobe {
	uint64_t offset;
	uint64_t semaphore; /* 0: none */
	uint64_t cookie;
};

struct uprobes {
	struct bpf_program *program;
	int fd; /* of the file; borrowed */
	bool is_return;
	bool has_multi;
	uint32_t most_links; /* without multi: so many places are allowed; 0: the usual number */
	uint32_t pid;        /* of this process alone; 0: wherever the file is mapped */
	VEC(struct uprobe) places;
};

/*
 * Can the kernel take many places as one link? Asked by making one; programs that are to be
 * attached so must be loaded for it.
 */
bool uprobes_have_multi(void);
void uprobes_load_for_multi(struct bpf_program *program);

/* Adds links to the kernel's. 0, or -errno with why, which is of `text`. */
int uprobes_attach(
	const struct uprobes *probes, struct kernel *kernel, const char *text, struct why *why);

#endif
