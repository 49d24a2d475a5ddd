/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts as text for people and as JSON. */
#ifndef DWELL_CLI_FACT_TABLE_H
#define DWELL_CLI_FACT_TABLE_H

#include <stdio.h>

#include "check/facts.h"
#include "util/json.h"

/*
 * Group by group, one line per fact: status, name, effect; a fix, where there is one, is a line of
 * its own below, so that it can be copied whole. Effects wrap at `width` columns, fixes never.
 */
void fact_table_print(FILE *out, const struct facts *facts, size_t width);

/* An array of {group, status, name, effect, fix}; fix is null where nothing is to be mended. */
void fact_table_json(struct json *json, const struct facts *facts);

#endif
