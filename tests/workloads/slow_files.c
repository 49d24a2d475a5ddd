// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slow_files [FOLDER] [FILES]: threads use files that are not in memory, each so many (24) of its
 * own, one after the other: "reader" reads them, "faulter" touches them through mappings, "syncer"
 * writes to them and waits until that is on the disk. Prints how long each file took. The case
 * makes the disk slow; what opens and maps files is done before, and waits for no file's data.
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>

#include "workload.h"

#define FILE_BYTES 16384
#define MAX_FILES 200

struct file {
	char path[PATH_MAX + 64];
	int fd;
	volatile char *bytes;
	uint64_t wall_ns;
};

struct user {
	const char *name, *kind;
	void (*use)(struct file *file);
	int tid;
	struct file files[MAX_FILES];
};

static unsigned int file_count;

NAMED static void read_file(struct file *file)
{
	char bytes[FILE_BYTES];

	if (pread(file->fd, bytes, sizeof(bytes), 0) != FILE_BYTES)
		die("pread");
}

NAMED static void touch_file(struct file *file)
{
	(void)file->bytes[0];
}

NAMED static void sync_file(struct file *file)
{
	if (pwrite(file->fd, "new", 3, 0) != 3 || fsync(file->fd))
		die("fsync");
}

static struct user users[] = {
	{.name = "reader", .kind = "file", .use = read_file},
	{.name = "faulter", .kind = "fault", .use = touch_file},
	{.name = "syncer", .kind = "file", .use = sync_file},
};
#define USERS (sizeof(users) / sizeof(*users))

static void make_file(struct file *file, const char *folder, const char *name, unsigned int number)
{
	static const char zeros[FILE_BYTES];

	snprintf(file->path, sizeof(file->path), "%s/%s-%u", folder, name, number);
	file->fd = open(file->path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (file->fd < 0 || write(file->fd, zeros, FILE_BYTES) != FILE_BYTES)
		die("write");
}

static void prepare(const char *folder)
{
	for (unsigned int i = 0; i < file_count * USERS; i++) {
		struct user *user = &users[i % USERS];
		make_file(&user->files[i / USERS], folder, user->name, i / (unsigned int)USERS);
	}
	sync();
	for (unsigned int i = 0; i < file_count * USERS; i++) {
		struct file *file = &users[i % USERS].files[i / USERS];
		if (posix_fadvise(file->fd, 0, 0, POSIX_FADV_DONTNEED))
			die("posix_fadvise");
		file->bytes = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, file->fd, 0);
		if (file->bytes == MAP_FAILED)
			die("mmap");
	}
}

static void *run(void *context)
{
	struct user *user = context;

	set_name(user->name);
	user->tid = own_tid();
	for (unsigned int i = 0; i < file_count; i++) {
		uint64_t start_ns = wall_ns();
		user->use(&user->files[i]);
		user->files[i].wall_ns = wall_ns() - start_ns;
	}
	return NULL;
}

static void print_user(const struct user *user)
{
	printf("{\"thread\":\"%s\",\"tid\":%d,\"kind\":\"%s\",\"files\":{", user->name, user->tid,
		user->kind);
	for (unsigned int i = 0; i < file_count; i++)
		printf("%s\"%s\":%llu", i ? "," : "", user->files[i].path,
			(unsigned long long)user->files[i].wall_ns);
	printf("}}");
}

int main(int argc, char **argv)
{
	pthread_t threads[USERS];
	char folder[PATH_MAX];

	file_count = (unsigned int)argument(argc, argv, 2, 24);
	if (file_count > MAX_FILES || !realpath(argc > 1 ? argv[1] : ".", folder))
		die("slow_files");
	prepare(folder);
	for (unsigned int i = 0; i < USERS; i++)
		threads[i] = start_thread(run, &users[i]);
	for (unsigned int i = 0; i < USERS; i++)
		pthread_join(threads[i], NULL);
	printf("{\"pid\":%d,\"users\":[", (int)getpid());
	for (unsigned int i = 0; i < USERS; i++) {
		if (i)
			putchar(',');
		print_user(&users[i]);
	}
	printf("]}\n");
	return 0;
}
