// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/open.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

#include "contract/event.h"
#include "contract/contract.h"
#include "dwell.skel.h"
#include "util/io.h"
#include "util/mem.h"

#define BTF_PATH "/sys/kernel/btf/vmlinux"
/* The 6.18 that this was tried on has 2.2 MiB of names. */
#define MOST_NAMES (64U << 20)

extern const char programs_by_calls[], programs_by_calls_end[];

static bool read_at(int fd, void *to, size_t bytes, off_t at)
{
	return io_read(fd, to, bytes, at) == (ssize_t)bytes;
}

/*
 * Is there something of that name among the kernel's types? Only the names are looked at: all of
 * them are parsed meanwhile by a thread of its own, and opening programs does not wait for it.
 */
static bool is_named(const char *name, size_t bytes)
{
	_cleanup_close_ int fd = open(BTF_PATH, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *names = NULL;
	struct btf_header header;

	if (fd < 0 || !read_at(fd, &header, sizeof(header), 0) || header.magic != BTF_MAGIC ||
		header.str_len > MOST_NAMES)
		return false;
	names = xmalloc(header.str_len + 1);
	return read_at(fd, names, header.str_len, (off_t)header.hdr_len + header.str_off) &&
	       memmem(names, header.str_len, name, bytes);
}

bool programs_have_loads(void)
{
	static const char name[] = "\0bpf_rdonly_cast";

	return is_named(name, sizeof(name));
}

bool uprobes_become_calls(void)
{
	static const char name[] = "\0uprobe_trampoline";

	return is_named(name, sizeof(name));
}

struct dwell *programs_open(bool has_loads)
{
	struct dwell *skeleton;
	int error;

	if (has_loads)
		return dwell__open();
	/* As dwell__open() does, with other code. */
	skeleton = xcalloc(1, sizeof(*skeleton));
	error = dwell__create_skeleton(skeleton);
	if (!error) {
		skeleton->skeleton->data = (void *)programs_by_calls;
		skeleton->skeleton->data_sz = (size_t)(programs_by_calls_end - programs_by_calls);
		error = bpf_object__open_skeleton(skeleton->skeleton, NULL);
	}
	if (!error)
		return skeleton;
	dwell__destroy(skeleton);
	errno = -error;
	return NULL;
}
