// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A probe is a breakpoint in the code of every process that has the file, and a watched return a
 * changed return address on its stack: most programs never notice, and these would.
 */
#include "kernel/event_guard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "elf/usdt.h"
#include "kernel/event_file.h"
#include "kernel/open.h"
#include "symbol/outside/outside.h"
#include "symbol/outside/parser.h"

/* Its return addresses are taken off the stack by a probe on returns. */
int event_guard_returns(const struct event *event, struct outside *outside,
	const struct event_file *file, struct why *why)
{
	enum elf_unwinds kind;
	int error = event->is_return ? parser_unwinds(outside->parsers, file->fd, &kind) : 0;

	if (error == -ENOEXEC)
		return event_file_refuse(file, why);
	if (error)
		return why_set(why, -EINVAL, "cannot read %s: %s", file->said, strerror(-error));
	if (!event->is_return || kind == ELF_UNWINDS_NOT)
		return 0;
	return why_set(why, -EINVAL,
		"-e %s: %s %s, and watching a return would end the program; watch the call: "
		"uprobe:%s:%s",
		event->text, file->said,
		kind == ELF_UNWINDS_GO         ? "is of Go, which moves stacks"
		: kind == ELF_UNWINDS_SWITCHES ? "has coroutines, which exchange stacks"
					       : "has functions that exceptions pass through",
		event->path, event->function);
}

static int say_within(const struct event *event, const struct parser_function *function,
	const struct elf_offset *offset, struct why *why)
{
	char behind[sizeof(" and +0x") + 16] = "";

	if (offset->behind)
		snprintf(behind, sizeof(behind), " and +0x%" PRIx64, offset->behind);
	return why_set(why, -EINVAL,
		"-e %s: no instruction of %s begins at +0x%" PRIx64 "; near it %s +0x%" PRIx64 "%s",
		event->text, function->name, event->offset, offset->behind ? "do" : "does",
		offset->before, behind);
}

/* A breakpoint within an instruction would end the program, or make it do something else. */
static int check_offset(const struct event *event, struct outside *outside,
	const struct event_file *file, const struct parser_function *function, struct why *why)
{
	struct elf_offset offset;
	int error = parser_offset(outside->parsers, file->fd, function, event->offset, &offset);

	if (error)
		return why_set(why, -EINVAL, "-e %s: cannot read %s: %s", event->text, file->said,
			strerror(-error));
	switch ((enum elf_offset_kind)offset.kind) {
	case ELF_OFFSET_FITS:
		return 0;
	case ELF_OFFSET_BEHIND:
		return why_set(why, -EINVAL, "-e %s: %s has only %" PRIu64 " bytes", event->text,
			function->name, offset.bytes);
	case ELF_OFFSET_WITHIN:
		return say_within(event, function, &offset, why);
	case ELF_OFFSET_NOP5:
		return why_set(why, -EINVAL,
			"-e %s: a nop of 5 bytes is there, of which newer kernels make a call that "
			"ends forked children; give the place behind it: +0x%" PRIx64,
			event->text, event->offset + 5);
	case ELF_OFFSET_MACHINE:
		return why_set(why, -EINVAL,
			"-e %s: where instructions begin within a function is known for x86-64 "
			"only; watch the call: uprobe:%s:%s",
			event->text, event->path, event->function);
	default:
		return why_set(why, -EINVAL,
			"-e %s: at +0x%" PRIx64 " of %s is no instruction that is known, so "
			"whether one begins at +0x%" PRIx64
			" is not known either; watch the call: uprobe:%s:%s",
			event->text, offset.before, function->name, event->offset, event->path,
			event->function);
	}
}

int event_guard_offsets(const struct event *event, struct outside *outside,
	const struct event_file *file, const struct parser_function *found, size_t count,
	struct why *why)
{
	int error = 0;

	for (size_t i = 0; i < count && !error && event->offset; i++)
		error = check_offset(event, outside, file, &found[i], why);
	return error;
}

/* Registers hold arguments where a function begins, and anything behind. */
int event_guard_numbers(const struct event *event, struct why *why)
{
	if (!event->offset || (!event->sum && !event->tested))
		return 0;
	return why_set(why, -EINVAL,
		"-e %s: arguments are there at the call's beginning: leave +0x%" PRIx64
		" out, or %s",
		event->text, event->offset, event->sum ? "--sum" : "--if");
}

/* Where a mark is, its authors have said, and behind it other registers may hold its arguments. */
int event_guard_marks(const struct event *event, const struct elf_usdt_place *found, size_t count,
	struct why *why)
{
	for (size_t i = 0; i < count; i++)
		if (found[i].is_nop5 && uprobes_become_calls())
			return why_set(why, -ENOTSUP,
				"-e %s: its authors left a nop of 5 bytes for it, of which this "
				"kernel makes a call that ends forked children; one of one byte "
				"can be watched",
				event->text);
	return 0;
}
