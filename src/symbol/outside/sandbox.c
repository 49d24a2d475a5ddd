// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process without rights. Memory that it shares with the program goes first (the kernel's tables
 * are mapped there), then its user, its capabilities, and all system calls but those that reading,
 * computing and answering take; any other one is refused. Sanitized builds keep their system calls
 * and memory: the sanitizers need more of both than we would list.
 */
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "symbol/outside/parser_private.h"
#include "util/mem.h"
#include "util/rights.h"
#include "util/vec.h"

/* Owns nothing, as far as the system keeps to the custom. */
#define NOBODY 65534

#ifdef __SANITIZE_ADDRESS__
#define IS_SANITIZED true
#else
#define IS_SANITIZED false
#endif

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#endif

struct range {
	uint64_t start;
	uint64_t end;
};

/* Unmapped after the list was read, which reading itself might change. */
static int drop_shared_memory(uint64_t *ret_left_bytes)
{
	_cleanup_fclose_ FILE *in = fopen("/proc/self/maps", "re");
	VEC(struct range) shared = {0};
	char line[512], way;
	struct range range;

	if (!in)
		return -errno;
	*ret_left_bytes = 0;
	while (fgets(line, sizeof(line), in)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*3c%c", &range.start, &range.end,
			    &way) != 3)
			continue;
		if (way == 's')
			vec_push(&shared, range);
		else
			*ret_left_bytes += range.end - range.start;
	}
	vec_each (mapping, &shared)
		munmap((void *)(uintptr_t)mapping->start, mapping->end - mapping->start);
	vec_clear(&shared);
	return 0;
}

static void set_limit(int resource, uint64_t most)
{
	struct rlimit limit = {most, most};

	setrlimit(resource, &limit);
}

/* In a user namespace there may be no nobody: then the lack of capabilities has to do. */
static void become_nobody(void)
{
	if (geteuid())
		return;
	if (!setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY))
		(void)!setresuid(NOBODY, NOBODY, NOBODY);
}

#ifdef OUR_ARCH

static int allow_few_calls(void)
{
	static const unsigned int allowed[] = {SYS_read, SYS_pread64, SYS_write, SYS_sendto,
		SYS_sendmsg, SYS_recvfrom, SYS_recvmsg, SYS_close, SYS_fstat, SYS_newfstatat,
		SYS_lseek, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk,
		SYS_futex, SYS_getpid, SYS_gettid, SYS_clock_gettime, SYS_rt_sigreturn,
		SYS_rt_sigprocmask, SYS_restart_syscall, SYS_exit, SYS_exit_group};
	const uint32_t number_at = offsetof(struct seccomp_data, nr);
	const uint32_t arch_at = offsetof(struct seccomp_data, arch);
	VEC(struct sock_filter) filter = {0};

	vec_push(&filter, ((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, arch_at)));
	vec_push(
		&filter, ((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0)));
	vec_push(
		&filter, ((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)));
	vec_push(&filter, ((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number_at)));
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++) {
		vec_push(&filter, ((struct sock_filter)BPF_JUMP(
					  BPF_JMP | BPF_JEQ | BPF_K, allowed[i], 0, 1)));
		vec_push(&filter,
			((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)));
	}
	/* C libraries ask for odd things, and do without: an error is enough. */
	vec_push(&filter,
		((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)));
	struct sock_fprog program = {.len = (unsigned short)filter.count, .filter = filter.at};
	int error = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
	vec_clear(&filter);
	return error;
}

#else

/* The filter is written for machines whose call numbers we have seen. */
static int allow_few_calls(void)
{
	return 0;
}

#endif

int sandbox_enter(uint64_t memory_bytes)
{
	uint64_t used = 0;
	int error = drop_shared_memory(&used);

	if (error)
		return error;
	if (!IS_SANITIZED) {
		set_limit(RLIMIT_AS, used + memory_bytes);
		/* Nothing is written to any file. */
		set_limit(RLIMIT_FSIZE, 0);
	}
	set_limit(RLIMIT_CORE, 0);
	become_nobody();
	/* After the change of user, which would undo it: nobody is left to stop a parser that
	 * spins. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	error = rights_keep(0);
	if (error || IS_SANITIZED)
		return error;
	/* A kernel without seccomp still has a process without rights. */
	error = allow_few_calls();
	return error == -EINVAL ? 0 : error;
}
