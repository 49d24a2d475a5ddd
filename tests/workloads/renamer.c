// SPDX-License-Identifier: GPL-2.0-or-later
/* renamer [MS]: a thread that is "caterpillar" for MS ms and "butterfly" for MS ms more. */
#include "workload.h"

struct renamer {
	struct thread_log log;
	uint64_t nap_ns;
};

static void *renamer_main(void *context)
{
	struct renamer *renamer = context;
	struct phase *phase;

	log_start(&renamer->log, "caterpillar");
	phase = phase_begin(&renamer->log, 0, "caterpillar");
	sleep_ns(renamer->nap_ns);
	phase_end(phase);
	set_name("butterfly");
	phase = phase_begin(&renamer->log, 1, "butterfly");
	sleep_ns(renamer->nap_ns);
	phase_end(phase);
	log_end(&renamer->log);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct renamer renamer;

	renamer.nap_ns = argument(argc, argv, 1, 300) * NS_PER_MS;
	pthread_join(start_thread(renamer_main, &renamer), NULL);
	print_logs(&renamer.log, 1);
	return 0;
}
