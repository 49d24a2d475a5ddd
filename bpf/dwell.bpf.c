// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel side is one unit: its programs share maps and settings, and the functions on the path
 * of a switch want to be one piece of code. Programs are in these files, what they share in
 * headers.
 */
#include "state.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* In the order in which they are loaded: small ones first, so that a kernel that refuses says so at
 * once. */
#include "metal.bpf.c"
#include "work.bpf.c"
#include "awaited.bpf.c"
#include "switch.bpf.c"
#include "threads.bpf.c"
#include "sample.bpf.c"
#include "iterate.bpf.c"
#include "event.bpf.c"
#include "call.bpf.c"
#include "allocation.bpf.c"
#include "growth.bpf.c"
#include "window.bpf.c"
