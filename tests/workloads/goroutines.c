// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * goroutines [MS]: naps of MS ms, until its stdin is closed, on stacks such as Go programs have
 * them: functions with the names of Go's runtime switch to another stack, or are at the bottom of
 * one, and say nothing of it in their call frame information. Threads, and the functions that are
 * on their stacks: "parked" runtime.mcall, park (which never returns); "system" system_main,
 * go_outer, runtime.systemstack, park; "clock" the same with runtime.nanotime1 on a stack that is
 * empty below; "routine" runtime.goexit, goroutine, park. Prints {"pid"}.
 */
#include <sys/mman.h>

#include "workload.h"

#define STACK_BYTES 65536

/* What tells Go's programs from others, and the functions; .cfi lines are what Go would write. */
__asm__(".section .gopclntab,\"a\"\n"
	".byte 0\n"
	".text\n"
	".type runtime.mcall, @function\n"
	"runtime.mcall:\n"
	".cfi_startproc\n"
	"	mov %rsi, %rsp\n"
	"	call *%rdi\n"
	"	ud2\n"
	".cfi_endproc\n"
	".size runtime.mcall, . - runtime.mcall\n"
	".macro switch name\n"
	".type \\name, @function\n"
	"\\name:\n"
	".cfi_startproc\n"
	"	push %rbx\n"
	".cfi_adjust_cfa_offset 8\n"
	"	mov %rsp, %rbx\n"
	"	mov %rsi, %rsp\n"
	"	call *%rdi\n"
	"	mov %rbx, %rsp\n"
	"	pop %rbx\n"
	".cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size \\name, . - \\name\n"
	".endm\n"
	"switch runtime.systemstack.abi0\n"
	"switch runtime.nanotime1.abi0\n"
	".type runtime.goexit.abi0, @function\n"
	"runtime.goexit.abi0:\n"
	".cfi_startproc\n"
	"	nop\n"
	"	call pause\n"
	"	nop\n"
	".cfi_endproc\n"
	".size runtime.goexit.abi0, . - runtime.goexit.abi0\n"
	/* As if goexit() had called the function just now. */
	"start_goroutine:\n"
	"	lea runtime.goexit.abi0 + 1(%rip), %rax\n"
	"	lea -8(%rsi), %rsp\n"
	"	mov %rax, (%rsp)\n"
	"	jmp *%rdi\n");

typedef void function(void);
void mcall(function *called, void *stack) __asm__("runtime.mcall");
void systemstack(function *called, void *stack) __asm__("runtime.systemstack.abi0");
void nanotime1(function *called, void *stack) __asm__("runtime.nanotime1.abi0");
void start_goroutine(function *called, void *stack);

static uint64_t nap_ns;

NAMED static void park(void)
{
	sleep_ns(nap_ns);
}

NAMED static void park_for_ever(void)
{
	for (;;)
		park();
}

NAMED static void goroutine(void)
{
	park_for_ever();
}

/* The middle of a new stack: below it are words that lead nowhere. */
static void *new_stack(int below)
{
	char *stack =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED)
		die("mmap");
	memset(stack + STACK_BYTES / 2, below, STACK_BYTES / 2);
	return stack + STACK_BYTES / 2;
}

NAMED static void go_outer(void (*switches)(function *, void *), void *stack)
{
	switches(park, stack);
}

static void *parked_main(void *stack)
{
	set_name("parked");
	mcall(park_for_ever, stack);
	return NULL;
}

static void *system_main(void *stack)
{
	set_name("system");
	for (;;)
		go_outer(systemstack, stack);
	return NULL;
}

static void *clock_main(void *stack)
{
	set_name("clock");
	for (;;)
		go_outer(nanotime1, stack);
	return NULL;
}

static void *routine_main(void *stack)
{
	set_name("routine");
	start_goroutine(goroutine, stack);
	return NULL;
}

int main(int argc, char **argv)
{
	nap_ns = argument(argc, argv, 1, 2) * NS_PER_MS;
	start_thread(parked_main, new_stack(0x11));
	start_thread(system_main, new_stack(0x11));
	start_thread(clock_main, new_stack(0));
	start_thread(routine_main, new_stack(0x11));
	printf("{\"pid\":%d}\n", (int)getpid());
	fflush(stdout);
	wait_for_go();
	return 0;
}
