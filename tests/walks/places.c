// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Comes to the places whose stacks are recorded: `places PLACE` waits there for a line that never
 * comes, or runs through it, where a debugger stops it. Built by `record`, without frame pointers
 * and with lazy binding. x86-64.
 */
#include <alloca.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Nothing is inlined into it, and it calls the last thing it calls. */
#define PLACE __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))

static volatile int sink;

PLACE static void wait_for_line(void)
{
	char byte;

	sink = (int)read(STDIN_FILENO, &byte, 1);
}

/* Uses the frame pointer for something else, and has saved it below other registers. */
PLACE static void wait_without_frame_pointer(void)
{
	__asm__ volatile("xor %%ebp, %%ebp" ::: "rbx", "rbp", "r12", "r13", "r14", "r15");
	wait_for_line();
	__asm__ volatile("" ::: "rbp");
}

/* A thread's first function. */
PLACE static void *in_thread(void *argument)
{
	wait_for_line();
	sink++;
	return argument;
}

PLACE static void at_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
}

static void on_signal(int number)
{
	wait_without_frame_pointer();
	sink = number;
}

/* The handler waits above the wait that it interrupted, in a frame known by its frame pointer. */
PLACE static void at_signal(int bytes)
{
	struct itimerval soon = {.it_value = {.tv_usec = 50000}};
	char *room = alloca((size_t)bytes);

	memset(room, 'x', (size_t)bytes);
	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &soon, NULL);
	poll(NULL, 0, -1);
	sink = room[bytes / 2];
}

/*
 * The signal hits the first instruction of a function; the one before it ends with a call and has
 * a frame of another size. So the address has to be looked up as it is.
 */
__asm__(".text\n"
	".globl before_it\n"
	".type before_it, @function\n"
	"before_it:\n"
	".cfi_startproc\n"
	"sub $88, %rsp\n"
	".cfi_adjust_cfa_offset 88\n"
	"call call_at_end\n"
	".cfi_endproc\n"
	".size before_it, . - before_it\n"
	".globl first_instruction\n"
	".type first_instruction, @function\n"
	"first_instruction:\n"
	".cfi_startproc\n"
	"ud2\n"
	"ret\n"
	".cfi_endproc\n"
	".size first_instruction, . - first_instruction\n");

void before_it(void);
void first_instruction(void);
void call_at_end(void);

PLACE static void at_first_instruction(void)
{
	signal(SIGILL, on_signal);
	first_instruction();
	sink++;
}

/* Its caller's call is the last instruction there: the return address is in the next function. */
PLACE __attribute__((used)) void call_at_end(void)
{
	wait_for_line();
	exit(0);
}

PLACE static void at_call_at_end(void)
{
	before_it();
	sink++;
}

/* A frame whose size only the frame pointer knows. */
PLACE static void at_alloca(int bytes)
{
	char *room = alloca((size_t)bytes);

	memset(room, 'x', (size_t)bytes);
	wait_without_frame_pointer();
	sink = room[bytes / 2];
}

/* A frame that is aligned, so that its caller's is found through a word in it. */
PLACE static void at_realigned(int bytes)
{
	_Alignas(64) char aligned[64];
	char *room = alloca((size_t)bytes);

	memset(aligned, 'y', sizeof(aligned));
	memset(room, 'x', (size_t)bytes);
	wait_for_line();
	sink = room[bytes / 2] + aligned[sink & 63];
}

/* The first call of a library's function goes through the PLT to the linker. */
PLACE static void at_plt(void)
{
	sink = (int)strtoul("12", NULL, 10);
}

PLACE static void at_vfork(void)
{
	pid_t child = vfork();

	if (!child)
		_exit(0);
	sink = child;
}

PLACE static void at_vdso(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	sink = (int)now.tv_nsec;
}

PLACE static int at_depth(int depth)
{
	if (!depth)
		wait_for_line();
	else
		sink = at_depth(depth - 1);
	return sink + 1;
}

int main(int argc, char **argv)
{
	const char *place = argc > 1 ? argv[1] : "";

	if (!strcmp(place, "thread"))
		at_thread();
	else if (!strcmp(place, "signal"))
		at_signal(100 * argc);
	else if (!strcmp(place, "first_instruction"))
		at_first_instruction();
	else if (!strcmp(place, "call_at_end"))
		at_call_at_end();
	else if (!strcmp(place, "alloca"))
		at_alloca(100 * argc);
	else if (!strcmp(place, "realigned"))
		at_realigned(100 * argc);
	else if (!strcmp(place, "plt"))
		at_plt();
	else if (!strcmp(place, "vfork"))
		at_vfork();
	else if (!strcmp(place, "vdso"))
		at_vdso();
	else if (!strcmp(place, "deep"))
		at_depth(200);
	else
		return 2;
	return 0;
}
