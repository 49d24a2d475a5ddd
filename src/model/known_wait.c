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
	{"take_gil*", {"Python's GIL", KNOWN_LOCK, false}},
	{"ObjectMonitor::enter*", {"Java monitor", KNOWN_LOCK, false}},
	{"ObjectMonitor::EnterI*", {"Java monitor", KNOWN_LOCK, false}},
	{"JavaThread::sleep*", {"Thread.sleep", KNOWN_SLEEP, false}},
	{"JVM_Sleep", {"Thread.sleep", KNOWN_SLEEP, false}},
	{"Unsafe_Park", {"Java park", KNOWN_SIGNAL, false}},
	{"Parker::park", {"Java park", KNOWN_SIGNAL, false}},
	{"runtime.stopm", {"Go: nothing to run", KNOWN_PARKED, false}},
	{"runtime.sysmon", {"Go: its monitor's pause", KNOWN_PARKED, false}},
	{"ProcSleep", {"PostgreSQL lock", KNOWN_LOCK, false}},
	{"LWLockAcquire*", {"PostgreSQL LWLock", KNOWN_LOCK, false}},
	{"LWLockWaitForVar", {"PostgreSQL LWLock", KNOWN_LOCK, false}},
	{"tpool::thread_pool_generic::wait_for_tasks*", {"MariaDB: no task", KNOWN_PARKED, false}},
	{"runtime.lock2", {"Go runtime lock", KNOWN_LOCK, false}},
	{"runtime.netpoll", {"Go: network poller", KNOWN_SIGNAL, false}},
	/* Also what a queue or an event of Python's is made of: it may be either. */
	{"PyThread_acquire_lock_timed", {"Python lock", KNOWN_SIGNAL, false}},
	{"std::sys::sync::mutex::futex::Mutex::lock_contended*", {"Rust mutex", KNOWN_LOCK, true}},
	{"std::sys::unix::locks::futex_mutex::Mutex::lock_contended*", {"Rust mutex", KNOWN_LOCK, true}},
	{"__res_context_send", {"DNS", KNOWN_ASKED, false}},
	{"node::(anonymous namespace)::PlatformWorkerThread*", {"V8: no task", KNOWN_PARKED, false}},
};

static const struct entry primitives[] = {
	{"pthread_mutex_lock", {"mutex", KNOWN_LOCK, true}},
	{"pthread_mutex_timedlock", {"mutex", KNOWN_LOCK, true}},
	{"pthread_mutex_clocklock", {"mutex", KNOWN_LOCK, true}},
	{"__pthread_mutex_lock*", {"mutex", KNOWN_LOCK, true}},
	{"___pthread_mutex_lock", {"mutex", KNOWN_LOCK, true}},
	/* A condition's mutex, when its wait is over. */
	{"__pthread_mutex_cond_lock*", {"mutex", KNOWN_LOCK, true}},
	{"__lll_lock_wait", {"mutex", KNOWN_LOCK, true}},
	{"pthread_rwlock_*", {"rwlock", KNOWN_LOCK, true}},
	{"___pthread_rwlock_*", {"rwlock", KNOWN_LOCK, true}},
	{"__pthread_rwlock_*", {"rwlock", KNOWN_LOCK, true}},
	{"pthread_cond_*", {"condition", KNOWN_SIGNAL, true}},
	{"___pthread_cond_*", {"condition", KNOWN_SIGNAL, true}},
	{"__pthread_cond_*", {"condition", KNOWN_SIGNAL, true}},
	{"sem_wait*", {"semaphore", KNOWN_SIGNAL, true}},
	{"sem_timedwait*", {"semaphore", KNOWN_SIGNAL, true}},
	{"sem_clockwait*", {"semaphore", KNOWN_SIGNAL, true}},
	{"__new_sem_wait*", {"semaphore", KNOWN_SIGNAL, true}},
	{"pthread_join*", {"thread's end", KNOWN_OTHERS, false}},
	{"pthread_timedjoin*", {"thread's end", KNOWN_OTHERS, false}},
	{"pthread_clockjoin*", {"thread's end", KNOWN_OTHERS, false}},
	{"__pthread_clockjoin*", {"thread's end", KNOWN_OTHERS, false}},
	/* libc's, in malloc() and the like: nothing else of them waits. */
	{"malloc", {"malloc lock", KNOWN_LOCK, false}},
	{"_int_malloc", {"malloc lock", KNOWN_LOCK, false}},
	{"_int_free", {"malloc lock", KNOWN_LOCK, false}},
	{"free", {"malloc lock", KNOWN_LOCK, false}},
	{"calloc", {"malloc lock", KNOWN_LOCK, false}},
	{"realloc", {"malloc lock", KNOWN_LOCK, false}},
	{"pthread_barrier_wait*", {"barrier", KNOWN_OTHERS, true}},
	{"__pthread_barrier_wait*", {"barrier", KNOWN_OTHERS, true}},
};

static const struct entry kernel[] = {
	{"balance_dirty_pages*", {"writeback throttling", KNOWN_ASKED, false}},
	{"jbd2_log_wait_commit", {"journal commit", KNOWN_ASKED, false}},
	{"__sys_connect*", {"connect", KNOWN_ASKED, false}},
	{"do_semtimedop", {"System V semaphore", KNOWN_SIGNAL, false}},
	{"__do_semtimedop", {"System V semaphore", KNOWN_SIGNAL, false}},
	{"do_msgrcv", {"message queue", KNOWN_SIGNAL, false}},
	{"__vm_munmap", {"mmap_lock", KNOWN_LOCK, false}},
	{"vm_mmap_pgoff", {"mmap_lock", KNOWN_LOCK, false}},
	{"lock_mm_and_find_vma", {"mmap_lock", KNOWN_LOCK, false}},
	{"fanotify_handle_event", {"fanotify permission", KNOWN_ASKED, false}},
	{"begin_new_exec", {"exec's other threads", KNOWN_OTHERS, false}},
	{"reclaim_throttle", {"memory reclaim", KNOWN_ASKED, false}},
	{"try_to_free_mem_cgroup_pages", {"memory reclaim", KNOWN_ASKED, false}},
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

/*
 * libc's own locks are waited for in a function of their own. Who called it tells which: malloc()
 * and the like are primitives above, the others are mostly those of streams.
 */
static struct known_wait find_of_libc(const char *const *names, size_t count)
{
	static const char *const waits[] = {"__lll_lock_wait_private"};
	static const char *const streams[] = {"_IO_*", "puts", "putc", "putchar", "fputs", "fputc",
		"fwrite", "fread", "fgets", "fgetc", "getc", "getline", "fflush", "fclose",
		"printf", "fprintf", "vprintf", "vfprintf*", "__vfprintf*", "__printf*",
		"__fprintf*"};
	bool is_libc = false;

	for (size_t i = 0; i < count && i < NEAR_FRAMES; i++) {
		if (names[i] && is_libc)
			return function_name_fits_any(streams, ARRAY_SIZE(streams), names[i])
				       ? (struct known_wait){"stdio lock", KNOWN_LOCK, false}
				       : (struct known_wait){"libc lock", KNOWN_LOCK, false};
		is_libc |= names[i] && function_name_fits_any(waits, ARRAY_SIZE(waits), names[i]);
	}
	return (struct known_wait){0};
}

struct known_wait known_wait_of_user(
	const char *const *names, const bool *are_wrappers, size_t count)
{
	struct known_wait wait = find(runtimes, ARRAY_SIZE(runtimes), names, are_wrappers, count);

	if (!wait.name && is_gil(names, count))
		return runtimes[0].wait;
	if (!wait.name && is_row_lock(names, count))
		return (struct known_wait){"MariaDB row lock", KNOWN_LOCK, false};
	if (!wait.name)
		wait = find(primitives, ARRAY_SIZE(primitives), names, NULL, count);
	return wait.name ? wait : find_of_libc(names, count);
}

/* Frames of glibc between the system call and the function that was called. */
#define OWNER_FRAMES 4

enum known_owner known_wait_tells_owner(const char *const *names, size_t count)
{
	static const char *const below[] = {
		"__lll_lock_wait", "__futex*", "futex_*", "__GI___futex*", "__lll_lock_wait_*"};
	static const char *const mutexes[] = {"pthread_mutex_*", "__pthread_mutex_*",
		"___pthread_mutex_*", "__GI___pthread_mutex_*"};
	static const char *const rwlocks[] = {
		"pthread_rwlock_*", "__pthread_rwlock_*", "___pthread_rwlock_*"};
	/* musl's functions have the same names, but its mutexes hold other things there. */
	static const char *const others[] = {"__lll_lock_wait_private", "__timedwait*"};

	for (size_t i = 0; i < count && i < OWNER_FRAMES; i++) {
		if (!names[i])
			continue;
		if (function_name_fits_any(others, ARRAY_SIZE(others), names[i]))
			return KNOWN_OWNER_NOT;
		if (function_name_fits_any(mutexes, ARRAY_SIZE(mutexes), names[i]))
			return KNOWN_OWNER_OF_MUTEX;
		if (function_name_fits_any(rwlocks, ARRAY_SIZE(rwlocks), names[i]))
			return KNOWN_OWNER_OF_RWLOCK;
		if (!function_name_fits_any(below, ARRAY_SIZE(below), names[i]))
			return KNOWN_OWNER_NOT;
	}
	return KNOWN_OWNER_NOT;
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
