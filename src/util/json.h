/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A streaming JSON writer: commas, nesting and escapes are its job, the shape is the caller's. Text
 * that is not UTF-8 has its bad bytes replaced by U+FFFD, so that the output always parses. Write
 * errors are the stream's (ferror).
 */
#ifndef DWELL_UTIL_JSON_H
#define DWELL_UTIL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	bool needs_comma;
	bool is_after_name;
};

/* Borrows the stream. */
void json_init(struct json *json, FILE *out);

void json_open_object(struct json *json);
void json_close_object(struct json *json);
void json_open_array(struct json *json);
void json_close_array(struct json *json);
/* The name of the next value in an object. */
void json_name(struct json *json, const char *name);

void json_text(struct json *json, const char *text);
void json_uint(struct json *json, uint64_t number);
void json_int(struct json *json, int64_t number);
/* Shortest form that reads back the same; not a number becomes null. */
void json_double(struct json *json, double number);
void json_bool(struct json *json, bool value);
void json_null(struct json *json);

/* Name and value in one call. */
void json_field_text(struct json *json, const char *name, const char *text);
void json_field_uint(struct json *json, const char *name, uint64_t number);
void json_field_double(struct json *json, const char *name, double number);
void json_field_bool(struct json *json, const char *name, bool value);

/* Ends the document with a newline. */
void json_end(struct json *json);

#endif
