/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that run on a runtime with a scheduler or code of its own: what a kernel tool cannot see
 * of them, and what gives their functions names. Known by their program's file; Go, whose programs
 * have any name, by its functions.
 */
#ifndef DWELL_PROFILE_SUMMARY_RUNTIMES_H
#define DWELL_PROFILE_SUMMARY_RUNTIMES_H

#include "recording/reader.h"
#include "util/vec.h"

enum runtime_kind { RUNTIME_JAVA, RUNTIME_NODE, RUNTIME_PYTHON, RUNTIME_GO, RUNTIMES };

struct runtime {
	enum runtime_kind kind;
	const char *process; /* name */
	uint32_t pid;        /* of the busiest one */
	uint64_t busy_ns;    /* of all */
	uint64_t most_ns;    /* of the busiest */
	bool has_names;      /* of code that was made at run time: no need to ask for them */
};

typedef VEC(struct runtime) runtime_list;

/* Counts a thread's busy time, if its process runs on a runtime. */
void runtimes_add(runtime_list *runtimes, const struct rec_process *process, uint64_t busy_ns);
/* Looks for a runtime that shows by the names of its functions, and for names of generated code. */
void runtimes_add_frames(runtime_list *runtimes, const struct recording *recording);
/* Sorts, and drops those with less than a twentieth of all busy time. */
void runtimes_finish(runtime_list *runtimes, uint64_t all_ns);
/* "java 4711: waits of virtual threads ... ; names: jcmd 4711 Compiler.perfmap". Caller frees. */
char *runtime_text(const struct runtime *runtime);
/* "java 4711: objects on its own heap are not seen ...". Caller frees. */
char *runtime_memory_text(const struct runtime *runtime);

#endif
