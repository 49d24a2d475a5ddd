/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which programs cannot be started with a library of ours. */
#ifndef DWELL_HOST_PRELOAD_REFUSAL_H
#define DWELL_HOST_PRELOAD_REFUSAL_H

/*
 * Why a program cannot, in words that go on after its name: "is statically linked"; NULL: it can,
 * as far as its file tells. Scripts are not looked into.
 */
const char *preload_refusal(const char *program);

#endif
