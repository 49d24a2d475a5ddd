// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * map_fight [MS]: four threads map and unmap memory of one process for MS ms. All of that is done
 * under the process's mmap_lock, so that they wait for each other there.
 */
#include "workload.h"

#include <sys/mman.h>

#define FIGHTERS 4
#define MAP_BYTES (16UL << 20)

struct fighter {
	pthread_t thread;
	struct thread_log log;
	uint64_t until_ns;
};

NAMED static void fight(struct fighter *fighter)
{
	while (wall_ns() < fighter->until_ns) {
		void *at = mmap(NULL, MAP_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (at == MAP_FAILED)
			die("mmap");
		munmap(at, MAP_BYTES);
	}
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
	uint64_t until_ns = wall_ns() + argument(argc, argv, 1, 1500) * NS_PER_MS;
	struct thread_log logs[FIGHTERS];

	for (int i = 0; i < FIGHTERS; i++) {
		fighters[i].until_ns = until_ns;
		if (pthread_create(&fighters[i].thread, NULL, run, &fighters[i]))
			die("pthread_create");
	}
	for (int i = 0; i < FIGHTERS; i++) {
		pthread_join(fighters[i].thread, NULL);
		logs[i] = fighters[i].log;
	}
	print_logs(logs, FIGHTERS);
	return 0;
}
