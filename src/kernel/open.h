/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the programs of bpf/, of which there are two builds: one that reads the kernel's memory by
 * loads (bpf/load.bpf.h), and one for kernels before 6.2, which reads it by calls. Only the code
 * differs. One build with both ways at each word would take longer to load: the verifier takes the
 * way that is not used out of each place by itself, and moves the whole program each time.
 */
#ifndef DWELL_KERNEL_OPEN_H
#define DWELL_KERNEL_OPEN_H

#include <stdbool.h>

struct dwell;

/* Does this kernel let programs load its words? */
bool programs_have_loads(void);

/*
 * Does it make calls of uprobes that are on nops of 5 bytes (6.18)? A forked child has the call,
 * but not the page that it calls.
 */
bool uprobes_become_calls(void);

/* NULL, and errno, if it cannot be done. */
struct dwell *programs_open(bool has_loads);

#endif
