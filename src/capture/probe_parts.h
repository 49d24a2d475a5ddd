/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of the probe, for probe.c alone: each appends its facts. `probe` carries from part to
 * part what later ones need to know.
 */
#ifndef DWELL_CAPTURE_PROBE_PARTS_H
#define DWELL_CAPTURE_PROBE_PARTS_H

#include <linux/capability.h>
#include <stdint.h>

#include "capture/facts.h"

struct btf;

struct probe {
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
bool probe_holds(const struct probe *probe, int capability);

/* probe_user.c: rights. The first fills capabilities and is_initial_user_namespace. */
void probe_rights_needed(struct probe *probe);
void probe_rights_helpful(struct probe *probe);

/* probe_kernel.c: tries. Fills btf (caller frees), can_create_maps and can_load. */
void probe_kernel_needed(struct probe *probe);
/* Programs for on-CPU samples, their clocks, and whether programs are compiled. */
void probe_kernel_helpful(struct probe *probe);

/* probe_machine.c: settings and limits. */
void probe_settings(struct probe *probe);
void probe_memory(struct probe *probe, uint64_t memory_bytes);
void probe_machine(struct probe *probe);

#endif
