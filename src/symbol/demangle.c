// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libiberty behind bounds. It bounds its own recursion, but a short hostile name may stand for an
 * endless text: back references double it again and again. So the text is taken piece by piece, and
 * the piece that is too much ends the work by a jump out of libiberty. The C++ side has nothing on
 * the heap then; the Rust side may leave one decoded identifier there, at most a few kilobytes.
 */
#include "symbol/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

/* libiberty has one, too. */
#undef ARRAY_SIZE
#include "util/mem.h"

#define HASH_DIGITS 16

struct output {
	char text[DEMANGLE_MAX_BYTES];
	size_t count;
	jmp_buf when_full;
};

typedef int (*demangler)(const char *, int, demangle_callbackref, void *);

static void take_piece(const char *piece, size_t count, void *opaque)
{
	struct output *output = opaque;
	size_t room = sizeof(output->text) - output->count;

	if (!count)
		return;
	memcpy(output->text + output->count, piece, count < room ? count : room);
	output->count += count < room ? count : room;
	if (count > room)
		longjmp(output->when_full, 1);
}

static bool run(demangler function, const char *name, struct output *output)
{
	output->count = 0;
	if (setjmp(output->when_full))
		return true;
	return function(name, DMGL_NO_OPTS, take_piece, output) && output->count;
}

/* The end of a legacy Rust name, "17h", 16 hex digits and "E"; NULL if it is none. */
static const char *end_of_legacy_rust(const char *name)
{
	for (const char *at = strstr(name, "17h"); at; at = strstr(at + 1, "17h")) {
		size_t digits = strspn(at + 3, "0123456789abcdef");
		if (digits == HASH_DIGITS && at[3 + HASH_DIGITS] == 'E')
			return at + 3 + HASH_DIGITS + 1;
	}
	return NULL;
}

/* The mangled part ends where the compiler's own suffix begins. */
static const char *end_of(const char *name, bool *ret_is_rust)
{
	const char *end = NULL;

	*ret_is_rust = !strncmp(name, "_R", 2);
	if (!strncmp(name, "_Z", 2))
		end = end_of_legacy_rust(name);
	if (end && (!*end || *end == '.')) {
		*ret_is_rust = true;
		return end;
	}
	return name + strcspn(name, ".");
}

bool demangle_may_help(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

char *demangle(const char *name)
{
	struct output output;
	bool is_rust;
	const char *suffix = end_of(name, &is_rust);

	if (!demangle_may_help(name))
		return NULL;
	_cleanup_free_ char *mangled = xstrndup(name, (size_t)(suffix - name));
	if (!(is_rust && run(rust_demangle_callback, mangled, &output)) &&
		!run(cplus_demangle_v3_callback, mangled, &output))
		return NULL;
	if (!strncmp(suffix, ".llvm.", 6))
		suffix += 6 + strspn(suffix + 6, "0123456789");
	return xasprintf("%.*s%s", (int)output.count, output.text, suffix);
}
