/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts that people have and dwell does not read, known by how they begin: so that a refusal can
 * say what the text is, and what to do with it. Private to src/format/.
 */
#ifndef DWELL_FORMAT_FOREIGN_H
#define DWELL_FORMAT_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * "the output of sample (macOS): fold it with ..."; NULL if it is nothing of the kind. is_certain:
 * only what cannot be a text that dwell reads.
 */
const char *foreign_text(const char *text, size_t length, bool is_certain);

#endif
