// SPDX-License-Identifier: GPL-2.0-or-later
/* uprobe_multi is made by the system call itself: libbpf 1.1 does not know it. */
#include "kernel/uprobes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/private.h"
#include "util/mem.h"

/* include/uapi/linux/bpf.h, since 6.6. */
#define ATTACH_UPROBE_MULTI 48
#define MULTI_RETURN 1U
/* Without multi, each place is a link that the kernel takes its time to undo. */
#define MOST_LINKS 16

/* The part of union bpf_attr for such links. */
struct multi_order {
	uint32_t program_fd;
	uint32_t target_fd;
	uint32_t attach_type;
	uint32_t flags;
	uint64_t path;
	uint64_t offsets;
	uint64_t semaphores;
	uint64_t cookies;
	uint32_t count;
	uint32_t multi_flags;
	uint32_t pid;
	uint32_t pad;
};

static int make_multi(struct multi_order *order)
{
	return (int)syscall(SYS_bpf, BPF_LINK_CREATE, order, sizeof(*order));
}

bool uprobes_have_multi(void)
{
	const struct bpf_insn instructions[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options);
	/* The head of our own file, which nobody runs. */
	uint64_t offset = 0;
	struct multi_order order = {.attach_type = ATTACH_UPROBE_MULTI,
		.path = (uintptr_t) "/proc/self/exe",
		.offsets = (uintptr_t)&offset,
		.count = 1};

	options.expected_attach_type = (enum bpf_attach_type)ATTACH_UPROBE_MULTI;
	_cleanup_close_ int program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "dwell_multi", "GPL",
		instructions, ARRAY_SIZE(instructions), &options);
	if (program < 0)
		return false;
	order.program_fd = (uint32_t)program;
	_cleanup_close_ int link = make_multi(&order);
	return link >= 0;
}

void uprobes_load_for_multi(struct bpf_program *program)
{
	bpf_program__set_expected_attach_type(program, (enum bpf_attach_type)ATTACH_UPROBE_MULTI);
}

static int say_refused(const char *text, int error, struct why *why)
{
	if (error == EPERM || error == EACCES)
		return why_set(
			why, -EPERM, "the kernel does not let us watch %s; see dwell check", text);
	return why_set(why, -ENOTSUP, "cannot watch %s: %s; see dwell check, or record without it",
		text, strerror(error));
}

static int attach_multi(
	const struct uprobes *probes, struct kernel *kernel, const char *text, struct why *why)
{
	size_t count = probes->places.count;
	_cleanup_free_ uint64_t *numbers = xcalloc(3 * count, sizeof(*numbers));
	char path[sizeof("/proc/self/fd/") + 11];
	bool has_semaphores = false;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", probes->fd);
	for (size_t i = 0; i < count; i++) {
		numbers[i] = probes->places.at[i].offset;
		numbers[count + i] = probes->places.at[i].cookie;
		numbers[2 * count + i] = probes->places.at[i].semaphore;
		has_semaphores |= probes->places.at[i].semaphore != 0;
	}
	struct multi_order order = {.program_fd = (uint32_t)bpf_program__fd(probes->program),
		.attach_type = ATTACH_UPROBE_MULTI,
		.path = (uintptr_t)path,
		.offsets = (uintptr_t)numbers,
		.cookies = (uintptr_t)(numbers + count),
		.semaphores = has_semaphores ? (uintptr_t)(numbers + 2 * count) : 0,
		.count = (uint32_t)count,
		.multi_flags = probes->is_return ? MULTI_RETURN : 0,
		.pid = probes->pid};
	int fd = make_multi(&order);
	if (fd < 0)
		return say_refused(text, errno, why);
	vec_push(&kernel->link_fds, fd);
	return 0;
}

int uprobes_attach(
	const struct uprobes *probes, struct kernel *kernel, const char *text, struct why *why)
{
	char path[sizeof("/proc/self/fd/") + 11];

	if (probes->has_multi)
		return attach_multi(probes, kernel, text, why);
	uint32_t most = probes->most_links ? probes->most_links : MOST_LINKS;
	if (probes->places.count > most)
		return why_set(why, -E2BIG,
			"%s: %zu places are too many for this kernel, which would need seconds to "
			"take "
			"them away again; up to %u are possible, more from Linux 6.6 on",
			text, probes->places.count, most);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", probes->fd);
	vec_each (place, &probes->places) {
		LIBBPF_OPTS(bpf_uprobe_opts, options, .bpf_cookie = place->cookie,
			.ref_ctr_offset = place->semaphore, .retprobe = probes->is_return);
		struct bpf_link *link = bpf_program__attach_uprobe_opts(probes->program,
			probes->pid ? (pid_t)probes->pid : -1, path, place->offset, &options);
		if (!link)
			return say_refused(text, errno, why);
		vec_push(&kernel->links, link);
	}
	return 0;
}
