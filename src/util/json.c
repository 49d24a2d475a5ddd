// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON, written as it comes. */
#include "util/json.h"

#include <math.h>
#include <stdlib.h>

#include "util/text.h"

void json_init(struct json *json, FILE *out)
{
	*json = (struct json){.out = out};
}

static void before_value(struct json *json)
{
	if (json->needs_comma && !json->is_after_name)
		putc(',', json->out);
	json->needs_comma = true;
	json->is_after_name = false;
}

static void open_with(struct json *json, char bracket)
{
	before_value(json);
	putc(bracket, json->out);
	json->needs_comma = false;
}

static void close_with(struct json *json, char bracket)
{
	putc(bracket, json->out);
	json->needs_comma = true;
}

void json_open_object(struct json *json)
{
	open_with(json, '{');
}

void json_close_object(struct json *json)
{
	close_with(json, '}');
}

void json_open_array(struct json *json)
{
	open_with(json, '[');
}

void json_close_array(struct json *json)
{
	close_with(json, ']');
}

/* As JSON has it: characters beyond 16 bits are two. */
static void put_code(FILE *out, uint32_t code)
{
	if (code > 0xffff) {
		fprintf(out, "\\u%04x", 0xd800 + ((code - 0x10000) >> 10));
		code = 0xdc00 + ((code - 0x10000) & 0x3ff);
	}
	fprintf(out, "\\u%04x", code);
}

/* The data stay exact, and whoever looks at them on a terminal is not fooled. */
static void put_escaped(FILE *out, const char *text)
{
	putc('"', out);
	while (*text) {
		size_t length = text_utf8_length(text);
		unsigned char c = (unsigned char)*text;

		if (!length) {
			fputs("\\ufffd", out);
			length = 1;
		} else if (c == '"' || c == '\\') {
			putc('\\', out);
			putc(c, out);
		} else if (text_is_unsafe(text_code(text, length))) {
			put_code(out, text_code(text, length));
		} else {
			fwrite(text, 1, length, out);
		}
		text += length;
	}
	putc('"', out);
}

void json_name(struct json *json, const char *name)
{
	before_value(json);
	put_escaped(json->out, name);
	putc(':', json->out);
	json->is_after_name = true;
}

void json_text(struct json *json, const char *text)
{
	before_value(json);
	put_escaped(json->out, text);
}

void json_uint(struct json *json, uint64_t number)
{
	before_value(json);
	fprintf(json->out, "%llu", (unsigned long long)number);
}

void json_int(struct json *json, int64_t number)
{
	before_value(json);
	fprintf(json->out, "%lld", (long long)number);
}

void json_double(struct json *json, double number)
{
	char digits[40];

	if (!isfinite(number)) {
		json_null(json);
		return;
	}
	before_value(json);
	for (int precision = 6; precision <= 17; precision++) {
		snprintf(digits, sizeof(digits), "%.*g", precision, number);
		if (strtod(digits, NULL) == number)
			break;
	}
	fputs(digits, json->out);
}

void json_bool(struct json *json, bool value)
{
	before_value(json);
	fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json)
{
	before_value(json);
	fputs("null", json->out);
}

void json_field_text(struct json *json, const char *name, const char *text)
{
	json_name(json, name);
	json_text(json, text);
}

void json_field_uint(struct json *json, const char *name, uint64_t number)
{
	json_name(json, name);
	json_uint(json, number);
}

void json_field_double(struct json *json, const char *name, double number)
{
	json_name(json, name);
	json_double(json, number);
}

void json_field_bool(struct json *json, const char *name, bool value)
{
	json_name(json, name);
	json_bool(json, value);
}

void json_end(struct json *json)
{
	putc('\n', json->out);
}
