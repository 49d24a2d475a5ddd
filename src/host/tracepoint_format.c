// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text of events/CATEGORY/NAME/format: "name: ", "ID: ", and a line for each field:
 *	field:unsigned int bytes;	offset:28;	size:4;	signed:0;
 * The declaration is C, with its name last, but for the bounds of an array.
 */
#include <errno.h>
#include <string.h>

#include "host/tracepoint.h"
#include "util/vec.h"

/* What every tracepoint has. */
#define COMMON_PREFIX "common_"
#define MAX_FIELDS 256
/* A record is not longer than a page. */
#define MAX_OFFSET 65536

/* The text between prefix and end in one line, or NULL; the caller frees it. */
static char *between(const char *line, const char *prefix, char end)
{
	size_t length = strcspn(line, "\n");
	const char *at = memmem(line, length, prefix, strlen(prefix));

	if (!at)
		return NULL;
	at += strlen(prefix);
	const char *stop = memchr(at, end, length - (size_t)(at - line));
	if (!stop && end != '\n')
		return NULL;
	return xstrndup(at, stop ? (size_t)(stop - at) : length - (size_t)(at - line));
}

static bool parse_number(const char *line, const char *prefix, char end, uint32_t *ret)
{
	_cleanup_free_ char *text = between(line, prefix, end);
	char *stop;

	if (!text || text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	unsigned long number = strtoul(text, &stop, 10);
	if (errno || *stop || number > UINT32_MAX)
		return false;
	*ret = (uint32_t)number;
	return true;
}

static bool is_name_letter(char letter)
{
	return letter == '_' || (letter >= 'a' && letter <= 'z') ||
	       (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
}

/* "char comm[16]", "const char * filename": where the name is; false: there is none. */
static bool find_name(const char *text, size_t *ret_start, size_t *ret_end)
{
	size_t end = strlen(text), start;

	if (end && text[end - 1] == ']')
		while (end && text[end] != '[')
			end--;
	while (end && text[end - 1] == ' ')
		end--;
	for (start = end; start && is_name_letter(text[start - 1]);)
		start--;
	*ret_start = start;
	*ret_end = end;
	return start < end && start;
}

static bool is_number_type(const char *type, const char *bounds, uint32_t bytes)
{
	if (*bounds || strpbrk(type, "[]*(") || strstr(type, "__data_loc") ||
		strstr(type, "__rel_loc") || !strncmp(type, "struct ", 7) ||
		!strncmp(type, "union ", 6))
		return false;
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/* The type with the array's bounds behind it: "char[16]". */
static char *type_of(const char *declaration, size_t start, size_t end)
{
	while (start && declaration[start - 1] == ' ')
		start--;
	return xasprintf("%.*s%s", (int)start, declaration, declaration + end);
}

/* false: the line is none of a field. */
static bool parse_field(const char *line, struct tracepoint_field *ret)
{
	_cleanup_free_ char *declaration = between(line, "field:", ';');
	struct tracepoint_field field = {0};
	uint32_t is_signed;
	size_t start, end;

	if (!declaration || !find_name(declaration, &start, &end) ||
		!parse_number(line, "offset:", ';', &field.offset) ||
		!parse_number(line, "size:", ';', &field.bytes) || field.offset > MAX_OFFSET ||
		field.bytes > MAX_OFFSET)
		return false;
	/* Kernels before 2.6.34 did not say; none of these has BPF. */
	if (!parse_number(line, "signed:", ';', &is_signed))
		is_signed = 0;
	field.is_signed = is_signed;
	field.name = xstrndup(declaration + start, end - start);
	field.type = type_of(declaration, start, end);
	field.is_number = is_number_type(field.type, declaration + end, field.bytes);
	*ret = field;
	return true;
}

int tracepoint_parse(const char *text, struct tracepoint *ret)
{
	VEC(struct tracepoint_field) fields = {0};
	struct tracepoint tracepoint = {0};
	bool has_id = false;

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line != 0) {
		struct tracepoint_field field;
		if (!strncmp(line, "name: ", 6) && !tracepoint.name)
			tracepoint.name = between(line, "name: ", '\n');
		else if (!strncmp(line, "ID: ", 4))
			has_id = parse_number(line, "ID: ", '\n', &tracepoint.id);
		else if (!strncmp(line, "print fmt:", 10))
			break;
		if (line[0] != '\t' || fields.count == MAX_FIELDS || !parse_field(line, &field))
			continue;
		if (strncmp(field.name, COMMON_PREFIX, strlen(COMMON_PREFIX))) {
			vec_push(&fields, field);
		} else {
			free(field.name);
			free(field.type);
		}
	}
	tracepoint.fields = fields.at;
	tracepoint.field_count = fields.count;
	if (!has_id || !tracepoint.name || !tracepoint.name[0]) {
		tracepoint_clear(&tracepoint);
		return -EBADMSG;
	}
	*ret = tracepoint;
	return 0;
}
