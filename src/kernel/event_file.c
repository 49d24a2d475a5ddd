// SPDX-License-Identifier: GPL-2.0-or-later
/* Short names are looked up in the folders of the system alone: nothing of a user's is searched. */
#include "kernel/event_file.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/outside/errand.h"
#include "symbol/outside/outside.h"
#include "util/mem.h"

static const char *const library_folders[] = {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
	"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"};

/* "libssl.so.3" of "libssl", "libc.so.6" of "libc": not "libc-2.31.so", nor "libssl3.so". */
static bool is_library_of(const char *file, const char *name)
{
	size_t length = strlen(name);

	/* "libc.so.6" */
	if (strstr(name, ".so"))
		return !strcmp(file, name);
	return !strncmp(file, name, length) && !strncmp(file + length, ".so", strlen(".so")) &&
	       (!file[length + 3] || file[length + 3] == '.');
}

/* The one with the shortest name: it is what programs are linked to. */
static char *library_in(const char *folder, const char *name)
{
	DIR *stream = opendir(folder);
	char *best = NULL;
	struct dirent *entry;

	if (!stream)
		return NULL;
	while ((entry = readdir(stream))) {
		if (!is_library_of(entry->d_name, name) ||
			(best && strlen(best) <= strlen(folder) + 1 + strlen(entry->d_name)))
			continue;
		/* "libc.so" is a text for linkers where there is also one with a number. */
		if (!strcmp(entry->d_name + strlen(name), ".so") && best)
			continue;
		free(best);
		best = xasprintf("%s/%s", folder, entry->d_name);
	}
	closedir(stream);
	return best;
}

static char *find_library(const char *name)
{
	_cleanup_free_ char *with_lib = xasprintf("lib%s", name);
	const char *const names[] = {name, with_lib};

	for (size_t n = 0; n < ARRAY_SIZE(names); n++)
		for (size_t i = 0; i < ARRAY_SIZE(library_folders); i++) {
			char *found = library_in(library_folders[i], names[n]);
			if (found)
				return found;
		}
	return NULL;
}

static char *find_program(const char *name)
{
	const char *at = getenv("PATH");

	while (at && *at) {
		size_t length = strcspn(at, ":");
		char *path = xasprintf("%.*s/%s", (int)length, at, name);
		if (at[0] == '/' && !access(path, X_OK))
			return path;
		free(path);
		at += length + (at[length] == ':');
	}
	return NULL;
}

/* A program may have a library's name: perl and libperl. */
static char *say_found(const char *name, const char *found)
{
	_cleanup_free_ char *program = find_program(name);

	if (program && strcmp(program, found) != 0)
		return xasprintf("%s (looked into for %s, not %s)", found, name, program);
	return xasprintf("%s (looked into for %s)", found, name);
}

int event_file_refuse(const struct event_file *file, struct why *why)
{
	unsigned char ident[EI_NIDENT];

	if (pread(file->fd, ident, sizeof(ident), 0) == (ssize_t)sizeof(ident) &&
		!memcmp(ident, ELFMAG, SELFMAG) && ident[EI_CLASS] == ELFCLASS32)
		return why_set(why, -EINVAL,
			"%s is a 32-bit program; only 64-bit ones can be watched", file->said);
	return why_set(why, -EINVAL, "%s is no program or library", file->said);
}

void event_file_clear(struct event_file *file)
{
	free(file->said);
	free(file->path);
	file->said = file->path = NULL;
}

int event_file_open(
	const char *name, struct outside *outside, struct event_file *ret, struct why *why)
{
	_cleanup_free_ char *found = NULL;

	if (!strchr(name, '/')) {
		found = find_library(name);
		if (!found)
			found = find_program(name);
		if (!found)
			return why_set(why, -EINVAL,
				"there is no library or program %s; give a file by its whole path",
				name);
	} else if (name[0] != '/') {
		return why_set(why, -EINVAL, "%s: give a file by its whole path", name);
	}
	const char *path = found ? found : name;
	_cleanup_close_ int path_fd = errand_file(outside->errands, LOCATE_OWN_ROOT, path);
	if (path_fd < 0)
		return why_set(why, -EINVAL, "there is no file %s that can be opened", path);
	int fd = errand_open(outside->errands, LOCATE_OWN_ROOT, path_fd, LOCATE_FOR_NAMES);
	if (fd == -ENOTSUP)
		return why_set(why, -EINVAL,
			"%s is on a file system that may keep its readers waiting", path);
	if (fd < 0)
		return why_set(why, -EINVAL, "cannot read %s: %s", path, strerror(-fd));
	*ret = (struct event_file){
		fd, found ? say_found(name, found) : xstrdup(name), xstrdup(path)};
	return 0;
}
