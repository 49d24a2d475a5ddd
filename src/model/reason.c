// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From whole kernel stacks to reasons and operations. What single functions mean is in
 * reason_table.c; here is the order in which frames decide, and what their shape tells.
 */
#include "model/reason.h"

#include <string.h>

#include "model/reason_table.h"
#include "util/mem.h"

static const struct {
	const char *name;
	char letter;
} words[REASONS] = {
	[REASON_UNKNOWN] = {"other", 'X'},
	[REASON_DISK] = {"disk", 'D'},
	[REASON_JOURNAL] = {"journal", 'J'},
	[REASON_LOCK] = {"lock", 'L'},
	[REASON_FUTEX] = {"futex", 'F'},
	[REASON_PIPE] = {"pipe", 'P'},
	[REASON_SOCKET] = {"socket", 'S'},
	[REASON_ACCEPT] = {"accept", 'A'},
	[REASON_POLL] = {"poll", 'O'},
	[REASON_SLEEP] = {"sleep", 'Z'},
	[REASON_CHILD] = {"child", 'C'},
	[REASON_FAULT] = {"page fault", 'G'},
	[REASON_IO_URING] = {"io_uring", 'U'},
	[REASON_TTY] = {"tty", 'Y'},
	[REASON_SIGNAL] = {"signal", 'I'},
	[REASON_VFORK] = {"vfork", 'V'},
	[REASON_STOPPED] = {"stopped", 'T'},
	[REASON_KERNEL] = {"kernel", 'K'},
	[REASON_KTHREAD] = {"kernel thread", 'M'},
	[REASON_LOST] = {"lost stack", 'N'},
};

/* clang-format off */
/* Syscall entries, the outermost first; "sys_" alone is how some architectures spell them. */
static const char *const entries[] = {
	"__x64_sys_", "__arm64_sys_", "__riscv_sys_", "__s390x_sys_", "__ia32_sys_",
	"__ia32_compat_sys_", "__arm64_compat_sys_", "__do_sys_", "__se_sys_", "sys_",
};

/* What is left of an entry that the compiler made part of the dispatcher. */
static const char *const inner_entries[] = {"ksys_", "__sys_", "do_sys_", "kernel_"};
/* clang-format on */

/* The name of the syscall whose entry this is, NULL if it is none. */
static const char *syscall_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
		size_t length = strlen(entries[i]);
		if (!strncmp(name, entries[i], length) && name[length])
			return name + length;
	}
	return NULL;
}

/* Every architecture's entry of a system call is looked up as sys_NAME. */
static bool find_reason(const char *name, enum reason *ret)
{
	const char *syscall = syscall_of(name);

	if (!syscall)
		return reason_table_find(name, ret);
	return !strcmp(syscall, "pause") && reason_table_find("sys_pause", ret);
}

/* Is what is left above `count` frames of waiting the main loop of a kernel thread? */
static bool is_main_loop(const char *const *names, size_t count, size_t waiting)
{
	return waiting + 1 < count && names[waiting + 1] && !strcmp(names[waiting + 1], "kthread");
}

/*
 * A kernel thread's main loop is the function that kthread() called; if nothing but the scheduler
 * lies below it, the thread waits for its next task, whatever driver it belongs to.
 */
static bool has_main_loop_shape(const char *const *names, size_t count)
{
	size_t i = 0;

	while (i < count && names[i] && reason_is_scheduler(names[i]))
		i++;
	return is_main_loop(names, count, i);
}

/* The same for main loops that wait for a semaphore or a completion, as long as a signal may end
 * that: who wants a lock does not let itself be interrupted. */
static bool has_interruptible_main_loop(const char *const *names, size_t count, char letter)
{
	static const char *const helpers[] = {"down_interruptible", "__down_interruptible",
		"___down_common", "__down_common", "wait_for_completion_interruptible*",
		"__wait_for_common", "do_wait_for_common"};
	size_t i = 0;

	while (i < count && names[i] &&
		(reason_is_scheduler(names[i]) ||
			reason_table_fits(helpers, ARRAY_SIZE(helpers), names[i])))
		i++;
	return letter == 'S' && is_main_loop(names, count, i);
}

/* The freezer of cgroup v2 is made part of get_signal() by the compiler; other things that are
 * called there have frames of their own. */
static bool is_in_freezer(const char *const *names, size_t count)
{
	size_t i = 0;

	while (i < count && names[i] && reason_is_scheduler(names[i]))
		i++;
	return i && i < count && names[i] && !strcmp(names[i], "get_signal");
}

enum reason reason_of_stack(
	const char *const *names, size_t count, bool is_kernel_thread, char letter)
{
	enum reason weak = REASON_UNKNOWN;

	if (letter == 'T' || letter == 't' || letter == 'F')
		return REASON_STOPPED;
	if (is_in_freezer(names, count))
		return REASON_STOPPED;
	if (is_kernel_thread && has_interruptible_main_loop(names, count, letter))
		return REASON_KTHREAD;
	for (size_t i = 0; i < count; i++) {
		enum reason reason;
		if (!names[i])
			continue;
		if (find_reason(names[i], &reason) &&
			(reason != REASON_KTHREAD || is_kernel_thread))
			return reason;
		if (reason_table_is_weak(names[i]))
			weak = REASON_KERNEL;
	}
	/* TASK_IDLE exists for kernel threads that wait for something to do. */
	if (is_kernel_thread && (letter == 'I' || has_main_loop_shape(names, count)))
		return REASON_KTHREAD;
	return weak;
}

bool reason_is_own_timer(const char *const *names, size_t count)
{
	static const char *const family[] = {"do_nanosleep", "hrtimer_nanosleep*", "common_nsleep*",
		"do_cpu_nanosleep", "alarm_timer_nsleep", "alarmtimer_do_nsleep"};

	for (size_t i = 0; i < count; i++)
		if (names[i] && reason_table_fits(family, ARRAY_SIZE(family), names[i]))
			return true;
	return false;
}

/* Is frame i the one that calls system calls by number? Then its callee is one. */
static bool is_dispatcher(const char *const *names, size_t count, size_t i)
{
	static const char *const dispatchers[] = {"do_syscall_64", "x64_sys_call",
		"do_fast_syscall_32", "invoke_syscall*", "el0_svc*"};

	return i < count && names[i] &&
	       reason_table_fits(dispatchers, ARRAY_SIZE(dispatchers), names[i]);
}

const char *reason_operation(const char *const *names, size_t count)
{
	for (size_t i = count; i-- > 0;) {
		const char *syscall = names[i] ? syscall_of(names[i]) : NULL;
		if (syscall)
			return syscall;
	}
	for (size_t i = count; i-- > 0;)
		for (size_t j = 0; names[i] && j < ARRAY_SIZE(inner_entries); j++)
			if (!strncmp(names[i], inner_entries[j], strlen(inner_entries[j])) &&
				is_dispatcher(names, count, i + 1))
				return names[i] + strlen(inner_entries[j]);
	for (size_t i = 0; i < count; i++)
		if (names[i] && (!strcmp(names[i], "asm_exc_page_fault") ||
					!strcmp(names[i], "exc_page_fault") ||
					!strcmp(names[i], "do_mem_abort")))
			return "page fault";
	return NULL;
}

const char *reason_name(enum reason reason)
{
	return (unsigned int)reason < REASONS ? words[reason].name : words[0].name;
}

char reason_letter(enum reason reason)
{
	return (unsigned int)reason < REASONS ? words[reason].letter : words[0].letter;
}

static bool is_name(const char *typed, const char *name)
{
	for (; *name && (*typed == *name || (*typed == '-' && *name == ' ')); name++)
		typed++;
	return !*name && !*typed;
}

bool reason_from_name(const char *name, enum reason *ret)
{
	for (unsigned int i = 0; i < REASONS; i++)
		if (is_name(name, words[i].name)) {
			*ret = (enum reason)i;
			return true;
		}
	return false;
}
