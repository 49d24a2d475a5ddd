// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file's name has a hash of its bytes: another dwell's library is another file, and what is
 * mapped somewhere is never written to. A new file comes by rename(), so that whoever starts a
 * program meanwhile finds a whole one or none.
 */
#include "host/preload_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "host/preload_image.h"
#include "util/hash.h"
#include "util/io.h"
#include "util/mem.h"

#define OTHERS_WRITE (S_IWGRP | S_IWOTH)
#define FOLDERS 4

static size_t image_bytes(void)
{
	return (size_t)(preload_image_end - preload_image);
}

/* Nobody but root and its owner can put something else there. */
static bool is_safe(const struct stat *status)
{
	return status->st_uid == geteuid() && !(status->st_mode & OTHERS_WRITE);
}

/* A folder in which a folder of ours stays what it is: a sticky one lets only owners rename. */
static bool is_safe_parent(const char *folder)
{
	_cleanup_free_ char *parent = xstrdup(folder);
	struct stat status;

	*strrchr(parent, '/') = '\0';
	if (stat(parent[0] ? parent : "/", &status))
		return false;
	return (!status.st_uid || status.st_uid == geteuid()) &&
	       (!(status.st_mode & OTHERS_WRITE) || status.st_mode & S_ISVTX);
}

/* The folder, to open files in, or -errno. */
static int open_folder(const char *folder)
{
	struct statvfs mounted;
	struct stat status;

	/* The loader divides a list of libraries at colons and spaces. */
	if (folder[0] != '/' || strpbrk(folder, ": \t\n") || !is_safe_parent(folder))
		return -EINVAL;
	if (mkdir(folder, 0755) && errno != EEXIST)
		return -errno;
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) || !is_safe(&status) || fstatvfs(fd, &mounted) ||
		mounted.f_flag & ST_NOEXEC) {
		close(fd);
		return -EACCES;
	}
	/* What root starts may become another user. */
	if (!geteuid() && (status.st_mode & 0755) != 0755 && fchmod(fd, 0755)) {
		close(fd);
		return -EACCES;
	}
	return fd;
}

static bool is_there(int folder, const char *name)
{
	_cleanup_close_ int fd =
		openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	_cleanup_free_ char *bytes = NULL;
	struct stat status;

	if (fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode) || !is_safe(&status) ||
		(status.st_mode & 0755) != 0755 || status.st_size != (off_t)image_bytes())
		return false;
	bytes = xmalloc(image_bytes());
	return io_read(fd, bytes, image_bytes(), 0) == (ssize_t)image_bytes() &&
	       !memcmp(bytes, preload_image, image_bytes());
}

static int write_file(int folder, const char *name)
{
	unsigned int number;
	int error;

	/* Several dwells may have one number each, in namespaces of their own. */
	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -EIO;
	_cleanup_free_ char *temporary = xasprintf("%s.%08x", name, number);
	_cleanup_close_ int fd =
		openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	if (fd < 0)
		return -errno;
	error = io_write(fd, preload_image, image_bytes(), 0);
	/* Whatever the umask is. */
	if (!error && (fchmod(fd, 0755) || renameat(folder, temporary, folder, name)))
		error = -errno;
	if (error)
		unlinkat(folder, temporary, 0);
	return error;
}

static int make_in(const char *folder, const char *name)
{
	_cleanup_close_ int fd = open_folder(folder);

	if (fd < 0)
		return fd;
	return is_there(fd, name) ? 0 : write_file(fd, name);
}

int preload_file_make_in(const char *const *folders, size_t count, char **ret_path, struct why *why)
{
	_cleanup_free_ char *name = xasprintf(
		"libdwell_alloc-%016" PRIx64 ".so", hash_bytes(0, preload_image, image_bytes()));
	int first_error = -ENOENT;
	const char *first = "none";

	for (size_t i = 0; i < count; i++) {
		int error = folders[i][0] ? make_in(folders[i], name) : -ENOENT;
		if (!error) {
			/* As processes' mappings have it. */
			_cleanup_free_ char *real = realpath(folders[i], NULL);
			*ret_path = xasprintf("%s/%s", real ? real : folders[i], name);
			return 0;
		}
		if (folders[i][0] && first_error == -ENOENT) {
			first_error = error;
			first = folders[i];
		}
	}
	return why_set(why, first_error,
		"--alloc: there is no folder to put a library in that programs may load: %s: %s; "
		"it has to be yours alone, and not on a file system that is mounted noexec",
		first, strerror(-first_error));
}

/* Where the user's own things are, "" if that is not known. */
static char *folder_of_user(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && cache[0] == '/')
		return xasprintf("%s/dwell", cache);
	return home && home[0] == '/' ? xasprintf("%s/.cache/dwell", home) : xstrdup("");
}

int preload_file_make(char **ret_path, struct why *why)
{
	const char *run = getenv("XDG_RUNTIME_DIR");
	_cleanup_free_ char *own = geteuid() ? folder_of_user() : xstrdup("/var/lib/dwell");
	_cleanup_free_ char *running = !geteuid() ? xstrdup("/run/dwell")
				       : run      ? xasprintf("%s/dwell", run)
						  : xstrdup("");
	_cleanup_free_ char *shared = xasprintf("/dev/shm/dwell-%u", (unsigned int)geteuid());
	_cleanup_free_ char *temporary = xasprintf("/tmp/dwell-%u", (unsigned int)geteuid());
	const char *const folders[FOLDERS] = {own, running, shared, temporary};

	return preload_file_make_in(folders, FOLDERS, ret_path, why);
}
