// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames of `perf script`: "ffffffff821f7d98 __schedule+0x618 ([kernel.kallsyms])". */
#include <string.h>

#include "format/perf_line.h"
#include "util/mem.h"

#define KERNEL_HALF 0x8000000000000000ULL

static int hex_of(char letter)
{
	if (letter >= '0' && letter <= '9')
		return letter - '0';
	return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* Hex digits at the start of the span; their number. */
static size_t parse_hex(struct span span, uint64_t *ret)
{
	uint64_t number = 0;
	size_t i = 0;

	for (; i < span.length && i < 17 && hex_of(span.at[i]) >= 0; i++)
		number = number << 4 | (uint64_t)hex_of(span.at[i]);
	if (i && i < 17)
		*ret = number;
	return i < 17 ? i : 0;
}

/* The parenthesis that the last one of the span closes, "(/tmp/x (deleted))"; NULL if none does. */
static const char *find_open(struct span span)
{
	size_t depth = 0;

	if (!span.length || span.at[span.length - 1] != ')')
		return NULL;
	for (size_t i = span.length; i--;) {
		depth += span.at[i] == ')';
		depth -= span.at[i] == '(';
		if (!depth)
			return span.at + i;
	}
	return NULL;
}

/* "name+0x12": takes the offset off. */
static struct span without_offset(struct span name, uint64_t *ret_offset)
{
	const char *plus = name.length ? memrchr(name.at, '+', name.length) : NULL;

	if (!plus || plus == name.at || name.at + name.length - plus < 4 || plus[1] != '0' ||
		plus[2] != 'x')
		return name;
	struct span digits = {plus + 3, (size_t)(name.at + name.length - (plus + 3))};
	if (parse_hex(digits, ret_offset) != digits.length)
		return name;
	name.length = (size_t)(plus - name.at);
	return name;
}

static bool starts_with(struct span span, const char *text)
{
	size_t length = strlen(text);

	return span.length >= length && !memcmp(span.at, text, length);
}

/* Modules are "[name]" or a file .ko, perhaps compressed; bpf_prog_ has an address of its own. */
static bool is_kernel_object(struct span object)
{
	static const char *const not_kernel[] = {"[vdso]", "[vsyscall]", "[unknown]", "[heap]",
		"[stack]", "[anon]", "[uprobes]", "[vvar]"};
	static const char *const files[] = {".ko", ".ko.xz", ".ko.gz", ".ko.zst", "/vmlinux"};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (span_ends_with(object, files[i]))
			return true;
	for (size_t i = 0; i < sizeof(not_kernel) / sizeof(not_kernel[0]); i++)
		if (span_equals(object, not_kernel[i]))
			return false;
	return (object.length > 2 && object.at[0] == '[' && object.at[object.length - 1] == ']' &&
		       object.at[1] != '/' && !starts_with(object, "[anon:")) ||
	       starts_with(object, "[kernel.") || starts_with(object, "[guest.kernel");
}

bool perf_frame_parse(struct span line, struct perf_frame *ret)
{
	struct perf_frame frame = {0};
	size_t digits = parse_hex(line, &frame.address);

	if (!digits || (digits < line.length && line.at[digits] != ' ' && line.at[digits] != '\t'))
		return false;
	struct span rest = span_trim((struct span){line.at + digits, line.length - digits});
	const char *open = find_open(rest);
	/* "f(int)" is a name: an object stands behind a blank. */
	if (open && (open == rest.at || open[-1] == ' ')) {
		frame.object = (struct span){open + 1, (size_t)(rest.at + rest.length - open - 2)};
		rest = span_trim((struct span){rest.at, (size_t)(open - rest.at)});
	}
	frame.name = without_offset(rest, &frame.offset);
	struct span object = without_offset(frame.object, &frame.place);
	frame.has_place = object.length < frame.object.length;
	frame.object = object;
	if (span_equals(frame.name, "[unknown]"))
		frame.name.length = 0;
	if (span_equals(frame.object, "inlined")) {
		frame.is_inlined = true;
		frame.object.length = 0;
	}
	frame.is_kernel = frame.address >= KERNEL_HALF || is_kernel_object(frame.object);
	*ret = frame;
	return true;
}

bool perf_frame_is_jit(const struct perf_frame *frame)
{
	return starts_with(frame->object, "/tmp/perf-") || starts_with(frame->object, "[JIT]") ||
	       span_equals(frame->object, "//anon") || starts_with(frame->object, "[anon");
}

char *perf_frame_label(const struct perf_frame *frame)
{
	struct span base = frame->object;

	if (!base.length || span_equals(base, "[unknown]"))
		return NULL;
	if (frame->is_kernel && (starts_with(base, "[kernel.") || span_ends_with(base, "/vmlinux")))
		return xstrdup("[kernel]");
	/* "//anon", but also "/tmp/a/" */
	const char *slash = memrchr(base.at, '/', base.length);
	if (slash && slash + 1 < base.at + base.length) {
		base.length -= (size_t)(slash + 1 - base.at);
		base.at = slash + 1;
	}
	if (frame->has_place)
		return xasprintf(
			"%.*s+0x%llx", (int)base.length, base.at, (unsigned long long)frame->place);
	if (*base.at == '[')
		return xstrndup(base.at, base.length);
	return xasprintf("[%.*s]", (int)base.length, base.at);
}

bool perf_line_is_source(struct span line)
{
	struct span text = span_trim(line);
	size_t digits = 0;

	if (!text.length || line.at[0] != ' ')
		return false;
	const char *note = memmem(text.at, text.length, " (discriminator ", 16);
	if (note)
		text.length = (size_t)(note - text.at);
	while (digits < text.length && text.at[text.length - 1 - digits] >= '0' &&
		text.at[text.length - 1 - digits] <= '9')
		digits++;
	/* Without debug information the object and the address stand there: "libc.so.6[29d90]". */
	if (!digits)
		return text.at[text.length - 1] == ']' && memchr(text.at, '[', text.length);
	return digits < text.length && text.at[text.length - 1 - digits] == ':';
}
