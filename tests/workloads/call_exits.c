// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call_exits: calls that do not end as most do. Thread "early" is in early_call() when {"pid"} is
 * said; then it waits for a line. After that early_call() ends; deep_call() is called 11 deep;
 * jump_call() is left by longjmp() from 4 deep, twice; threads end in exit_call(), by
 * pthread_exit(), and in die_call(), by the system call; a child calls exec_call(), which
 * executes another program; and thread "stuck" waits in stuck_call(), for stuck_lock, which main
 * has. Says {"deep", "left", "exited", "died", "executed", "stuck_tid", "stuck_ns": since when, by
 * CLOCK_MONOTONIC}, and waits for another line: stuck_call() never ends.
 */
#include <setjmp.h>
#include <sys/wait.h>

#include "workload.h"

#define DEEP 11
#define JUMPED 4
#define JUMPS 2

pthread_mutex_t stuck_lock = PTHREAD_MUTEX_INITIALIZER;
static int to_early[2];
static volatile int early_tid, stuck_tid;
static volatile uint64_t stuck_ns;
static jmp_buf where;
static volatile bool is_left = true;

NAMED void early_call(void)
{
	take(to_early[0]);
}

NAMED int deep_call(int depth)
{
	return depth > 1 ? 1 + deep_call(depth - 1) : 1;
}

NAMED int jump_call(int depth)
{
	if (depth > 1)
		return 1 + jump_call(depth - 1);
	if (is_left)
		longjmp(where, 1);
	return 1;
}

NAMED void exit_call(void)
{
	pthread_exit(NULL);
}

NAMED void die_call(void)
{
	syscall(SYS_exit, 0);
}

NAMED void exec_call(void)
{
	execl("/bin/true", "true", NULL);
	die("/bin/true");
}

NAMED void stuck_call(void)
{
	pthread_mutex_lock(&stuck_lock);
}

static void *early_main(void *unused)
{
	set_name("early");
	early_tid = own_tid();
	early_call();
	return unused;
}

static void *exit_main(void *unused)
{
	exit_call();
	return unused;
}

static void *die_main(void *unused)
{
	die_call();
	return unused;
}

static void *stuck_main(void *unused)
{
	set_name("stuck");
	stuck_ns = wall_ns();
	stuck_tid = own_tid();
	stuck_call();
	return unused;
}

NAMED static void jump_out(void)
{
	for (volatile int i = 0; i < JUMPS; i++)
		if (!setjmp(where))
			jump_call(JUMPED);
}

NAMED static void execute(void)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		die("fork");
	if (!child)
		exec_call();
	if (waitpid(child, &status, 0) != child || status)
		die("/bin/true");
}

int main(void)
{
	pthread_t early;

	if (pipe(to_early))
		die("pipe");
	pthread_mutex_lock(&stuck_lock);
	early = start_thread(early_main, NULL);
	wait_until_asleep(&early_tid);
	printf("{\"pid\":%d}\n", (int)getpid());
	fflush(stdout);
	wait_for_go();
	give(to_early[1]);
	pthread_join(early, NULL);
	deep_call(DEEP);
	jump_out();
	pthread_join(start_thread(exit_main, NULL), NULL);
	pthread_join(start_thread(die_main, NULL), NULL);
	execute();
	start_thread(stuck_main, NULL);
	wait_until_asleep(&stuck_tid);
	printf("{\"deep\":%d,\"left\":%d,\"exited\":1,\"died\":1,\"executed\":1,\"stuck_tid\":%d,"
	       "\"stuck_ns\":%llu}\n",
		DEEP, JUMPED * JUMPS, stuck_tid, (unsigned long long)stuck_ns);
	fflush(stdout);
	wait_for_go();
	return 0;
}
