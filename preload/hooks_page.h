/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page that has nothing but the hooks, also for assembly. */
#ifndef DWELL_PRELOAD_HOOKS_PAGE_H
#define DWELL_PRELOAD_HOOKS_PAGE_H

#define HOOKS_PAGE_BYTES 4096

#ifndef __ASSEMBLER__
extern char hooks_page[] __attribute__((visibility("hidden")));
#endif

#endif
