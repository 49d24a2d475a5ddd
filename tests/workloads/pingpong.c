// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pingpong [MS] [pinned|apart|migrating]: two threads hand a byte to and fro through pipes for MS
 * ms. pinned: both on one CPU. apart: on two. migrating: before each write the partner's affinity
 * is moved to another CPU, so that it wakes elsewhere than it fell asleep.
 */
#include "workload.h"

struct player {
	struct thread_log log;
	const char *name;
	int read_fd;
	int write_fd;
	struct player *partner;
	volatile int tid;
	bool is_first;
	bool is_migrating;
	bool is_apart;
	uint64_t end_ns;
	uint64_t moves;
	int cpus[2];
};

NAMED static bool wait_for_ball(struct player *player)
{
	struct phase *phase = phase_begin(&player->log, 0, "wait");
	char ball;
	bool is_there = read(player->read_fd, &ball, 1) == 1;

	phase_end(phase);
	return is_there && ball != 'x';
}

NAMED static void hit_ball(struct player *player, char ball)
{
	if (player->is_migrating)
		pin(player->partner->tid, player->cpus[player->moves++ & 1]);
	if (write(player->write_fd, &ball, 1) != 1)
		die("write");
}

static void *player_main(void *context)
{
	struct player *player = context;

	log_start(&player->log, player->name);
	if (player->is_apart)
		pin(0, player->cpus[player->is_first]);
	player->tid = player->log.tid;
	while (!player->partner->tid)
		sched_yield();
	if (player->is_first)
		hit_ball(player, 'o');
	while (wait_for_ball(player)) {
		if (wall_ns() >= player->end_ns) {
			hit_ball(player, 'x');
			break;
		}
		hit_ball(player, 'o');
	}
	log_end(&player->log);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct player players[2];
	struct thread_log logs[2];
	pthread_t threads[2];
	int pipes[2][2];

	if (pipe(pipes[0]) || pipe(pipes[1]))
		die("pipe");
	if (argc > 2 && !strcmp(argv[2], "pinned"))
		pin(0, usable_cpu(0));
	for (unsigned int i = 0; i < 2; i++) {
		players[i] = (struct player){
			.name = i ? "pong" : "ping",
			.read_fd = pipes[i][0],
			.write_fd = pipes[!i][1],
			.partner = &players[!i],
			.is_first = !i,
			.is_apart = argc > 2 && !strcmp(argv[2], "apart"),
			.is_migrating = argc > 2 && !strcmp(argv[2], "migrating"),
			.end_ns = wall_ns() + argument(argc, argv, 1, 1000) * NS_PER_MS,
			.cpus = {usable_cpu(0), usable_cpu(1)},
		};
	}
	for (unsigned int i = 0; i < 2; i++)
		threads[i] = start_thread(player_main, &players[i]);
	for (unsigned int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		logs[i] = players[i].log;
	}
	print_logs(logs, 2);
	return 0;
}
