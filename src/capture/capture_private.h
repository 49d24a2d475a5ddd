/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The session of a recording: capture.c leads it through its life, capture_summary.c tells what it
 * came to. */
#ifndef DWELL_CAPTURE_CAPTURE_PRIVATE_H
#define DWELL_CAPTURE_CAPTURE_PRIVATE_H

#include <sys/utsname.h>

#include "capture/books.h"
#include "capture/capture.h"
#include "capture/hurry.h"
#include "capture/namer.h"
#include "capture/surroundings.h"
#include "capture/unwinding.h"
#include "kernel/drain.h"
#include "kernel/kernel.h"
#include "symbol/outside/outside.h"
#include "util/background.h"

struct capture {
	struct capture_options options;
	struct outside outside;
	struct helpers *makers;
	struct recording_writer *writer;
	struct background reading; /* of the symbols */
	struct kernel_symbols *symbols;
	struct kernel *kernel;
	struct drain *drain;
	struct namer *namer;
	struct own_code own; /* of the kernel side */
	struct books *books;
	struct unwinding *unwinding; /* NULL: user stacks are not walked by table */
	struct rec_meta meta;
	uint64_t made_ns;
	uint64_t bare_peak_bytes; /* of memory, when no table was mapped yet */
	struct utsname system;
	int usual_nice;
	struct hurry hurry;
	uint64_t cpu_before_ns; /* used before the window was open */
	struct surroundings around;
	uint64_t start_ns;
	uint64_t planned_end_ns;  /* 0: none */
	uint64_t end_ns;          /* 0: still open */
	uint32_t slices;          /* whole ones written */
	uint32_t last_slice;      /* that is there, whole or not */
	uint32_t looked_at_slice; /* last one of which it is told what was resident */
	struct capture_price price;
	VEC(struct capture_calls) calls; /* by function */
	VEC(char *) call_rules;          /* which of its calls are slow, in words */
	struct capture_call_price call_price;
};

/* CPU time of dwell and its helpers so far, in user space. */
uint64_t capture_own_cpu_ns(struct capture *capture);
/* Memory of this process at its peak so far, tables that are mapped here included. 0: not known. */
uint64_t capture_peak_bytes(void);
/* At its peak so far, with helpers, without tables. */
uint64_t capture_own_memory_bytes(struct capture *capture);

/* What is known when the programs are loaded. */
void capture_init_meta(struct capture *capture);
/* Which events are counted. */
void capture_write_measures(struct capture *capture);
/* Costs, losses and sums until that moment. */
void capture_write_summary(struct capture *capture, uint64_t until_ns);

#endif
