// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel says which of its functions can be watched (tracefs); where it does not, its symbols
 * have to do, and one that cannot be is told when the probe is made.
 */
#include "kernel/call_kernel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/proc_text.h"
#include "util/mem.h"
#include "util/nearest.h"
#include "util/text.h"

#define KPROBE_TYPE "/sys/bus/event_source/devices/kprobe/type"
#define FILTER_FUNCTIONS "/sys/kernel/tracing/available_filter_functions"
/* include/uapi/linux/bpf.h, since 5.18. */
#define ATTACH_KPROBE_MULTI 42

int call_kernel_check(const char *text, struct why *why)
{
	int64_t type;

	if (!proc_text_read_number(KPROBE_TYPE, &type))
		return 0;
	return why_set(why, -ENOTSUP,
		"%s: this kernel was built without kprobes, so that its functions cannot be "
		"watched; system calls can (syscall:NAME)",
		text);
}

static bool is_pattern(const char *name)
{
	return strpbrk(name, "*?[") != NULL;
}

/* The name in a line of one of the two files; NULL: it is no function's. */
static char *name_in(char *line, bool is_of_symbols)
{
	char *at = line, *end;

	if (is_of_symbols) {
		char *type = strchr(line, ' ');
		if (!type || (type[1] != 't' && type[1] != 'T') || type[2] != ' ')
			return NULL;
		at = type + 3;
	}
	end = at + strcspn(at, " \t\n");
	*end = '\0';
	return *at ? at : NULL;
}

int call_kernel_find(const struct call_request *request,
	int (*each)(void *context, const char *name, struct why *why), void *context,
	struct why *why)
{
	const char *pattern = request->function;
	bool is_of_symbols = false, has_found = false;
	_cleanup_free_ char *line = NULL;
	struct nearest nearest;
	size_t room = 0;
	int error = call_kernel_check(request->text, why);

	if (error)
		return error;
	FILE *file = fopen(FILTER_FUNCTIONS, "re");
	if (!file) {
		is_of_symbols = true;
		file = fopen("/proc/kallsyms", "re");
	}
	if (!file)
		return is_pattern(pattern)
			       ? why_set(why, -ENOTSUP,
					 "%s: this kernel does not say which functions it has",
					 request->text)
			       : each(context, pattern, why);
	nearest_init(&nearest, pattern);
	while (!error && getline(&line, &room, file) > 0) {
		const char *name = name_in(line, is_of_symbols);
		if (!name)
			continue;
		if (!fnmatch(pattern, name, 0)) {
			has_found = true;
			error = each(context, name, why);
		} else if (!has_found) {
			nearest_add(&nearest, name);
		}
	}
	fclose(file);
	_cleanup_free_ char *near = has_found ? NULL : nearest_text(&nearest);
	nearest_clear(&nearest);
	if (!error && !has_found)
		error = why_set(why, -EINVAL,
			"this kernel has no function %s that can be watched%s%s; it may have "
			"another name, or be a part of its callers (inlined)",
			pattern, near ? "; near it are " : "", near ? near : "");
	return error;
}

/* The part of union bpf_attr for such links. */
struct multi_order {
	uint32_t program_fd;
	uint32_t target_fd;
	uint32_t attach_type;
	uint32_t flags;
	uint32_t multi_flags;
	uint32_t count;
	uint64_t names;
	uint64_t addresses;
	uint64_t cookies;
};

bool call_kernel_has_multi(void)
{
	const struct bpf_insn instructions[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options);
	const char *name = "vfs_statfs";
	struct multi_order order = {
		.attach_type = ATTACH_KPROBE_MULTI, .count = 1, .names = (uintptr_t)&name};

	options.expected_attach_type = (enum bpf_attach_type)ATTACH_KPROBE_MULTI;
	_cleanup_close_ int program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "dwell_kmulti", "GPL",
		instructions, ARRAY_SIZE(instructions), &options);
	if (program < 0)
		return false;
	order.program_fd = (uint32_t)program;
	_cleanup_close_ int link = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &order, sizeof(order));
	return link >= 0;
}
