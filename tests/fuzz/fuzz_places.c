// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as what places to probe are found by: 'a' and an argument of a USDT probe, 'c' and
 * code, 't' and the format of a tracepoint; all else is a whole ELF file, in which functions, their
 * places and probes are looked for. What comes out keeps what the headers promise.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/file.h"
#include "elf/function.h"
#include "elf/probe_code.h"
#include "elf/probe_offset.h"
#include "elf/probe_place.h"
#include "elf/stack_check.h"
#include "elf/unwinds.h"
#include "elf/usdt.h"
#include "elf/x86_length.h"
#include "host/tracepoint.h"
#include "util/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_argument(const char *text, size_t size)
{
	struct elf_usdt_place place = {.argument_count = 1};

	place.arguments[0] = elf_usdt_argument(text, size);
	if (!elf_usdt_place_is_sound(&place))
		abort();
}

/* Bytes behind an instruction are none of it, and it is not known before all of it is there. */
static void read_length(const uint8_t *data, size_t size)
{
	size_t length = x86_length(data, size);

	if (length > size || length > X86_MAX_LENGTH)
		abort();
	for (size_t count = 0; length && count <= size && count <= length + 1; count++)
		if (x86_length(data, count) != (count < length ? 0 : length))
			abort();
	if (x86_is_nop5(data, size) && length != 5)
		abort();
}

static void read_code(const uint8_t *data, size_t size)
{
	struct stack_check check;
	int64_t distance;

	for (size_t at = 0; at < size && at < 64; at++) {
		struct probe_code code = probe_code_decode(data + at, size - at);
		if (code.kind != PROBE_CODE_OTHER && (!code.bytes || code.bytes > size - at))
			abort();
		read_length(data + at, size - at);
		if (code.kind != PROBE_CODE_OTHER && x86_length(data + at, size - at) != code.bytes)
			abort();
		probe_code_jump(data + at, size - at, &distance);
		if (stack_check_find(data + at, size - at, &check) &&
			(!check.behind || check.behind > check.again || check.again >= size - at))
			abort();
	}
}

static void read_format(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size);
	struct tracepoint tracepoint;

	if (!tracepoint_parse(text, &tracepoint)) {
		if (!tracepoint.name[0])
			abort();
		free(tracepoint_number_fields(&tracepoint));
		tracepoint_clear(&tracepoint);
	}
	free(text);
}

static void probe_functions(
	const struct elf_file *file, const struct elf_function *functions, size_t count)
{
	struct elf_probe *probes = xcalloc(count, sizeof(*probes));

	for (size_t i = 0; i < count; i++)
		probes[i].offset = functions[i].offset;
	elf_probe_places(file, 1, probes, count);
	for (size_t i = 0; i < count; i++)
		if (probes[i].start - probes[i].offset > ELF_PROBE_MAX_BYTES ||
			probes[i].place - probes[i].start > ELF_PROBE_MAX_BYTES ||
			(!probes[i].is_emulated && probes[i].place != probes[i].start))
			abort();
	for (size_t i = 0; i < count && i < 16; i++)
		for (uint64_t wanted = 0; wanted < 32; wanted++) {
			struct elf_offset offset = elf_offset_check(
				file, functions[i].offset, functions[i].bytes, wanted);
			if (!elf_offset_is_sound(&offset, wanted))
				abort();
		}
	free(probes);
}

static void read_probe(const struct elf_file *file, const struct elf_usdt_name *name)
{
	char *provider = xstrndup(name->text, strcspn(name->text, ":"));
	struct elf_usdt_place *places;
	size_t count;

	/* A provider's name may have a colon itself: then another probe is looked for. */
	if (!elf_usdt_places(file, provider, name->text + strlen(provider) + 1, &places, &count)) {
		if (!count || count > ELF_USDT_MAX_PLACES)
			abort();
		for (size_t i = 0; i < count; i++)
			if (!elf_usdt_place_is_sound(&places[i]) ||
				(i && places[i - 1].offset >= places[i].offset))
				abort();
		free(places);
	}
	free(provider);
}

static void read_file(const uint8_t *data, size_t size)
{
	struct elf_function *functions;
	struct elf_usdt_name *names;
	struct elf_file *file;
	size_t count;

	if (elf_file_from_memory(data, size, &file))
		return;
	if (!elf_function_find(file, "*", &functions, &count)) {
		probe_functions(file, functions, count);
		elf_functions_free(functions, count);
	}
	free(elf_function_near(file, "mainn"));
	if (elf_unwinds(file) >= ELF_UNWINDS_KINDS)
		abort();
	if (!elf_usdt_names(file, &names, &count)) {
		for (size_t i = 0; i < count && i < 16; i++)
			read_probe(file, &names[i]);
		elf_usdt_names_free(names, count);
	}
	elf_file_free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	switch (data[0]) {
	case 'a':
		read_argument((const char *)data + 1, size - 1);
		break;
	case 'c':
		read_code(data + 1, size - 1);
		break;
	case 't':
		read_format(data + 1, size - 1);
		break;
	default:
		read_file(data, size);
	}
	return 0;
}
