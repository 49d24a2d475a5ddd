// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A demangled C++ function is "RETURN NAME(PARAMETERS) QUALIFIERS [clone .SUFFIX]", where only
 * templates have a return type. It is read from its end: what does not have that shape is no such
 * name and stays. Compared with libiberty's own short form of all names in libLLVM and libstdc++.
 */
#include "format/tidy_name.h"

#include <stdbool.h>
#include <string.h>

#include "format/perf_line.h"
#include "symbol/demangle.h"
#include "util/mem.h"

/* Longer ones are cut when they are shown, and would only cost time here. */
#define MAX_NAME_BYTES 65536
#define HASH_DIGITS 16

static bool is_word(char letter)
{
	return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
	       (letter >= '0' && letter <= '9') || letter == '_' || letter == '$';
}

static bool starts_with(struct span span, const char *text)
{
	size_t length = strlen(text);

	return span.length >= length && !memcmp(span.at, text, length);
}

/* Takes the end off the name if it is that. */
static bool take_end(struct span *name, const char *end)
{
	if (!span_ends_with(*name, end))
		return false;
	name->length -= strlen(end);
	return true;
}

/* The index of the bracket that the last letter closes; the length if there is none. */
static size_t find_open(struct span name, char open, char close)
{
	size_t depth = 0;

	if (!name.length || name.at[name.length - 1] != close)
		return name.length;
	for (size_t i = name.length; i--;) {
		depth += name.at[i] == close;
		depth -= name.at[i] == open;
		if (!depth)
			return i;
	}
	return name.length;
}

/* Where the suffixes begin that compilers append, " [clone .cold]" or " (.cold)"; of one piece. */
static size_t start_of_clones(struct span name)
{
	for (;;) {
		size_t square = find_open(name, '[', ']'), round = find_open(name, '(', ')');
		struct span last = {name.at + square, name.length - square};
		bool is_clone = starts_with(last, "[clone .");

		if (!is_clone) {
			square = round;
			last = (struct span){name.at + round, name.length - round};
			is_clone = starts_with(last, "(.");
		}
		if (!is_clone || square < 2 || name.at[square - 1] != ' ')
			return name.length;
		name.length = square - 1;
	}
}

/* " [clone .part.0] [clone .llvm.12]" as ".part.0"; room is as long as the text. */
static size_t write_clones(struct span clones, char *room)
{
	size_t written = 0;

	while (clones.length) {
		const char *point = memchr(clones.at, '.', clones.length);
		if (!point)
			break;
		size_t skipped = (size_t)(point - clones.at), length = 0;
		clones = (struct span){point, clones.length - skipped};
		while (length < clones.length && !strchr("])", clones.at[length]))
			length++;
		/* Of .llvm.NUMBER nothing stays. */
		if (!starts_with(clones, ".llvm.")) {
			memcpy(room + written, clones.at, length);
			written += length;
		}
		clones = (struct span){clones.at + length, clones.length - length};
	}
	return written;
}

static bool is_operator_at(struct span name, size_t at)
{
	static const char word[] = "operator";
	struct span rest = {name.at + at, name.length - at};

	return starts_with(rest, word) && (!at || !is_word(name.at[at - 1])) &&
	       (rest.length == sizeof(word) - 1 || !is_word(rest.at[sizeof(word) - 1]));
}

/* Does the text end with "operator" and at most three signs? */
static bool ends_with_operator(struct span name)
{
	size_t signs = 0;

	while (signs < 4 && signs < name.length && !is_word(name.at[name.length - 1 - signs]))
		signs++;
	return name.length - signs >= 8 && is_operator_at(name, name.length - signs - 8);
}

/* May parameters stand behind this? "f(int)", "f<int>(int)", "operator()(int)", but not "a::(b)"
 * and not the "(*f())()" of functions that return pointers to functions. */
static bool may_have_parameters(struct span head, struct span parameters)
{
	char last = head.length ? head.at[head.length - 1] : ' ';

	if (span_ends_with(head, "operator"))
		return parameters.length > 2;
	if (is_word(last) || strchr(">]}", last) || ends_with_operator(head))
		return true;
	/* "operator char*()" */
	return strchr("*&", last) && parameters.length == 2 &&
	       memmem(head.at, head.length, "operator ", 9);
}

/* Behind a space: part of a name and no border, as in "f() const::{lambda()#1}". */
static bool is_qualifier_at(struct span rest)
{
	return starts_with(rest, "const::") || starts_with(rest, "const &") ||
	       starts_with(rest, "volatile::") || starts_with(rest, "&::") ||
	       starts_with(rest, "&&::") || starts_with(rest, "[clone ");
}

/* What a name's parts are. */
struct shape {
	size_t start;    /* of the name, behind the return type */
	bool is_foreign; /* with dots between its parts: Java, Go; or a thunk or a table for another
			  */
};

static struct shape shape_of(struct span head)
{
	struct shape shape = {0};
	size_t depth = 0;

	for (size_t i = 0; i < head.length; i++) {
		char letter = head.at[i];
		struct span rest = {head.at + i + 1, head.length - i - 1};
		if (strchr("<([{", letter)) {
			depth++;
		} else if (strchr(">)]}", letter)) {
			depth -= depth > 0;
		} else if (!depth && letter == 'o' && is_operator_at(head, i)) {
			/* Signs and types follow, and no return type any more. */
			break;
		} else if (!depth && letter == '.') {
			shape.is_foreign = true;
		} else if (!depth && letter == ' ') {
			shape.is_foreign |= starts_with(rest, "for ") || starts_with(rest, "to ");
			if (!is_qualifier_at(rest))
				shape.start = i + 1;
		}
	}
	return shape;
}

static char *tidy_cplusplus(struct span name)
{
	bool is_plt = take_end(&name, "@plt");
	struct span clones = {name.at + start_of_clones(name), 0};

	clones.length = (size_t)(name.at + name.length - clones.at);
	name.length -= clones.length;
	struct span head = name;
	while (take_end(&head, " const") || take_end(&head, " volatile") || take_end(&head, " &") ||
		take_end(&head, " &&"))
		;
	size_t open = find_open(head, '(', ')');
	struct span parameters = {head.at + open, head.length - open};
	head.length = open;
	bool has_parameters = parameters.length && may_have_parameters(head, parameters);
	struct shape shape = shape_of(has_parameters ? head : name);
	if (!has_parameters)
		head = name;
	if (shape.is_foreign || (!has_parameters && !clones.length))
		return NULL;
	if (has_parameters) {
		head.at += shape.start;
		head.length -= shape.start;
	}
	char *tidy = xmalloc(head.length + clones.length + sizeof("@plt"));
	memcpy(tidy, head.at, head.length);
	size_t length = head.length + write_clones(clones, tidy + head.length);
	memcpy(tidy + length, is_plt ? "@plt" : "", is_plt ? 5 : 1);
	return tidy;
}

/*
 * A Rust name that was demangled as if it were C++, "a::_$LT$b$GT$::c::h0123456789abcdef", is
 * mangled again for the demangler that knows what the signs mean.
 */
static char *tidy_rust(struct span name)
{
	size_t hash_at = name.length - HASH_DIGITS;
	_cleanup_free_ char *mangled = NULL;
	size_t size;

	if (name.length < HASH_DIGITS + 4 || memcmp(name.at + hash_at - 3, "::h", 3))
		return NULL;
	for (size_t i = hash_at; i < name.length; i++)
		if (!strchr("0123456789abcdef", name.at[i]))
			return NULL;
	FILE *out = open_memstream(&mangled, &size);
	if (!out)
		return NULL;
	fputs("_ZN", out);
	while (name.length) {
		const char *colons = memmem(name.at, name.length, "::", 2);
		size_t length = colons ? (size_t)(colons - name.at) : name.length;
		size_t taken = colons ? length + 2 : length;
		fprintf(out, "%zu%.*s", length, (int)length, name.at);
		name = (struct span){name.at + taken, name.length - taken};
	}
	fputc('E', out);
	fclose(out);
	return demangle(mangled);
}

char *tidy_name(const char *name, size_t length)
{
	struct span span = {name, length};
	char *tidy = NULL;

	if (!length || length > MAX_NAME_BYTES)
		return NULL;
	if (*name == '_' && length > 3 && (name[1] == 'Z' || name[1] == 'R')) {
		_cleanup_free_ char *copy = xstrndup(name, length);
		tidy = demangle(copy);
	} else {
		tidy = tidy_rust(span);
		/* Nearly all names are of C. */
		if (!tidy && (memchr(name, '(', length) || memchr(name, '[', length)))
			tidy = tidy_cplusplus(span);
	}
	if (tidy && !*tidy) {
		free(tidy);
		tidy = NULL;
	}
	return tidy;
}
