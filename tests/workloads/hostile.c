// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hostile: a process that wants to hold up, or to deceive, whoever looks into it. Naps in a loop in
 * a function that the watcher needs the prepared thing for, from before its first line of output,
 * {"pid"}, until its stdin ends.
 *
 *   hostile map FILE    code without a file, and FILE mounted as the perf map that should name it
 *   hostile lease FILE  FILE, a copy of this program, mapped and run, and a lease held on it
 *   hostile fault       asleep on a stack of which a page is handled by nobody (userfaultfd)
 */
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>

#define NAP_NS (10 * NS_PER_MS)
#define STACK_PAGES 16
#define PAGE 4096UL

extern const char __executable_start;

/* Calls its argument, with a frame; may be copied anywhere. */
void stepping_stone(void (*function)(void));
extern const char stepping_stone_end;
__asm__(".text\n"
	".globl stepping_stone\n"
	".type stepping_stone, @function\n"
	"stepping_stone:\n"
	".cfi_startproc\n"
	"push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"mov %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"call *%rdi\n"
	"pop %rbp\n"
	".cfi_def_cfa %rsp, 8\n"
	"ret\n"
	".cfi_endproc\n"
	".size stepping_stone, . - stepping_stone\n"
	"stepping_stone_end:\n");

typedef void (*stone)(void (*function)(void));

static volatile bool is_over;

NAMED static void nap(void)
{
	sleep_ns(NAP_NS);
}

static void *step(void *context)
{
	while (!is_over)
		((stone)context)(nap);
	return NULL;
}

/* Its own view of the folder, in which it may mount. */
static stone map_file(const char *path)
{
	char target[64];
	uid_t user = getuid();

	if (unshare(CLONE_NEWNS | (user ? CLONE_NEWUSER : 0)))
		die("unshare");
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	snprintf(target, sizeof(target), "/tmp/perf-%d.map", (int)getpid());
	close(open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	if (mount(path, target, NULL, MS_BIND, NULL))
		die("mount");
	char *code = mmap(
		NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		die("mmap");
	memcpy(code, (const void *)stepping_stone,
		(size_t)(&stepping_stone_end - (const char *)stepping_stone));
	return (stone)code;
}

static stone lease_file(const char *path)
{
	size_t offset = (size_t)((const char *)stepping_stone - &__executable_start);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	/* Who breaks the lease would wait for this signal to have an effect. */
	signal(SIGIO, SIG_IGN);
	char *code = fd < 0 ? MAP_FAILED
			    : mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
				      (off_t)(offset & ~(PAGE - 1)));
	if (code == MAP_FAILED || fcntl(fd, F_SETLEASE, F_WRLCK))
		die(path);
	return (stone)(code + offset % PAGE);
}

static volatile int sleeper_tid;

NAMED static void sleep_deep(void)
{
	sleeper_tid = own_tid();
	sleep_ns(1000000 * NS_PER_S);
}

/* A frame larger than a page, so that its caller's is on another one. */
NAMED static void *sleep_on_two_pages(void *context)
{
	volatile char room[3 * PAGE];

	(void)context;
	set_name("faulty");
	memset((char *)room, 1, sizeof(room));
	sleep_deep();
	return (void *)(uintptr_t)room[0];
}

static void take_stack_away(void)
{
	char *stack = mmap(NULL, STACK_PAGES * PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_api api = {.api = UFFD_API};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	pthread_attr_t attributes;
	pthread_t thread;

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api))
		die("userfaultfd");
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, STACK_PAGES * PAGE);
	if (pthread_create(&thread, &attributes, sleep_on_two_pages, NULL))
		die("pthread_create");
	wait_until_asleep(&sleeper_tid);
	/* The upper half, with the outer frames: whoever reads it waits for an answer to a fault.
	 */
	struct uffdio_register wanted = {
		.range = {.start = (uintptr_t)stack + 14 * PAGE, .len = 2 * PAGE},
		.mode = UFFDIO_REGISTER_MODE_MISSING};
	if (ioctl(fd, UFFDIO_REGISTER, &wanted) ||
		madvise(stack + 14 * PAGE, 2 * PAGE, MADV_DONTNEED))
		die("UFFDIO_REGISTER");
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	stone code = NULL;

	if (!strcmp(how, "map") && argc > 2)
		code = map_file(argv[2]);
	else if (!strcmp(how, "lease") && argc > 2)
		code = lease_file(argv[2]);
	else if (!strcmp(how, "fault"))
		take_stack_away();
	else
		return 2;
	if (code)
		start_thread(step, (void *)code);
	printf("{\"pid\":%d}\n", (int)getpid());
	fflush(stdout);
	wait_for_go();
	is_over = true;
	/* The thread with the bad stack would never end. */
	_exit(0);
}
