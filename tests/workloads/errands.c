// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * errands [ROUNDS] [NAPS]: thread "client" asks "server" and waits for its answer. Meanwhile the
 * server naps 20 ms, computes 10 ms, waits for "helper" (who naps 15 ms and computes 5 ms) and naps
 * NAPS times 10 ms more, computing 1 ms after each. It prints how much of the client's waits each
 * of these took by the clocks of those who did it.
 */
#include "workload.h"

static uint64_t round_count, nap_count;
static int to_server[2], to_client[2], to_helper[2], from_helper[2];
static uint64_t client_waits_ns, naps_ns, helper_nap_ns, server_ran_ns, helper_ran_ns;

static void nap(uint64_t ms, uint64_t *total_ns)
{
	uint64_t start_ns = wall_ns();

	sleep_ns(ms * NS_PER_MS);
	*total_ns += wall_ns() - start_ns;
}

static void compute(uint64_t ms, uint64_t *total_ns)
{
	burn_ns(ms * NS_PER_MS);
	*total_ns += ms * NS_PER_MS;
}

static void *client(void *unused)
{
	(void)unused;
	set_name("client");
	for (uint64_t i = 0; i < round_count; i++) {
		give(to_server[1]);
		uint64_t start_ns = wall_ns();
		take(to_client[0]);
		client_waits_ns += wall_ns() - start_ns;
	}
	return NULL;
}

static void *server(void *unused)
{
	(void)unused;
	set_name("server");
	for (uint64_t i = 0; i < round_count; i++) {
		take(to_server[0]);
		nap(20, &naps_ns);
		compute(10, &server_ran_ns);
		give(to_helper[1]);
		take(from_helper[0]);
		for (uint64_t j = 0; j < nap_count; j++) {
			nap(10, &naps_ns);
			compute(1, &server_ran_ns);
		}
		give(to_client[1]);
	}
	return NULL;
}

static void *helper(void *unused)
{
	(void)unused;
	set_name("helper");
	for (uint64_t i = 0; i < round_count; i++) {
		take(to_helper[0]);
		nap(15, &helper_nap_ns);
		compute(5, &helper_ran_ns);
		give(from_helper[1]);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];

	round_count = argument(argc, argv, 1, 10);
	nap_count = argument(argc, argv, 2, 2);
	if (pipe(to_server) || pipe(to_client) || pipe(to_helper) || pipe(from_helper))
		die("pipe");
	threads[0] = start_thread(helper, NULL);
	threads[1] = start_thread(server, NULL);
	threads[2] = start_thread(client, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("{\"rounds\":%llu,\"wait_ns\":%llu,\"naps_ns\":%llu,\"helper_nap_ns\":%llu,"
	       "\"server_ran_ns\":%llu,\"helper_ran_ns\":%llu}\n",
		(unsigned long long)round_count, (unsigned long long)client_waits_ns,
		(unsigned long long)naps_ns, (unsigned long long)helper_nap_ns,
		(unsigned long long)server_ran_ns, (unsigned long long)helper_ran_ns);
	return 0;
}
