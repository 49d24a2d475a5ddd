// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the arguments of system calls say of what is waited for, by number, as a table that the
 * programs look into. Only calls that can block are in it; close() is not, because its descriptor
 * is gone by the time that it does, nor copy_file_range(), which may wait for either file.
 */
#include "kernel/configure_awaited.h"

#include <bpf/libbpf.h>
#include <sys/syscall.h>

#include "kernel/programs.h"
#include "dwell.skel.h"
#include "util/mem.h"

/* Newer than the headers that this may be built with; the numbers are the same everywhere. */
#define CALL_EPOLL_PWAIT2 441
#define CALL_FUTEX_WAITV 449
#define CALL_FUTEX_WAIT 455

#ifdef __x86_64__
static const struct {
	uint16_t number;
	uint8_t says; /* enum awaited_call */
} calls[] = {
	{SYS_read, CALL_OF_FILE},
	{SYS_write, CALL_OF_FILE},
	{SYS_pread64, CALL_OF_FILE},
	{SYS_pwrite64, CALL_OF_FILE},
	{SYS_readv, CALL_OF_FILE},
	{SYS_writev, CALL_OF_FILE},
	{SYS_preadv, CALL_OF_FILE},
	{SYS_pwritev, CALL_OF_FILE},
	{SYS_preadv2, CALL_OF_FILE},
	{SYS_pwritev2, CALL_OF_FILE},
	{SYS_recvfrom, CALL_OF_FILE},
	{SYS_recvmsg, CALL_OF_FILE},
	{SYS_recvmmsg, CALL_OF_FILE},
	{SYS_sendto, CALL_OF_FILE},
	{SYS_sendmsg, CALL_OF_FILE},
	{SYS_sendmmsg, CALL_OF_FILE},
	{SYS_accept, CALL_OF_FILE},
	{SYS_accept4, CALL_OF_FILE},
	{SYS_connect, CALL_OF_FILE},
	{SYS_sendfile, CALL_OF_STREAM},
	{SYS_splice, CALL_OF_STREAM},
	{SYS_tee, CALL_OF_STREAM},
	{SYS_vmsplice, CALL_OF_STREAM},
	{SYS_fsync, CALL_OF_FILE},
	{SYS_fdatasync, CALL_OF_FILE},
	{SYS_syncfs, CALL_OF_FILE},
	{SYS_sync_file_range, CALL_OF_FILE},
	{SYS_fallocate, CALL_OF_FILE},
	{SYS_ftruncate, CALL_OF_FILE},
	{SYS_getdents, CALL_OF_FILE},
	{SYS_getdents64, CALL_OF_FILE},
	{SYS_fstat, CALL_OF_FILE},
	{SYS_lseek, CALL_OF_FILE},
	{SYS_flock, CALL_OF_FILE},
	{SYS_fcntl, CALL_OF_FILE},
	{SYS_ioctl, CALL_OF_FILE},
	{SYS_readahead, CALL_OF_FILE},
	{SYS_io_uring_enter, CALL_OF_FILE},
	{SYS_mq_timedsend, CALL_OF_FILE},
	{SYS_mq_timedreceive, CALL_OF_FILE},
	{SYS_epoll_wait, CALL_OF_EPOLL},
	{SYS_epoll_pwait, CALL_OF_EPOLL},
	{CALL_EPOLL_PWAIT2, CALL_OF_EPOLL},
	{SYS_poll, CALL_OF_POLL},
	{SYS_ppoll, CALL_OF_POLL},
	{SYS_select, CALL_OF_SELECT},
	{SYS_pselect6, CALL_OF_SELECT},
	{SYS_wait4, CALL_OF_CHILD},
	{SYS_waitid, CALL_OF_WAITID},
	{SYS_futex, CALL_OF_FUTEX},
	{CALL_FUTEX_WAIT, CALL_OF_FUTEX_2},
	{CALL_FUTEX_WAITV, CALL_OF_FUTEXES},
	{SYS_semop, CALL_OF_SEMAPHORES},
	{SYS_semtimedop, CALL_OF_SEMAPHORES},
	{SYS_msgrcv, CALL_OF_MESSAGES},
	{SYS_msgsnd, CALL_OF_MESSAGES},
};

static void tell_calls(struct dwell *skeleton)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		skeleton->rodata->cfg_calls[calls[i].number] = calls[i].says;
}
#else
/* Registers of other machines are not read. */
static void tell_calls(struct dwell *skeleton)
{
	(void)skeleton;
}
#endif

unsigned int awaited_configure(struct dwell *skeleton, const struct capture_options *options,
	const struct table_sizes *sizes)
{
	struct bpf_map *const maps[] = {skeleton->maps.awaited_rooms, skeleton->maps.path_walks,
		skeleton->maps.awaited_pairs, skeleton->maps.awaited_counts};
	bool is_on = options->has_awaited && options->has_stacks && sizes->awaited_bytes;

	skeleton->rodata->cfg_awaited = is_on;
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
		bpf_map__set_autocreate(maps[i], is_on);
	if (!is_on)
		return 0;
	tell_calls(skeleton);
	return USE_AWAITED;
}
