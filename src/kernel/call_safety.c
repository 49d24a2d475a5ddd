// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A probe is in every process that has the file, unless the kernel can leave it out of others. A
 * program's own functions are called in that program alone, so that the processes that run it are
 * looked at; a library's may be called by anybody, and call back: those have to be ruled out, too.
 */
#include "kernel/call_safety.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "host/proc_text.h"
#include "kernel/options.h"
#include "symbol/outside/outside.h"
#include "symbol/outside/parser.h"
#include "util/mem.h"

/* Runtimes of languages whose exceptions may pass through functions of C. */
static const char *const unwinders[] = {"/libstdc++.so", "/libc++.so", "/libc++abi.so", "/libstd-"};
/* What exchanges stacks, below the functions of whatever program has loaded it. */
static const char *const switchers[] = {"greenlet", "libboost_context", "libboost_coroutine",
	"libruby", "libcoro", "libucontext", "libaco", "libgo.so"};

#define MOST_MAPS_BYTES (8UL << 20)
/* Processes whose program is looked at. */
#define MOST_PROCESSES 4096

static bool has_any(const char *text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

/* All of its mappings, or NULL. */
static char *maps_of(uint32_t pid)
{
	_cleanup_free_ char *text = xmalloc(MOST_MAPS_BYTES);
	size_t used = 0;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return NULL;
	used = fread(text, 1, MOST_MAPS_BYTES - 1, file);
	bool is_whole = feof(file) && !ferror(file);
	fclose(file);
	if (!is_whole)
		return NULL;
	text[used] = '\0';
	return xstrdup(text);
}

/* Do its stacks take turns? Who does not tell may do so. */
static bool exchanges_stacks(uint32_t pid)
{
	_cleanup_free_ char *maps = maps_of(pid);

	return !maps || has_any(maps, switchers, ARRAY_SIZE(switchers));
}

/* Is neither a library in it, nor its program, of a kind that unwinds or exchanges stacks? */
static bool is_plain(uint32_t pid, struct outside *outside)
{
	_cleanup_free_ char *maps = maps_of(pid);
	_cleanup_(event_file_clear) struct event_file file = {.fd = -1};
	enum elf_unwinds kind = ELF_UNWINDS_EXCEPTIONS;
	char path[32];

	if (!maps || has_any(maps, switchers, ARRAY_SIZE(switchers)) ||
		has_any(maps, unwinders, ARRAY_SIZE(unwinders)))
		return false;
	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	if (event_file_open(path, outside, &file, NULL))
		return false;
	int error = parser_unwinds(outside->parsers, file.fd, &kind);
	close(file.fd);
	return !error && kind == ELF_UNWINDS_NOT;
}

/* Does uprobe_multi mean a process by its pid, not one thread of it? Since 6.10. */
static bool means_processes(void)
{
	struct utsname system;
	int major = 0, minor = 0;

	return !uname(&system) && sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 10));
}

void call_safety_init(struct call_safety *safety, const struct capture_options *options,
	bool has_multi, struct outside *outside)
{
	bool is_of_processes = options->target == TARGET_PIDS;

	*safety = (struct call_safety){.outside = outside,
		.options = options,
		.is_target_plain = is_of_processes && options->id_count};
	if (is_of_processes && options->id_count == 1 && has_multi && means_processes())
		safety->only_pid = options->ids[0];
	for (size_t i = 0; i < options->id_count && safety->is_target_plain; i++)
		safety->is_target_plain = is_plain(options->ids[i], outside);
}

static bool is_same_file(const char *path, const struct stat *file)
{
	struct stat status;

	return !stat(path, &status) && status.st_dev == file->st_dev &&
	       status.st_ino == file->st_ino;
}

/* Of all processes that run the file, which may be none yet. */
static bool exchange_stacks_somewhere(const struct event_file *file)
{
	DIR *stream = opendir("/proc");
	size_t looked_at = 0;
	bool is_found = !stream;
	struct dirent *entry;
	struct stat status;

	if (fstat(file->fd, &status))
		is_found = true;
	while (!is_found && (entry = readdir(stream))) {
		char path[sizeof("/proc//exe") + sizeof(entry->d_name)];
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/exe", entry->d_name);
		if (is_same_file(path, &status))
			is_found = ++looked_at > MOST_PROCESSES ||
				   exchanges_stacks((uint32_t)strtoul(entry->d_name, NULL, 10));
	}
	if (stream)
		closedir(stream);
	return is_found;
}

/* Its functions may be called by any program, and call it back. */
static bool is_library(const struct event_file *file)
{
	return strstr(basename(file->path), ".so") != NULL;
}

bool call_safety_of_file(
	const struct call_safety *safety, const struct event_file *file, enum elf_unwinds kind)
{
	/* What a COMMAND will load is not known. */
	if (kind != ELF_UNWINDS_NOT || safety->options->target == TARGET_COMMAND)
		return false;
	if (is_library(file))
		return safety->only_pid && safety->is_target_plain;
	return safety->only_pid ? !exchanges_stacks(safety->only_pid)
				: !exchange_stacks_somewhere(file);
}

/* Functions that come back twice or elsewhere, or look at where they were called from. */
bool call_safety_of_function(const char *name)
{
	static const char *const words[] = {"setjmp", "longjmp", "context", "vfork", "clone",
		"dlsym", "dlvsym", "dlopen", "dlmopen", "_dl_", "tls_get_addr", "backtrace",
		"mcount", "fentry", "_Unwind", "start_main", "coroutine", "fiber", "coro_",
		"rt_sig", "restore_rt"};

	return !has_any(name, words, ARRAY_SIZE(words));
}
