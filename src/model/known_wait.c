// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of functions that waits are known by. A runtime's own lock is built of libc's, so its
 * functions are looked for in the whole stack before libc's are. An entry is added for a stack that
 * was seen: tests/unit/test_known_wait.c and tests/situations/ have them.
 */
#include "model/known_wait.h"

#include "model/function_name.h"
#include "util/mem.h"

/* Frames that are looked at: what is farther out called something else first. */
#define NEAR_FRAMES 16

struct entry {
	const char *pattern;
	struct known_wait wait;
};

/* clang-format off */
static const struct entry runtimes[] = {
	/* The first: is_gil() knows it by more. */
	{"take_gil*", {"Python's GIL", KNOWN_LOCK}},
	{"ObjectMonitor::enter*", {"Java monitor", KNOWN_LOCK}},
	{"ObjectMonitor::EnterI*", {"Java monitor", KNOWN_LOCK}},
	{"JavaThread::sleep*", {"Thread.sleep", KNOWN_SLEEP}},
	{"JVM_Sleep", {"Thread.sleep", KNOWN_SLEEP}},
	{"Unsafe_Park", {"Java park", KNOWN_SIGNAL}},
	{"Parker::park", {"Java park", KNOWN_SIGNAL}},
	{"runtime.stopm", {"Go: nothing to run", KNOWN_PARKED}},
	{"runtime.sysmon", {"Go: its monitor's pause", KNOWN_PARKED}},
	{"ProcSleep", {"PostgreSQL lock", KNOWN_LOCK}},
	{"LWLockAcquire*", {"PostgreSQL LWLock", KNOWN_LOCK}},
	{"LWLockWaitForVar", {"PostgreSQL LWLock", KNOWN_LOCK}},
	{"tpool::thread_pool_generic::wait_for_tasks*", {"MariaDB: no task", KNOWN_PARKED}},
	{"runtime.netpoll", {"Go: network poller", KNOWN_SIGNAL}},
	/* Also what a queue or an event of Python's is made of: it may be either. */
	{"PyThread_acquire_lock_timed", {"Python lock", KNOWN_SIGNAL}},
	{"__res_context_send", {"DNS", KNOWN_ASKED}},
	{"node::(anonymous namespace)::PlatformWorkerThread*", {"V8: no task", KNOWN_PARKED}},
};

static const struct entry primitives[] = {
	{"pthread_mutex_lock", {"mutex", KNOWN_LOCK}},
	{"pthread_mutex_timedlock", {"mutex", KNOWN_LOCK}},
	{"pthread_mutex_clocklock", {"mutex", KNOWN_LOCK}},
	{"__pthread_mutex_lock*", {"mutex", KNOWN_LOCK}},
	{"___pthread_mutex_lock", {"mutex", KNOWN_LOCK}},
	{"__lll_lock_wait", {"mutex", KNOWN_LOCK}},
	{"pthread_rwlock_*", {"rwlock", KNOWN_LOCK}},
	{"___pthread_rwlock_*", {"rwlock", KNOWN_LOCK}},
	{"__pthread_rwlock_*", {"rwlock", KNOWN_LOCK}},
	{"pthread_cond_*", {"condition", KNOWN_SIGNAL}},
	{"___pthread_cond_*", {"condition", KNOWN_SIGNAL}},
	{"__pthread_cond_*", {"condition", KNOWN_SIGNAL}},
	{"sem_wait*", {"semaphore", KNOWN_SIGNAL}},
	{"sem_timedwait*", {"semaphore", KNOWN_SIGNAL}},
	{"__new_sem_wait*", {"semaphore", KNOWN_SIGNAL}},
	{"pthread_join*", {"thread's end", KNOWN_OTHERS}},
	{"__pthread_clockjoin*", {"thread's end", KNOWN_OTHERS}},
	/* libc's, in malloc() and the like: nothing else of them waits. */
	{"malloc", {"malloc lock", KNOWN_LOCK}},
	{"_int_malloc", {"malloc lock", KNOWN_LOCK}},
	{"_int_free", {"malloc lock", KNOWN_LOCK}},
	{"free", {"malloc lock", KNOWN_LOCK}},
	{"calloc", {"malloc lock", KNOWN_LOCK}},
	{"realloc", {"malloc lock", KNOWN_LOCK}},
	{"pthread_barrier_wait*", {"barrier", KNOWN_OTHERS}},
	{"__pthread_barrier_wait*", {"barrier", KNOWN_OTHERS}},
};

static const struct entry kernel[] = {
	{"balance_dirty_pages*", {"writeback throttling", KNOWN_ASKED}},
	{"jbd2_log_wait_commit", {"journal commit", KNOWN_ASKED}},
	{"__sys_connect*", {"connect", KNOWN_ASKED}},
	{"do_semtimedop", {"System V semaphore", KNOWN_SIGNAL}},
	{"__do_semtimedop", {"System V semaphore", KNOWN_SIGNAL}},
	{"do_msgrcv", {"message queue", KNOWN_SIGNAL}},
	{"__vm_munmap", {"mmap_lock", KNOWN_LOCK}},
	{"vm_mmap_pgoff", {"mmap_lock", KNOWN_LOCK}},
	{"lock_mm_and_find_vma", {"mmap_lock", KNOWN_LOCK}},
	{"fanotify_handle_event", {"fanotify permission", KNOWN_ASKED}},
	{"begin_new_exec", {"exec's other threads", KNOWN_OTHERS}},
	{"reclaim_throttle", {"memory reclaim", KNOWN_ASKED}},
	{"try_to_free_mem_cgroup_pages", {"memory reclaim", KNOWN_ASKED}},
};
/* clang-format on */

/* The first frame that an entry fits. Whoever is parked has nothing but wrappers below that. */
static struct known_wait find(const struct entry *table, size_t entries, const char *const *names,
	const bool *are_wrappers, size_t count)
{
	bool has_code = false;

	for (size_t i = 0; i < count && i < NEAR_FRAMES; i++) {
		size_t length = names[i] ? function_name_length(names[i]) : 0;
		for (size_t j = 0; names[i] && j < entries; j++)
			if (function_name_fits(table[j].pattern, names[i], length) &&
				!(has_code && table[j].wait.kind == KNOWN_PARKED))
				return table[j].wait;
		has_code |= names[i] && are_wrappers && !are_wrappers[i];
	}
	return (struct known_wait){0};
}

/*
 * Python's packages are mostly without names of static functions: its GIL is the only condition
 * that is waited for right below one of these.
 */
static bool is_gil(const char *const *names, size_t count)
{
	static const char *const conditions[] = {
		"pthread_cond_*", "___pthread_cond_*", "__pthread_cond_*"};
	static const char *const takers[] = {"_PyEval_EvalFrameDefault", "PyEval_RestoreThread",
		"PyEval_AcquireThread", "PyGILState_Ensure"};

	for (size_t i = 0; i + 1 < count && i < NEAR_FRAMES; i++) {
		const char *caller = names[i + 1]    ? names[i + 1]
				     : i + 2 < count ? names[i + 2]
						     : NULL;
		if (names[i] && caller &&
			function_name_fits_any(conditions, ARRAY_SIZE(conditions), names[i]) &&
			function_name_fits_any(takers, ARRAY_SIZE(takers), caller))
			return true;
	}
	return false;
}

/*
 * MariaDB's packages have names in the server, but none in its storage engines: what waits for a
 * condition on behalf of one of these waits for a row that somebody has locked.
 */
static bool is_row_lock(const char *const *names, size_t count)
{
	static const char *const conditions[] = {
		"pthread_cond_*", "___pthread_cond_*", "__pthread_cond_*"};
	static const char *const engine[] = {"handler::ha_*"};
	bool is_condition = false;

	for (size_t i = 0; i < count && i < NEAR_FRAMES; i++) {
		if (!names[i])
			continue;
		if (is_condition)
			return function_name_fits_any(engine, ARRAY_SIZE(engine), names[i]);
		is_condition = function_name_fits_any(conditions, ARRAY_SIZE(conditions), names[i]);
	}
	return false;
}

struct known_wait known_wait_of_user(
	const char *const *names, const bool *are_wrappers, size_t count)
{
	struct known_wait wait = find(runtimes, ARRAY_SIZE(runtimes), names, are_wrappers, count);

	if (!wait.name && is_gil(names, count))
		return runtimes[0].wait;
	if (!wait.name && is_row_lock(names, count))
		return (struct known_wait){"MariaDB row lock", KNOWN_LOCK};
	return wait.name ? wait : find(primitives, ARRAY_SIZE(primitives), names, NULL, count);
}

struct known_wait known_wait_of_kernel(const char *const *names, size_t count, enum reason reason)
{
	struct known_wait wait = find(kernel, ARRAY_SIZE(kernel), names, NULL, count);

	/* Under a lock's name only while it is waited for: it may be held and something else waited
	 * for. */
	if (wait.kind == KNOWN_LOCK && reason != REASON_LOCK)
		return (struct known_wait){0};
	return wait;
}
