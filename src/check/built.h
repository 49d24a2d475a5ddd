/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this program was built from and with: dwell --version. */
#ifndef DWELL_CHECK_BUILT_H
#define DWELL_CHECK_BUILT_H

/*
 * "dwell VERSION", the rest in further lines: revision, compiler, architecture, linking, libraries.
 * No times, paths or names of machines: the same source and tools give the same program. The caller
 * frees it.
 */
char *built_text(void);

#endif
