// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write_fight PATH [MS]: four threads write the same 16 MiB of one file for MS ms. Each write has
 * the lock of the file's inode from its beginning to its end, so that they wait for each other
 * there.
 */
#include "workload.h"

#include <fcntl.h>

#define FIGHTERS 4
#define WRITE_BYTES (16UL << 20)

struct fighter {
	pthread_t thread;
	struct thread_log log;
	uint64_t until_ns;
	const char *bytes;
	int fd;
};

NAMED static void fight(struct fighter *fighter)
{
	while (wall_ns() < fighter->until_ns)
		if (pwrite(fighter->fd, fighter->bytes, WRITE_BYTES, 0) < 0)
			die("pwrite");
}

static void *run(void *context)
{
	struct fighter *fighter = context;

	log_start(&fighter->log, "fighter");
	fight(fighter);
	log_end(&fighter->log);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct fighter fighters[FIGHTERS];
	uint64_t until_ns = wall_ns() + argument(argc, argv, 2, 1500) * NS_PER_MS;
	struct thread_log logs[FIGHTERS];
	char *bytes = calloc(1, WRITE_BYTES);
	int fd = argc > 1 ? open(argv[1], O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600) : -1;

	if (fd < 0 || !bytes)
		die("the file of argument 1");
	for (int i = 0; i < FIGHTERS; i++) {
		fighters[i] = (struct fighter){.until_ns = until_ns, .bytes = bytes, .fd = fd};
		if (pthread_create(&fighters[i].thread, NULL, run, &fighters[i]))
			die("pthread_create");
	}
	for (int i = 0; i < FIGHTERS; i++) {
		pthread_join(fighters[i].thread, NULL);
		logs[i] = fighters[i].log;
	}
	print_logs(logs, FIGHTERS);
	free(bytes);
	close(fd);
	return 0;
}
