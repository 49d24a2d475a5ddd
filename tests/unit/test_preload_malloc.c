// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the preloaded library tells of blocks. Its functions are this program's own malloc() and so
 * on, every block is sampled, and the hooks are here and write down what they are told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ASan's own malloc() is in these programs: it has to come first. */
#ifdef __SANITIZE_ADDRESS__
static void the_plain_build_has_the_tests(void **state)
{
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_plain_build_has_the_tests)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
#include "preload/malloc.c"
#include "preload/next.c"
#include "preload/modules.c"
#include "preload/operators.c"
#include "preload/sampled.c"
#include "preload/sampler.c"

#define TOLD_MOST 64

struct told {
	char what; /* 'a'llocated, 'f'reed, 'u'ntracked */
	void *address;
	size_t size;
	size_t allocations;
};

/* Only what this thread does between listen() and hush(), which is nothing of cmocka's. */
static struct told told[TOLD_MOST];
static size_t told_count;
static __thread bool is_listening;

static void tell(char what, void *address, size_t size, size_t allocations)
{
	if (!is_listening)
		return;
	is_listening = told_count + 1 < TOLD_MOST;
	told[told_count++] = (struct told){what, address, size, allocations};
}

void dwell_alloc_sampled(void *address, size_t size, size_t allocations)
{
	tell('a', address, size, allocations);
}

void dwell_alloc_untracked(void *address)
{
	tell('u', address, 0, 0);
}

void dwell_free_sampled(void *address)
{
	tell('f', address, 0, 0);
}

static void listen_to_hooks(void)
{
	told_count = 0;
	is_listening = true;
}

/* As "a100 f a200": what was told, and sizes. */
static const char *heard(void)
{
	static char text[256];
	size_t length = 0;

	is_listening = false;
	text[0] = 0;
	for (size_t i = 0; i < told_count; i++) {
		length += (size_t)sprintf(text + length, "%s%c", i ? " " : "", told[i].what);
		if (told[i].what == 'a')
			length += (size_t)sprintf(text + length, "%zu", told[i].size);
	}
	return text;
}

static void each_way_to_get_a_block_is_told_once(void **state)
{
	void *block;

	(void)state;
#define ASSERT_TOLD(text, allocate)                                                                \
	listen_to_hooks();                                                                         \
	allocate;                                                                                  \
	free(block);                                                                               \
	assert_string_equal(heard(), text " f");                                                   \
	assert_ptr_equal(told[0].address, told[1].address);                                        \
	assert_int_equal(told[0].allocations, 1)

	ASSERT_TOLD("a100", block = malloc(100));
	ASSERT_TOLD("a1", block = malloc(0));
	ASSERT_TOLD("a60", block = calloc(20, 3));
	ASSERT_TOLD("a100", block = realloc(NULL, 100));
	ASSERT_TOLD("a100", block = reallocarray(NULL, 20, 5));
	ASSERT_TOLD("a100", assert_int_equal(posix_memalign(&block, 64, 100), 0));
	ASSERT_TOLD("a128", block = aligned_alloc(64, 128));
	ASSERT_TOLD("a100", block = memalign(64, 100));
	ASSERT_TOLD("a100", block = valloc(100));
	ASSERT_TOLD("a100", block = pvalloc(100));
	ASSERT_TOLD("a1000000", block = malloc(1000000));
#undef ASSERT_TOLD
}

static void a_change_of_size_is_an_end_and_a_beginning(void **state)
{
	void *block, *same, *grown;

	(void)state;
	listen_to_hooks();
	block = malloc(1000);
	same = realloc(block, 990);
	grown = realloc(same, 1000000);
	assert_null(realloc(grown, 0));
	assert_string_equal(heard(), "a1000 f a990 f a1000000 f");
	assert_ptr_equal(told[1].address, told[0].address);
	assert_ptr_equal(told[3].address, told[2].address);
	assert_ptr_equal(told[5].address, told[4].address);
}

static void what_fails_is_not_told(void **state)
{
	volatile size_t much = SIZE_MAX;
	void *block = NULL;

	(void)state;
	listen_to_hooks();
	errno = 0;
	assert_null(malloc(much));
	assert_int_equal(errno, ENOMEM);
	assert_null(calloc(much, 2));
	assert_int_equal(posix_memalign(&block, 3, 100), EINVAL);
	assert_null(block);
	assert_null(reallocarray(NULL, much, 2));
	free(NULL);
	assert_string_equal(heard(), "");
}

static void errno_is_the_programs(void **state)
{
	(void)state;
	errno = 77;
	free(malloc(100));
	free(realloc(malloc(10), 100000));
	assert_int_equal(errno, 77);
}

/* Allocators whose functions call each other, as libraries with one malloc() of their own have
 * them. */
static void *calloc_by_malloc(size_t count, size_t size)
{
	return memset(malloc(count * size), 0, count * size);
}

static void *realloc_by_malloc(void *old, size_t size)
{
	void *block = malloc(size);

	if (old)
		memcpy(block, old, size < 10 ? size : 10);
	free(old);
	return block;
}

static void functions_that_call_each_other_count_once(void **state)
{
	struct next real = next;
	void *block;

	(void)state;
	next.calloc = calloc_by_malloc;
	next.realloc = realloc_by_malloc;
	listen_to_hooks();
	block = calloc(10, 10);
	block = realloc(block, 200);
	free(block);
	next = real;
	assert_string_equal(heard(), "a100 f a200 f");
}

static void *plain_new(size_t size)
{
	return next.malloc(size);
}

static void plain_delete(void *block)
{
	next.free(block);
}

static void set_operators(void *create, void *end)
{
	found[INDEX_Znwm] = create;
	found[INDEX_ZdlPv] = end;
	counts_inside[INDEX_Znwm] = false;
}

static void operators_count_once_whatever_they_call(void **state)
{
	(void)state;
	/* libstdc++'s. */
	set_operators(malloc, free);
	listen_to_hooks();
	_ZdlPv(_Znwm(100));
	assert_string_equal(heard(), "a100 f");
	/* jemalloc's. */
	set_operators(plain_new, plain_delete);
	listen_to_hooks();
	_ZdlPv(_Znwm(100));
	_ZdlPv(_Znwm(0));
	assert_string_equal(heard(), "a100 f a1 f");
	/* None, and what dlsym() makes of that comes first. */
	set_operators(NULL, NULL);
	_ZdlPv(_Znwm(100));
	listen_to_hooks();
	_ZdlPv(_Znwm(100));
	assert_string_equal(heard(), "a100 f");
}

static void operators_that_count_inside_are_recognised(void **state)
{
	(void)state;
	sampler_start("1000000000");
	sampler_restart();
	free(malloc(1));
	set_operators(malloc, free);
	_ZdlPv(_Znwm(100));
	assert_true(counts_inside[INDEX_Znwm]);
	set_operators(plain_new, plain_delete);
	_ZdlPv(_Znwm(100));
	assert_false(counts_inside[INDEX_Znwm]);
	sampler_start("1");
	sampler_restart();
}

static void a_block_that_ended_unseen_ends_when_its_address_is_back(void **state)
{
	void *block, *again;

	(void)state;
	listen_to_hooks();
	block = malloc(100);
	next.free(block);
	again = malloc(100);
	assert_ptr_equal(again, block);
	free(again);
	assert_string_equal(heard(), "a100 f a100 f");
}

static void what_finds_no_room_is_told_to_be_untracked(void **state)
{
	static struct bucket kept[SAMPLED_BUCKETS];
	void *block;

	(void)state;
	memcpy(kept, buckets, sizeof(kept));
	for (size_t i = 0; i < SAMPLED_BUCKETS; i++)
		for (size_t j = 0; j < SAMPLED_BUCKET_SLOTS; j++)
			if (!buckets[i].slots[j])
				buckets[i].slots[j] = 1;
	listen_to_hooks();
	block = malloc(100);
	free(block);
	is_listening = false;
	memcpy(buckets, kept, sizeof(kept));
	assert_string_equal(heard(), "a100 u");
	assert_ptr_equal(told[1].address, block);
}

static void memory_lent_to_dlsym_can_be_moved_and_freed(void **state)
{
	char *block, *other, *moved;

	(void)state;
	is_looking = true;
	block = first_calloc(5, 10);
	other = first_malloc(10);
	is_looking = false;
	assert_true(next_lent(block));
	strcpy(block, "text");
	listen_to_hooks();
	moved = realloc(block, 1000);
	free(other);
	assert_string_equal(moved, "text");
	free(moved);
	assert_string_equal(heard(), "a1000 f");
	assert_null(lend(ARENA_BYTES));
	assert_null(lend(SIZE_MAX));
}

/* It knows its parent's blocks, and samples others than its siblings would. */
static void a_child_frees_what_its_parent_made(void **state)
{
	void *block = malloc(100);
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		sampler_restart();
		listen_to_hooks();
		free(block);
		free(malloc(10));
		_exit(strcmp(heard(), "f a10 f") != 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	free(block);
}

static void *free_here(void *block)
{
	listen_to_hooks();
	free(block);
	is_listening = false;
	return NULL;
}

static void another_thread_may_free(void **state)
{
	void *block;
	pthread_t thread;

	(void)state;
	block = malloc(100);
	pthread_create(&thread, NULL, free_here, block);
	pthread_join(thread, NULL);
	assert_string_equal(heard(), "f");
	assert_ptr_equal(told[0].address, block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_way_to_get_a_block_is_told_once),
		cmocka_unit_test(a_change_of_size_is_an_end_and_a_beginning),
		cmocka_unit_test(what_fails_is_not_told),
		cmocka_unit_test(errno_is_the_programs),
		cmocka_unit_test(functions_that_call_each_other_count_once),
		cmocka_unit_test(operators_count_once_whatever_they_call),
		cmocka_unit_test(operators_that_count_inside_are_recognised),
		cmocka_unit_test(a_block_that_ended_unseen_ends_when_its_address_is_back),
		cmocka_unit_test(what_finds_no_room_is_told_to_be_untracked),
		cmocka_unit_test(memory_lent_to_dlsym_can_be_moved_and_freed),
		cmocka_unit_test(a_child_frees_what_its_parent_made),
		cmocka_unit_test(another_thread_may_free),
	};

	sampler_start("1");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
