// SPDX-License-Identifier: GPL-2.0-or-later
/* two_burners [MS]: computes for MS ms of CPU time, 70 % of it in burn_seventy(), 30 % in
 * burn_thirty(), in turns of 10 ms. */
#include "workload.h"

NAMED static void burn_seventy(struct thread_log *log)
{
	struct phase *phase = phase_begin(log, 0, "burn_seventy");

	burn_ns(7 * NS_PER_MS);
	phase_end(phase);
}

NAMED static void burn_thirty(struct thread_log *log)
{
	struct phase *phase = phase_begin(log, 1, "burn_thirty");

	burn_ns(3 * NS_PER_MS);
	phase_end(phase);
}

int main(int argc, char **argv)
{
	struct thread_log log;
	uint64_t end;

	log_start(&log, "burner");
	end = cpu_ns() + argument(argc, argv, 1, 2000) * NS_PER_MS;
	while (cpu_ns() < end) {
		burn_seventy(&log);
		burn_thirty(&log);
	}
	log_end(&log);
	print_logs(&log, 1);
	return 0;
}
