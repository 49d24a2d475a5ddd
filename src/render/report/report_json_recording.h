/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the report's data says of the recording as such, whatever the filters. */
#ifndef DWELL_RENDER_REPORT_JSON_RECORDING_H
#define DWELL_RENDER_REPORT_JSON_RECORDING_H

#include "profile/summary/summary.h"
#include "util/json.h"

/* "recording", "accounting" and "cost", as fields of the open object. */
void report_json_recording(struct json *json, const struct summary *summary, const char *file);

#endif
