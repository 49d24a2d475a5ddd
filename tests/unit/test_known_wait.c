// SPDX-License-Identifier: GPL-2.0-or-later
/* User stacks as they were seen in recordings: what people call such a wait, and whose code it was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "model/function_name.h"
#include "model/known_wait.h"
#include "model/plumbing.h"
#include "stack_names.h"
#include "util/mem.h"

#define FUTEX "__futex_abstimed_wait_common;"
#define THREAD ";start_thread;clone3"

static void waits_of_programs_have_names(void **state)
{
	static const struct {
		const char *stack, *name;
		enum known_kind kind;
	} cases[] = {
		{"__lll_lock_wait;pthread_mutex_lock;ask;user" THREAD, "mutex", KNOWN_LOCK},
		{FUTEX "pthread_cond_wait;wait_for_item;worker" THREAD, "condition", KNOWN_SIGNAL},
		{FUTEX "__pthread_clockjoin_ex;main", "thread's end", KNOWN_OTHERS},
		/* Debian's python3 has no names for static functions. */
		{FUTEX "pthread_cond_timedwait;?;_PyEval_EvalFrameDefault;_PyFunction_Vectorcall",
			"Python's GIL", KNOWN_LOCK},
		{FUTEX "pthread_cond_timedwait;take_gil;_PyEval_EvalFrameDefault", "Python's GIL",
			KNOWN_LOCK},
		/* A lock of a Python program, not of Python. */
		{FUTEX "__new_sem_wait_slow64.constprop.0;PyThread_acquire_lock_timed;?;?;"
		       "PyObject_Vectorcall;_PyEval_EvalFrameDefault",
			"Python lock", KNOWN_SIGNAL},
		{FUTEX "pthread_cond_wait;os::PlatformEvent::park;ObjectMonitor::EnterI;"
		       "ObjectMonitor::enter;ObjectSynchronizer::enter",
			"Java monitor", KNOWN_LOCK},
		{FUTEX "pthread_cond_timedwait;os::PlatformEvent::park_nanos;JavaThread::sleep;"
		       "JVM_Sleep",
			"Thread.sleep", KNOWN_SLEEP},
		{"runtime.futex.abi0;runtime.futexsleep;runtime.notesleep;runtime.mPark;runtime."
		 "stopm;runtime.findRunnable;runtime.schedule",
			"Go: nothing to run", KNOWN_PARKED},
		{"epoll_wait;WaitEventSetWait;WaitLatch;ProcSleep;LockAcquireExtended;"
		 "XactLockTableWait;heap_update",
			"PostgreSQL lock", KNOWN_LOCK},
		{"do_futex_wait.constprop.0;__new_sem_wait_slow64.constprop.0;PGSemaphoreLock;"
		 "LWLockAcquireOrWait;XLogFlush",
			"PostgreSQL LWLock", KNOWN_LOCK},
		{FUTEX "pthread_cond_wait;uv_cond_wait;node::(anonymous namespace)::"
		       "PlatformWorkerThread" THREAD,
			"V8: no task", KNOWN_PARKED},
		/* A worker's task that waits is no worker without a task. */
		{"__lll_lock_wait;pthread_mutex_lock;compile;node::(anonymous namespace)::"
		 "PlatformWorkerThread" THREAD,
			"mutex", KNOWN_LOCK},
		{"__lll_lock_wait_private;malloc;churn" THREAD, "malloc lock", KNOWN_LOCK},
		{"__lll_lock_wait_private;_int_free;free;churn" THREAD, "malloc lock", KNOWN_LOCK},
		{FUTEX "pthread_cond_timedwait;?;?;?;?;handler::ha_index_read_map;"
		       "handler::read_range_first;handler::multi_range_read_next",
			"MariaDB row lock", KNOWN_LOCK},
		/* What a query itself waits for is not the engine's. */
		{FUTEX "pthread_cond_timedwait;Interruptible_wait::wait;Item_func_sleep::val_int;"
		       "handler::ha_index_read_map",
			"condition", KNOWN_SIGNAL},
		/* From here to the next comment not seen in a recording: written from what is known
		 * of glibc, Go and Rust. */
		{"__lll_lock_wait_private;_IO_puts;report" THREAD, "stdio lock", KNOWN_LOCK},
		{"__lll_lock_wait_private;fwrite;report" THREAD, "stdio lock", KNOWN_LOCK},
		{"__lll_lock_wait_private;__run_exit_handlers;exit;main", "libc lock", KNOWN_LOCK},
		{"__lll_lock_wait;__pthread_mutex_cond_lock;pthread_cond_wait;take" THREAD, "mutex",
			KNOWN_LOCK},
		{FUTEX "__new_sem_wait_slow64.constprop.0;sem_clockwait;take", "semaphore",
			KNOWN_SIGNAL},
		{"runtime.futex.abi0;runtime.futexsleep;runtime.lock2;runtime.lockWithRank;"
		 "runtime.sellock",
			"Go runtime lock", KNOWN_LOCK},
		{"syscall;std::sys::sync::mutex::futex::Mutex::lock_contended;app::ask",
			"Rust mutex", KNOWN_LOCK},
		/* No lock at all. */
		{"read;take;alice" THREAD, NULL, KNOWN_NOT},
		{"?;?", NULL, KNOWN_NOT},
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stack stack;
		split(cases[i].stack, &stack);
		bool are_wrappers[MOST];
		for (size_t j = 0; j < stack.count; j++)
			are_wrappers[j] = stack.names[j] && plumbing_is(stack.names[j]);
		struct known_wait wait = known_wait_of_user(stack.names, are_wrappers, stack.count);
		if (!cases[i].name)
			assert_null(wait.name);
		else
			assert_string_equal(wait.name, cases[i].name);
		assert_int_equal(wait.kind, cases[i].kind);
		free(stack.copy);
	}
}

static void an_owner_is_believed_where_glibc_keeps_one(void **state)
{
	static const struct {
		const char *stack;
		bool is_believed;
	} cases[] = {
		{"__lll_lock_wait;pthread_mutex_lock;ask;user" THREAD, true},
		/* The first was seen; those below that nothing above has were not. */
		{"__lll_lock_wait;___pthread_mutex_lock;ask", true},
		/* Unnamed frames are libc's own where it is stripped. */
		{"?;pthread_mutex_timedlock;ask", true},
		{FUTEX "__pthread_rwlock_wrlock_full64;pthread_rwlock_wrlock;put", true},
		{"__lll_lock_wait_private;malloc;churn" THREAD, false},
		{"__lll_lock_wait_private;_IO_puts;pthread_mutex_lock", false},
		{FUTEX "pthread_cond_wait;take" THREAD, false},
		{FUTEX "__new_sem_wait_slow64.constprop.0;sem_wait;take", false},
		{FUTEX "__pthread_clockjoin_ex;main", false},
		{"runtime.futex.abi0;runtime.futexsleep;runtime.lock2", false},
		{"syscall;std::sys::sync::mutex::futex::Mutex::lock_contended;app::ask", false},
		{FUTEX "pthread_cond_wait;os::PlatformEvent::park;ObjectMonitor::EnterI", false},
		{"__timedwait_cp;__timedwait;__pthread_mutex_timedlock;pthread_mutex_lock", false},
		/* Something else that a function with the lock's name calls. */
		{"read;hook;my_lock;pthread_mutex_lock", false},
		{"__lll_lock_wait", false},
		{"?;?", false},
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stack stack;
		split(cases[i].stack, &stack);
		enum known_owner owner = known_wait_tells_owner(stack.names, stack.count);
		bool is_rwlock = strstr(cases[i].stack, "rwlock");
		if (owner != (!cases[i].is_believed ? KNOWN_OWNER_NOT
				     : is_rwlock    ? KNOWN_OWNER_OF_RWLOCK
						    : KNOWN_OWNER_OF_MUTEX))
			fail_msg("%s", cases[i].stack);
		free(stack.copy);
	}
}

static void waits_in_the_kernel_have_names(void **state)
{
	static const struct {
		const char *stack;
		enum reason reason;
		const char *name;
	} cases[] = {
		{"__schedule;schedule;schedule_preempt_disabled;rwsem_down_write_slowpath;"
		 "down_write_killable;__vm_munmap;__x64_sys_munmap",
			REASON_LOCK, "mmap_lock"},
		{"__schedule;schedule;schedule_preempt_disabled;rwsem_down_write_slowpath;"
		 "down_write_killable;vm_mmap_pgoff;do_syscall_64",
			REASON_LOCK, "mmap_lock"},
		{"__schedule;schedule;schedule_preempt_disabled;rwsem_down_read_slowpath;"
		 "down_read_killable;lock_mm_and_find_vma;exc_page_fault",
			REASON_LOCK, "mmap_lock"},
		/* With the lock, for something else. */
		{"__schedule;schedule;io_schedule;folio_wait_bit_common;filemap_fault;"
		 "populate_vma_page_range;vm_mmap_pgoff",
			REASON_DISK, NULL},
		{"__schedule;schedule;fanotify_handle_event;fsnotify;__fsnotify_parent",
			REASON_UNKNOWN, "fanotify permission"},
		{"__schedule;schedule;begin_new_exec;load_elf_binary;bprm_execve", REASON_UNKNOWN,
			"exec's other threads"},
		{"__schedule;schedule;schedule_timeout;reclaim_throttle;shrink_lruvec;shrink_node;"
		 "do_try_to_free_pages;try_to_free_mem_cgroup_pages;try_charge_memcg",
			REASON_KERNEL, "memory reclaim"},
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stack stack;
		split(cases[i].stack, &stack);
		struct known_wait wait =
			known_wait_of_kernel(stack.names, stack.count, cases[i].reason);
		if (!cases[i].name)
			assert_null(wait.name);
		else
			assert_string_equal(wait.name, cases[i].name);
		free(stack.copy);
	}
}

static void wrappers_are_told_from_the_code_that_waits(void **state)
{
	static const char *const wrappers[] = {"pthread_mutex_lock", "__lll_lock_wait",
		"do_futex_wait.constprop.0", "__new_sem_wait_slow64.constprop.0", "epoll_wait",
		"start_thread", "clone3", "runtime.futex.abi0", "_PyEval_EvalFrameDefault",
		"WaitEventSetWait", "std::condition_variable::wait(std::unique_lock<std::mutex>&)",
		"read", "__libc_start_main@@GLIBC_2.34"};
	static const char *const own[] = {"main", "refresh_cache", "read_config", "XLogFlush",
		"heap_update", "main.handler", "ReadCommand", "selector", "sleepy", "polling",
		"clonemachine"};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(wrappers); i++)
		if (!plumbing_is(wrappers[i]))
			fail_msg("%s is taken for the program's own", wrappers[i]);
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (plumbing_is(own[i]))
			fail_msg("%s is taken for a wrapper", own[i]);
}

static void suffixes_of_compilers_are_not_part_of_a_name(void **state)
{
	static const char *const exact[] = {"runtime.futex", "work"};
	static const char *const prefix[] = {"runtime.*"};
	(void)state;

	assert_true(function_name_fits_any(exact, 2, "runtime.futex.abi0"));
	assert_true(function_name_fits_any(exact, 2, "work.isra.0"));
	assert_true(function_name_fits_any(exact, 2, "work@@V_1"));
	assert_false(function_name_fits_any(exact, 2, "runtime.futexsleep"));
	assert_false(function_name_fits_any(exact, 2, "wor"));
	assert_true(function_name_fits_any(prefix, 1, "runtime.mPark"));
	assert_false(function_name_fits_any(prefix, 1, "runtime"));
	assert_false(function_name_fits_any(prefix, 1, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_of_programs_have_names),
		cmocka_unit_test(an_owner_is_believed_where_glibc_keeps_one),
		cmocka_unit_test(waits_in_the_kernel_have_names),
		cmocka_unit_test(wrappers_are_told_from_the_code_that_waits),
		cmocka_unit_test(suffixes_of_compilers_are_not_part_of_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
