// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions that tell nothing about who waits. Each was seen in the stack of a wait of the program
 * that its comment names.
 */
#include "model/plumbing.h"

#include "model/function_name.h"
#include "util/mem.h"

/* clang-format off */
static const char *const entries[] = {
	"_start", "__libc_start*", "start_thread", "clone", "clone3", "__clone*", "thread_start",
	/* glib, node, Java, Go, Rust, MariaDB: a thread begins in the runtime. */
	"g_thread_proxy", "thread_native_entry", "runtime.goexit*", "runtime.mstart*",
	"std::sys::*", "std::rt::*", "pfs_spawn_thread",
};

static const char *const plumbing[] = {
	/* libc: system calls. */
	"syscall", "read", "__read*", "__libc_*", "__GI_*", "write", "__write*", "readv", "writev", "pread64", "pwrite64",
	"pread", "pwrite", "poll", "__poll*", "ppoll", "select", "__select*", "pselect*", "epoll_wait", "epoll_pwait*",
	"recv", "__recv*", "recvfrom", "recvmsg", "send", "__send*", "sendto", "sendmsg", "sendmmsg", "accept", "accept4",
	"connect", "__connect*", "fsync", "fdatasync", "nanosleep", "__nanosleep*", "clock_nanosleep*", "__clock_nanosleep*",
	"usleep", "sleep", "wait4", "__wait4*", "waitpid", "__waitpid*", "waitid", "msync", "flock", "ioctl", "__ioctl*",
	"fcntl*", "__fcntl*", "sigsuspend", "sigwait*", "__sigtimedwait*", "pause", "semop", "semtimedop", "msgrcv", "msgsnd",
	"__syscall_cancel*", "__internal_syscall_cancel*", "cancel_*",
	/* libc: locks, conditions, semaphores. */
	"pthread_*", "__pthread_*", "___pthread_*", "__GI___pthread_*", "__lll_lock_wait*", "lll_*", "___lll_*",
	"futex_*", "__futex_*", "do_futex_wait*", "sem_wait*", "sem_timedwait*", "sem_clockwait*", "__new_sem_*", "__sem_*",
	"__cond_*", "cnd_*", "mtx_*",
	/* libc: memory, mapped and not. */
	"malloc", "_int_malloc", "_int_free", "free", "calloc", "realloc", "mmap", "munmap", "__memcpy_*", "__memset_*", "__memmove_*",
	"_int_realloc", "_int_memalign", "_mid_memalign*", "sysmalloc*", "systrim*", "__default_morecore", "sbrk", "__sbrk", "brk", "__brk", "mremap",
	"__mmap*", "__munmap*", "new_heap", "reallocarray", "posix_memalign", "aligned_alloc", "memalign", "valloc", "malloc_consolidate*",
	/* C++, jemalloc, redis, glib, PostgreSQL, MariaDB, GNU programs: memory. */
	"operator new*", "operator delete*", "std::allocator*", "std::__new_allocator*", "__gnu_cxx::new_allocator*", "std::allocator_traits*",
	"je_*", "malloc_default", "zmalloc*", "zcalloc*", "zrealloc*", "ztrymalloc*", "ztrycalloc*", "ztryrealloc*", "zfree*", "g_malloc*", "g_realloc*", "g_slice_*",
	"g_try_malloc*", "palloc*", "repalloc*", "AllocSetAlloc*", "AllocSetRealloc*", "MemoryContextAlloc*", "my_malloc", "my_realloc", "xmalloc", "xrealloc",
	"xcalloc", "xrealloc_*",
	/* libc: stdio and what only passes a buffer on. */
	"_IO_*", "__IO_*", "new_do_write", "fread*", "fwrite*", "fgets*", "fputs*", "getc", "getchar", "fflush*", "__fread*",
	"__underflow", "__uflow", "__overflow",
	/* C++ and Rust. */
	"std::condition_variable*", "std::_V2::condition_variable*", "std::mutex*", "std::__condvar*", "std::thread*", "std::this_thread*",
	"std::unique_lock*", "std::lock_guard*", "__gthread_*", "std::__atomic_wait*", "std::future*", "std::__future*",
	"__gthread_cond_*", "parking_lot*", "<parking_lot*", "absl::synchronization_internal*", "absl::Mutex::*", "absl::CondVar::*",
	"folly::detail::*", "void std::*", "core::ops::function*",
	/* glib, libuv, libevent, libev. */
	"g_poll*", "g_cond_wait*", "g_mutex_lock*", "g_main_context_*", "g_main_loop_run", "g_async_queue_*", "g_thread_join",
	"uv__io_poll*", "uv_run", "uv_cond_*", "uv_sem_wait*", "uv_mutex_lock*", "uv__semaphore*", "uv__wait_children",
	"epoll_dispatch", "event_base_loop", "event_base_dispatch", "ev_run", "epoll_poll",
	/* CPython. */
	"PyMem_*", "_PyMem_*", "take_gil*", "PyEval_RestoreThread", "PyEval_AcquireThread", "PyThread_*", "acquire_timed*", "lock_PyThread_*",
	"_PyEval_*", "PyEval_*", "_PyFunction_*", "PyObject_*", "_PyObject_*", "PyVectorcall_*", "_PyVectorcall*", "method_vectorcall*",
	"cfunction_*", "function_code_fastcall", "_PyMethodDef_*", "slot_tp_*", "PyCFunction_*", "type_call", "Py_RunMain", "Py_BytesMain",
	"pymain_*", "PyRun_*", "_PyRun_*", "run_mod", "run_eval_code_obj", "pythread_wrapper", "thread_run", "builtin_exec*",
	"pysleep", "time_sleep", "eval_frame_handle_pending",
	/* OpenJDK. */
	"os::PlatformEvent::*", "os::PlatformMonitor::*", "Parker::*", "Unsafe_Park", "Monitor::*", "Mutex::*", "ObjectMonitor::*",
	"ObjectSynchronizer::*", "JVM_*", "JavaThread::*", "Thread::call_run", "os::naked_*", "PosixSemaphore::*", "Semaphore::*",
	"Java_java_lang_*", "SharedRuntime::*", "InterpreterRuntime::*", "Interpreter", "call_stub", "JavaCalls::*", "os::sleep*", "ThreadSleep*",
	"thread_entry", "ConditionNotification*", "WaitBarrier*", "MonitorLocker::*", "os::start_thread",
	/* Go. */
	"runtime.*", "internal/poll.*", "syscall.*", "internal/runtime/*",
	/* PostgreSQL: latches, wait events, semaphores, the two kinds of locks. */
	"WaitLatch*", "WaitEventSetWait*", "PGSemaphoreLock", "LWLockAcquire*", "LWLockWaitForVar", "ProcSleep", "WaitOnLock",
	"LockAcquire*", "LockTuple*", "secure_read", "secure_write", "secure_raw_read", "pq_recvbuf", "pq_getbyte", "pq_getmessage", "internal_flush*",
	"pg_fsync*", "pg_fdatasync", "FileSync",
	/* MariaDB. */
	"inline_mysql_*", "my_cond_*", "my_mutex_*", "psi_*", "safe_mutex_*", "safe_cond_*", "vio_*", "os_event*", "my_read", "my_write", "my_sync",
	"my_net_read*", "net_read_*", "net_safe_read", "my_real_read*", "sux_lock*", "ssux_lock*", "srw_*", "tpool::*waitable*", "fil_flush*", "os_file_flush*",
	/* V8 and Chromium. */
	"Builtins_JSEntry*", "Builtins_InterpreterEntryTrampoline", "v8::internal::(anonymous namespace)::Invoke*", "v8::internal::Execution::Call",
	"v8::Function::Call",
	"v8::base::ConditionVariable*", "v8::base::Mutex*", "v8::base::Semaphore*", "base::ConditionVariable*", "base::WaitableEvent*",
	"base::internal::LockImpl*", "base::MessagePump*", "base::RunLoop*", "base::PlatformThread*", "base::(anonymous namespace)::ThreadFunc*",
	/* nginx, redis, memcached. */
	"ngx_epoll_process_events", "ngx_process_events_and_timers", "aeApiPoll", "aeProcessEvents", "aeMain",
};
/* clang-format on */

bool plumbing_is_entry(const char *name)
{
	return function_name_fits_any(entries, ARRAY_SIZE(entries), name);
}

bool plumbing_is(const char *name)
{
	return plumbing_is_entry(name) ||
	       function_name_fits_any(plumbing, ARRAY_SIZE(plumbing), name);
}
