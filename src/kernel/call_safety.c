// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * By itself only the program of one process is trusted, if all that is mapped in it is of C and
 * nothing else can come in: its functions are called there alone. A library is everybody's, another
 * process may start or load anything, and the kernel leaves others out of probes only by process.
 */
#include "kernel/call_safety.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kernel/options.h"
#include "symbol/outside/outside.h"
#include "symbol/outside/parser.h"
#include "util/mem.h"
#include "util/vec.h"

#define MOST_MAPS_BYTES (8UL << 20)
/* Files that are looked into; a program of more is not trusted. */
#define MOST_FILES 256

typedef VEC(char *) path_list;

static void forget_paths(path_list *paths)
{
	vec_each (path, paths)
		free(*path);
	vec_clear(paths);
}

static bool is_known(const path_list *paths, const char *path)
{
	vec_each (known, paths)
		if (!strcmp(*known, path))
			return true;
	return false;
}

/* A line of /proc/PID/maps: the file of code, or a mapping that has none. False: code that is no
 * file's, of which nothing is known. */
static bool take_mapping(const char *line, path_list *paths)
{
	char rights[5] = "";
	int at = 0;

	if (sscanf(line, "%*s %4s %*s %*s %*s %n", rights, &at) != 1 || rights[2] != 'x')
		return true;
	const char *path = line + at;
	if (path[0] == '[')
		return !strncmp(path, "[vdso]", 6) || !strncmp(path, "[vsyscall]", 10) ||
		       !strncmp(path, "[uprobes]", 9);
	if (path[0] != '/' || paths->count == MOST_FILES)
		return false;
	if (!is_known(paths, path))
		vec_push(paths, xstrdup(path));
	return true;
}

/* The files whose code the process has; false: that is not known, or there is other code. */
static bool files_of(uint32_t pid, path_list *ret)
{
	_cleanup_free_ char *line = NULL;
	size_t room = 0, bytes = 0;
	bool is_sound = true;
	char path[32];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	while (is_sound && (length = getline(&line, &room, file)) > 0) {
		line[length - 1] = line[length - 1] == '\n' ? '\0' : line[length - 1];
		bytes += (size_t)length;
		is_sound = bytes < MOST_MAPS_BYTES && take_mapping(line, ret);
	}
	fclose(file);
	return is_sound && ret->count;
}

static bool is_plain_file(const char *path, struct outside *outside)
{
	_cleanup_(event_file_clear) struct event_file file = {.fd = -1};
	enum elf_unwinds kind = ELF_UNWINDS_EXCEPTIONS;
	bool loads_code = true, is_runtime = strstr(path, "/libc.so.") || strstr(path, "/ld-");

	if (event_file_open(path, outside, &file, NULL))
		return false;
	int error = parser_unwinds_and_loads(outside->parsers, file.fd, &kind, &loads_code);
	close(file.fd);
	/* The C library has dlopen() for others. */
	return !error && kind == ELF_UNWINDS_NOT && (!loads_code || is_runtime);
}

/* Is all that is mapped in it of C? In another root these paths are other files. */
static bool is_plain(uint32_t pid, struct outside *outside)
{
	struct stat own, root;
	path_list paths = {0};
	char path[32];
	bool is_sound;

	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	is_sound = !stat(path, &root) && !stat("/", &own) && root.st_dev == own.st_dev &&
		   root.st_ino == own.st_ino && files_of(pid, &paths);
	for (size_t i = 0; i < paths.count && is_sound; i++)
		is_sound = is_plain_file(paths.at[i], outside);
	forget_paths(&paths);
	return is_sound;
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
	struct stat program;
	char path[32];

	*safety = (struct call_safety){.is_trusted = options->calls.may_take_returns};
	if (options->target != TARGET_PIDS || options->id_count != 1 || !has_multi ||
		!means_processes())
		return;
	/* Of a process whose first thread has ended nothing can be told, and no probe finds it. */
	snprintf(path, sizeof(path), "/proc/%u/exe", options->ids[0]);
	if (stat(path, &program))
		return;
	safety->only_pid = options->ids[0];
	safety->device = program.st_dev;
	safety->inode = program.st_ino;
	safety->is_plain = is_plain(options->ids[0], outside);
}

bool call_safety_of_file(
	const struct call_safety *safety, const struct event_file *file, enum elf_unwinds kind)
{
	struct stat status;

	if (kind != ELF_UNWINDS_NOT)
		return false;
	if (safety->is_trusted)
		return true;
	return safety->is_plain && !fstat(file->fd, &status) && status.st_dev == safety->device &&
	       status.st_ino == safety->inode;
}

/* Functions that come back twice or elsewhere, or look at where they were called from. */
bool call_safety_of_function(const char *name)
{
	static const char *const words[] = {"setjmp", "longjmp", "context", "vfork", "clone",
		"dlsym", "dlvsym", "dlopen", "dlmopen", "_dl_", "tls_get_addr", "backtrace",
		"mcount", "fentry", "_Unwind", "start_main", "coroutine", "fiber", "coro_",
		"rt_sig", "restore_rt"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(name, words[i]))
			return false;
	return true;
}
