/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of the check, for check.c alone: each appends its facts. `check` carries from part to
 * part what later ones need to know.
 */
#ifndef DWELL_CHECK_PARTS_H
#define DWELL_CHECK_PARTS_H

#include <linux/capability.h>
#include <stdint.h>

#include "check/facts.h"

struct btf;

struct check {
	struct facts *facts;
	uint64_t capabilities;
	bool is_initial_user_namespace;
	bool can_create_maps;
	bool can_load; /* tracing programs */
	struct btf *btf;
	char *setcap; /* the command that gives dwell its capabilities */
};

/* Does this process hold the capability (or CAP_SYS_ADMIN where that is as good), in earnest: in
 * the initial user namespace? */
bool check_holds(const struct check *check, int capability);

/* check_user.c: rights. The first fills capabilities and is_initial_user_namespace. */
void check_rights_needed(struct check *check);
void check_rights_helpful(struct check *check);

/* check_kernel.c: tries. Fills btf (caller frees), can_create_maps and can_load. */
void check_kernel_needed(struct check *check);
/* Programs for on-CPU samples, their clocks, and whether programs are compiled. */
void check_kernel_helpful(struct check *check);

/* check_machine.c: settings and limits. */
void check_settings(struct check *check);
void check_memory(struct check *check, uint64_t memory_bytes);
void check_machine(struct check *check);

#endif
