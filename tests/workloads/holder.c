// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * holder [MS] [THREADS] [HOLD_US]: threads "user-0", "user-1", ... and "refresher" share a mutex
 * for so long. The refresher sleeps 5 ms while it holds it, in refresh_cache(), and as long without
 * it, in rest(); the users compute HOLD_US in use_cache(). All note when they asked for it, had it
 * and gave it back; what is printed is how much of the time that the users waited each one had it.
 */
#include "workload.h"

#define MAX_HOLDS 200000
#define MAX_THREADS 16
#define NAP_MS 5

struct hold {
	uint64_t asked, had, gave_back;
};

static struct member {
	pthread_t thread;
	struct hold *holds;
	size_t count;
	int number;
} members[MAX_THREADS];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t end_ns, hold_ns;
static int thread_count;

NAMED static void refresh_cache(void)
{
	sleep_ns(NAP_MS * NS_PER_MS);
}

NAMED static void rest(void)
{
	sleep_ns(NAP_MS * NS_PER_MS);
}

NAMED static void use_cache(void)
{
	burn_ns(hold_ns);
}

static void ask(struct member *member)
{
	member->holds[member->count].asked = wall_ns();
	pthread_mutex_lock(&mutex);
	member->holds[member->count].had = wall_ns();
}

static void give_back(struct member *member)
{
	member->holds[member->count].gave_back = wall_ns();
	pthread_mutex_unlock(&mutex);
	member->count++;
}

static void *refresher(void *context)
{
	struct member *member = context;

	set_name("refresher");
	while (wall_ns() < end_ns && member->count < MAX_HOLDS) {
		ask(member);
		refresh_cache();
		give_back(member);
		rest();
	}
	return NULL;
}

static void *user(void *context)
{
	struct member *member = context;
	char name[16];

	snprintf(name, sizeof(name), "user-%u", (unsigned int)(member->number - 1) % 100);
	set_name(name);
	while (wall_ns() < end_ns && member->count < MAX_HOLDS) {
		ask(member);
		use_cache();
		give_back(member);
		sleep_ns(200000);
	}
	return NULL;
}

/* How much of [from, to) lies in the member's holds, which ascend; *at is where to look on. */
static uint64_t held_within(const struct member *member, uint64_t from, uint64_t to, size_t *at)
{
	uint64_t ns = 0;

	while (*at < member->count && member->holds[*at].gave_back <= from)
		++*at;
	for (size_t i = *at; i < member->count && member->holds[i].had < to; i++) {
		uint64_t begin = member->holds[i].had > from ? member->holds[i].had : from;
		uint64_t end = member->holds[i].gave_back < to ? member->holds[i].gave_back : to;
		ns += end > begin ? end - begin : 0;
	}
	return ns;
}

/* The users' time at the mutex that `holder` had it. */
static uint64_t waits_for(const struct member *holder)
{
	uint64_t ns = 0;

	for (int i = 1; i < thread_count; i++) {
		size_t at = 0;
		if (&members[i] == holder)
			continue;
		for (size_t j = 0; j < members[i].count; j++)
			ns += held_within(
				holder, members[i].holds[j].asked, members[i].holds[j].had, &at);
	}
	return ns;
}

int main(int argc, char **argv)
{
	uint64_t waited_ns = 0, others_ns = 0;

	end_ns = wall_ns() + argument(argc, argv, 1, 1000) * NS_PER_MS;
	thread_count = 1 + (int)argument(argc, argv, 2, 3);
	hold_ns = argument(argc, argv, 3, 50) * 1000;
	if (thread_count > MAX_THREADS)
		thread_count = MAX_THREADS;
	for (int i = 0; i < thread_count; i++) {
		members[i].number = i;
		members[i].holds = calloc(MAX_HOLDS, sizeof(struct hold));
		if (!members[i].holds)
			die("calloc");
	}
	for (int i = 0; i < thread_count; i++)
		members[i].thread = start_thread(i ? user : refresher, &members[i]);
	for (int i = 0; i < thread_count; i++)
		pthread_join(members[i].thread, NULL);
	for (int i = 1; i < thread_count; i++) {
		for (size_t j = 0; j < members[i].count; j++)
			waited_ns += members[i].holds[j].had - members[i].holds[j].asked;
		others_ns += waits_for(&members[i]);
	}
	printf("{\"pid\":%d,\"waited_ns\":%llu,\"for_refresher_ns\":%llu,\"for_users_ns\":%llu}\n",
		(int)getpid(), (unsigned long long)waited_ns,
		(unsigned long long)waits_for(&members[0]), (unsigned long long)others_ns);
	return 0;
}
