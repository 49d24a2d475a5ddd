// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call_syscalls [ROUNDS]: waits for a line, then makes ROUNDS system calls of each kind: "fsync"
 * and "pread64" of a file of its own in the current folder, "nanosleep" of 1 ms, and "read" of
 * descriptor -1, which fails. Says how long each kind took, as {"pid", "threads"}, and waits for
 * another line. What it reads while it waits is one read() for each byte of the line.
 */
#include "workload.h"

int main(int argc, char **argv)
{
	const struct timespec nap = {0, (long)NS_PER_MS};
	uint64_t rounds = argument(argc, argv, 1, 100);
	char path[] = "call_syscalls.XXXXXX", bytes[16];
	int fd = mkstemp(path);
	struct thread_log log;
	struct phase *phase;

	if (fd < 0 || unlink(path))
		die(path);
	wait_for_go();
	log_start(&log, "call_syscalls");
	for (uint64_t i = 0; i < rounds; i++) {
		if (pwrite(fd, "0123456789abcdef", sizeof(bytes), 0) != sizeof(bytes))
			die("pwrite");
		phase = phase_begin(&log, 0, "fsync");
		if (syscall(SYS_fsync, fd))
			die("fsync");
		phase_end(phase);
		phase = phase_begin(&log, 1, "pread64");
		if (syscall(SYS_pread64, fd, bytes, sizeof(bytes), 0) != sizeof(bytes))
			die("pread");
		phase_end(phase);
		phase = phase_begin(&log, 2, "nanosleep");
		if (syscall(SYS_nanosleep, &nap, NULL))
			die("nanosleep");
		phase_end(phase);
		phase = phase_begin(&log, 3, "read");
		if (syscall(SYS_read, -1, bytes, sizeof(bytes)) != -1)
			exit(120);
		phase_end(phase);
	}
	log_end(&log);
	print_logs(&log, 1);
	wait_for_go();
	return 0;
}
