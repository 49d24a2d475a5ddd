// SPDX-License-Identifier: GPL-2.0-or-later
/* What kill -9 leaves behind is removed by the next one: a folder says whose it was. */
#include "host/preload_file.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "host/preload_image.h"
#include "util/io.h"
#include "util/mem.h"

#define FOLDER_PREFIX "dwell-alloc-"
#define LIBRARY "libdwell_alloc.so"
#define MOST_SEGMENTS 64
#define MOST_INTERPRETER 256

/* Is the folder one of ours, of a recorder that is gone? */
static bool is_left_behind(int parent, const char *name)
{
	struct stat status;
	char *end;

	if (strncmp(name, FOLDER_PREFIX, strlen(FOLDER_PREFIX)) != 0)
		return false;
	long pid = strtol(name + strlen(FOLDER_PREFIX), &end, 10);
	return pid > 0 && *end == '-' && kill((pid_t)pid, 0) && errno == ESRCH &&
	       !fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) && S_ISDIR(status.st_mode) &&
	       status.st_uid == geteuid();
}

static void remove_folder(int parent, const char *name)
{
	_cleanup_close_ int folder =
		openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (folder >= 0)
		unlinkat(folder, LIBRARY, 0);
	unlinkat(parent, name, AT_REMOVEDIR);
}

static void sweep(const char *parent)
{
	DIR *stream = opendir(parent);
	struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		if (is_left_behind(dirfd(stream), entry->d_name))
			remove_folder(dirfd(stream), entry->d_name);
	if (stream)
		closedir(stream);
}

static bool may_hold_programs(const char *folder)
{
	struct statvfs status;

	return !access(folder, W_OK | X_OK) && !statvfs(folder, &status) &&
	       !(status.f_flag & ST_NOEXEC);
}

static int write_library(const char *path)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);

	if (fd < 0)
		return -errno;
	int error = io_write(fd, preload_image, (size_t)(preload_image_end - preload_image), 0);
	/* Whatever the umask is: the programs of others load it, too. */
	return error ? error : fchmod(fd, 0755) ? -errno : 0;
}

static int make_in(const char *parent, struct preload_file *ret)
{
	char *folder = xasprintf("%s/" FOLDER_PREFIX "%d-XXXXXX", parent, (int)getpid());
	int error;

	/* The loader divides a list of libraries at colons and spaces. */
	if (strpbrk(parent, ": ") || !mkdtemp(folder)) {
		error = strpbrk(parent, ": ") ? -EINVAL : -errno;
		free(folder);
		return error;
	}
	*ret = (struct preload_file){.folder = folder, .path = xasprintf("%s/" LIBRARY, folder)};
	error = chmod(folder, 0755) ? -errno : write_library(ret->path);
	if (error)
		preload_file_remove(ret);
	return error;
}

int preload_file_make(struct preload_file *ret, struct why *why)
{
	const char *own = getenv("TMPDIR");
	const char *const folders[] = {
		own && own[0] == '/' ? own : "/tmp", "/tmp", "/var/tmp", "/dev/shm", "/run"};
	int error = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		if (!may_hold_programs(folders[i]))
			continue;
		sweep(folders[i]);
		error = make_in(folders[i], ret);
		if (!error)
			return 0;
	}
	return why_set(why, error,
		"--alloc: there is no folder to put a library in that programs may load (%s); set "
		"TMPDIR to one that is not mounted noexec",
		strerror(-error));
}

void preload_file_remove(struct preload_file *file)
{
	if (file->path)
		unlink(file->path);
	if (file->folder)
		rmdir(file->folder);
	free(file->path);
	free(file->folder);
	*file = (struct preload_file){0};
}

static bool read_at(int fd, void *to, size_t bytes, uint64_t at)
{
	return at <= INT64_MAX && io_read(fd, to, bytes, (off_t)at) == (ssize_t)bytes;
}

/* What the program's own loader is, "" if there is none; false if that cannot be read. */
static bool find_loader(int fd, const Elf64_Ehdr *head, char ret[static MOST_INTERPRETER])
{
	ret[0] = '\0';
	if (head->e_phentsize != sizeof(Elf64_Phdr))
		return false;
	for (unsigned int i = 0; i < head->e_phnum && i < MOST_SEGMENTS; i++) {
		Elf64_Phdr segment;
		if (!read_at(fd, &segment, sizeof(segment), head->e_phoff + i * sizeof(segment)))
			return false;
		if (segment.p_type != PT_INTERP)
			continue;
		size_t bytes = segment.p_filesz < MOST_INTERPRETER ? segment.p_filesz
								   : MOST_INTERPRETER - 1;
		ret[bytes] = '\0';
		return read_at(fd, ret, bytes, segment.p_offset);
	}
	return true;
}

/* The loader then takes no libraries from whoever starts it; see AT_SECURE in getauxval(3). */
static const char *change_of_rights(const struct stat *status)
{
	const mode_t set_gid = S_ISGID | S_IXGRP;

	if (status->st_mode & S_ISUID && status->st_uid != geteuid())
		return "changes its user when it starts (set-uid)";
	if ((status->st_mode & set_gid) == set_gid && status->st_gid != getegid())
		return "changes its group when it starts (set-gid)";
	return NULL;
}

const char *preload_refusal(const char *program)
{
	_cleanup_close_ int fd = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char loader[MOST_INTERPRETER];
	struct stat status;
	Elf64_Ehdr head;

	if (fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode) ||
		!read_at(fd, &head, sizeof(head), 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return NULL;
	if (change_of_rights(&status))
		return change_of_rights(&status);
	if (head.e_ident[EI_CLASS] != ELFCLASS64)
		return "is a 32-bit program";
	if (!find_loader(fd, &head, loader))
		return NULL;
	if (!loader[0])
		return "is statically linked";
	return strstr(loader, "ld-musl") ? "is linked to musl" : NULL;
}
