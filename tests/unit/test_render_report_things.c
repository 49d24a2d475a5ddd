// SPDX-License-Identifier: GPL-2.0-or-later
/* What waits were for, who held it, and who can never go on, as the report says it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "render/report/report_causes.h"
#include "render/report/report_json.h"
#include "render/report/report_text.h"
#include "render/report/report_wait.h"
#include "thing_sample.h"

#define LOCKING "main;take_both;pthread_mutex_lock;__lll_lock_wait"

static const struct summary_shapes shapes = {
	.waits = {.by = {BY_COMM}, .by_count = 1},
	.groups = {.by = {BY_NAME}, .by_count = 1},
};

static const struct report_style style = {
	.file = "last.dwell", .width = REPORT_WIDTH, .is_by_process = true};

static struct summary *summarize(struct view_sample *sample)
{
	struct view_filter filter;
	struct summary *summary = NULL;
	struct why why = {""};

	sample_finish(sample);
	view_filter_init(&filter);
	filter.idle = IDLE_HIDE;
	if (summary_new(sample->recording, &filter, &shapes, &summary, &why))
		fail_msg("%s", why.text);
	view_filter_clear(&filter);
	return summary;
}

/* The screen, its lines joined, so that sentences can be looked for. */
static char *screen_of(const struct summary *summary)
{
	char *text = NULL;

	sample_print(text, out, report_text(summary, &style, out));
	for (char *at = text; *at; at++)
		if (*at == '\n')
			*at = ' ';
	return text;
}

static void assert_says(const char *text, const char *wanted)
{
	if (!strstr(text, wanted))
		fail_msg("\"%s\" is not said in: %s", wanted, text);
}

static void assert_silent(const char *text, const char *unwanted)
{
	if (strstr(text, unwanted))
		fail_msg("\"%s\" is said in: %s", unwanted, text);
}

static void the_report_says_for_what(void **state)
{
	struct view_sample sample;
	char *text = NULL, *waits = NULL, *json = NULL;
	(void)state;

	sample_begin(&sample, 10);
	sample_fill_service(&sample);
	struct summary *summary = summarize(&sample);
	sample_print(text, out, report_text(summary, &style, out));
	assert_golden(text, "report-things.txt");
	sample_print(waits, out, {
		for (size_t i = 1; i <= summary->lines.count; i++)
			report_wait(summary, i, &style, out);
	});
	assert_golden(waits, "report-things-wait.txt");
	sample_print(json, out,
		report_json(summary, &(struct report_json_options){.file = "last.dwell"}, out));
	assert_golden(json, "report-things.json");
	free(text);
	free(waits);
	free(json);
	summary_free(summary);
	sample_end(&sample);
}

static char *sentence_of(const struct summary *summary, size_t line)
{
	struct explanation explanation;

	explain_line(summary, line, &explanation);
	char *text = cause_sentence(&explanation, "");
	explanation_clear(&explanation);
	return text;
}

/* The page's: what it has of the report's sentences has no paths. */
static void a_redacted_sentence_has_no_paths(void **state)
{
	struct view_sample sample;
	(void)state;

	sample_begin(&sample, 10);
	sample_fill_service(&sample);
	struct summary *summary = summarize(&sample);
	things_redact(&summary->things);
	_cleanup_free_ char *text = sentence_of(summary, 0);
	assert_says(text, "in fsync of a file on vda1 (store, disk vda, see 2) 83 %");
	summary_free(summary);
	sample_end(&sample);
}

/*
 * A holder that was in fsync of one file and of another: what is said is what is true of all of it.
 * An entry for one file does not tell more about another.
 */
static void a_holders_thing_is_said_if_it_is_one(void **state)
{
	static const struct {
		uint64_t ms[2];
		const char *files[2];
		size_t chains;
		const char *said;
	} cases[] = {{{900, 100}, {"/a", "/b"}, 2,
			     "Held by keeper 100 %: in fsync of /a (store, disk vda)."},
		{{500, 500}, {"/a", "/b"}, 2,
			"Held by keeper 100 %: in fsync (store, disk vda, see 2)."},
		/* Files of a series are one thing, and their chains one chain. */
		{{500, 500}, {"/log.17", "/log.18"}, 1,
			"Held by keeper 100 %: in fsync of /log.* (store, disk vda)."}};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct view_sample sample;
		sample_begin(&sample, 10);
		sample.meta.chain_depth = 8;
		uint64_t store = sample_user(&sample, "main;store;fsync");
		uint64_t fsync = sample_kernel(&sample, KERNEL_FSYNC);
		const struct rec_hop keeper = {
			HOP_TASK, "keeper", STACK_NONE, STACK_NONE, STACK_NONE, STACK_NONE, 0};
		struct rec_hop disk = {HOP_DISK, "vda", STACK_NONE, STACK_NONE, fsync, store, 0};
		struct rec_sum sum = {.thread = 1,
			.count = 10,
			.user_stack = sample_user(&sample, LOCKING),
			.kernel_stack = sample_kernel(&sample, KERNEL_FUTEX)};
		sample_add_thread(&sample, 1, "shop", "ask", false, 0, NS_PER_S,
			(uint64_t[]){0, 0, 0, 1000 * MS});
		sample_add_thread(&sample, 2, "shop", "keeper", false, 0, NS_PER_S,
			(uint64_t[]){0, 0, 0, 900 * MS});
		for (size_t j = 0; j < 2; j++) {
			disk.waited_for = sample_file(&sample, cases[i].files[j]);
			uint64_t chain = sample_chain(
				&sample, CHAIN_METAL, (struct rec_hop[]){keeper, disk}, 2);
			sum.ns = cases[i].ms[j] * MS;
			sample_add_wait(&sample, sum, chain,
				(struct rec_share[]){{0}, {.ran_ns = sum.ns}, {0}}, 3);
		}
		sample_wait_for(
			&sample, 2, 10, 900 * MS, store, fsync, sample_file(&sample, "/c"), 0);
		struct summary *summary = summarize(&sample);
		_cleanup_free_ char *text = sentence_of(summary, 0);
		size_t chains;
		assert_string_equal(text, cases[i].said);
		causes_of(&summary->causes, 0, &chains);
		assert_int_equal(chains, cases[i].chains);
		summary_free(summary);
		sample_end(&sample);
	}
}

static void add_stuck_threads(struct view_sample *sample, const char *const *names, size_t count)
{
	sample_begin(sample, 2);
	sample->meta.chain_depth = 8;
	for (size_t i = 0; i < count; i++)
		sample_add_thread(sample, (uint32_t)i + 1, "shop", names[i], false, 0, 2000 * MS,
			(uint64_t[]){0, 0, 0, 2000 * MS});
}

static void threads_that_wait_for_each_other_are_a_deadlock(void **state)
{
	static const char *const names[] = {"left", "right", "late"};
	struct view_sample sample;
	char *json = NULL;
	(void)state;

	add_stuck_threads(&sample, names, ARRAY_SIZE(names));
	uint64_t left = sample_futex(&sample, "left_lock", 0x10);
	uint64_t right = sample_futex(&sample, "", 0x20);
	sample_stick(&sample, 1, LOCKING, KERNEL_FUTEX, right, 2);
	sample_stick(&sample, 2, LOCKING, KERNEL_FUTEX, left, 1);
	sample_stick(&sample, 3, "main;come;pthread_mutex_lock", KERNEL_FUTEX, left, 1);
	struct summary *summary = summarize(&sample);
	assert_int_equal(summary->deadlocks.at.count, 1);
	assert_int_equal(summary->deadlocks.at.at[0].count, 2);
	_cleanup_free_ char *text = screen_of(summary);
	assert_says(text,
		"In short: Deadlock: left holds mutex left_lock and waits for mutex at "
		"0x20 (shop) (take_both); right holds mutex at 0x20 (shop) and waits for "
		"mutex left_lock (take_both). late is stuck: it waits for mutex left_lock "
		"(come) for 2.0 s; left, which holds it, is part of the deadlock.");
	assert_says(text, "It had not ended when the recording did; right holds it.");
	sample_print(json, out,
		report_json(summary, &(struct report_json_options){.file = "last.dwell"}, out));
	assert_says(json, "\"deadlocks\":[{\"threads\":[{\"thread\":\"left\",\"tid\":101,"
			  "\"waits_for\":\"mutex at 0x20 (shop)\",\"holds\":\"mutex left_lock\","
			  "\"function\":\"take_both\"");
	free(json);
	summary_free(summary);
	sample_end(&sample);
}

static void who_waits_for_what_it_has_is_a_deadlock_alone(void **state)
{
	static const char *const names[] = {"again"};
	struct view_sample sample;
	(void)state;

	add_stuck_threads(&sample, names, ARRAY_SIZE(names));
	sample_stick(&sample, 1, LOCKING, KERNEL_FUTEX, sample_futex(&sample, "once", 0x10), 1);
	struct summary *summary = summarize(&sample);
	_cleanup_free_ char *text = screen_of(summary);
	assert_says(
		text, "Deadlock: again waits for mutex once (take_both), which it holds itself.");
	summary_free(summary);
	sample_end(&sample);
}

static void who_holds_what_somebody_is_stuck_at_is_said(void **state)
{
	static const char *const names[] = {"user", "keeper"};
	static const struct {
		const char *stack, *kernel, *said;
	} cases[] = {
		{"main;keep;nanosleep", KERNEL_NAP,
			"user is stuck: it waits for mutex m (take_both) for 2.0 s; keeper, which "
			"holds it, is asleep in keep."},
		{"main;keep;epoll_wait", KERNEL_EPOLL,
			"; keeper, which holds it, is in epoll_wait (keep)."},
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct view_sample sample;
		add_stuck_threads(&sample, names, ARRAY_SIZE(names));
		sample_stick(&sample, 1, LOCKING, KERNEL_FUTEX, sample_futex(&sample, "m", 16), 2);
		sample_stick(&sample, 2, cases[i].stack, cases[i].kernel, 0, 0);
		struct summary *summary = summarize(&sample);
		_cleanup_free_ char *text = screen_of(summary);
		assert_int_equal(summary->deadlocks.at.count, 0);
		assert_says(text, cases[i].said);
		summary_free(summary);
		sample_end(&sample);
	}
}

/* The word that an owner was read from is one of glibc's mutex, or it is something else. */
static void owners_of_other_locks_are_not_believed(void **state)
{
	static const char *const names[] = {"left", "right"};
	static const char *const stacks[] = {
		"main;take;pthread_cond_wait;__futex_abstimed_wait_common",
		"main;take;malloc;__lll_lock_wait_private",
		"main;runtime.lock2;runtime.futexsleep;runtime.futex",
		"main;take;sem_wait;__new_sem_wait_slow64",
		"main;take;syscall",
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(stacks); i++) {
		struct view_sample sample;
		add_stuck_threads(&sample, names, ARRAY_SIZE(names));
		uint64_t a = sample_futex(&sample, "a", 16), b = sample_futex(&sample, "b", 32);
		sample_stick(&sample, 1, stacks[i], KERNEL_FUTEX, a, 2);
		sample_stick(&sample, 2, stacks[i], KERNEL_FUTEX, b, 1);
		struct summary *summary = summarize(&sample);
		_cleanup_free_ char *text = screen_of(summary);
		assert_int_equal(summary->deadlocks.at.count, 0);
		assert_silent(text, "holds");
		summary_free(summary);
		sample_end(&sample);
	}
}

/* One wait of one thread for a thing, and what the screen says. */
static char *screen_of_wait(const char *user, const char *kernel, struct awaited thing)
{
	struct view_sample sample;

	sample_begin(&sample, 1);
	sample_add_thread(
		&sample, 1, "app", "app", false, 0, NS_PER_S, (uint64_t[]){0, 0, 0, 1000 * MS});
	sample_wait_for(&sample, 1, 10, 1000 * MS, sample_user(&sample, user),
		sample_kernel(&sample, kernel), sample_thing(&sample, thing), 0);
	struct summary *summary = summarize(&sample);
	char *text = screen_of(summary);
	summary_free(summary);
	sample_end(&sample);
	return text;
}

static void headings_say_it_in_the_room_they_have(void **state)
{
	static const struct {
		const char *user, *kernel;
		struct awaited thing;
		const char *heading;
	} cases[] = {
		{"main;serve;epoll_wait", KERNEL_EPOLL,
			{AWAITED_TCP_FROM, false, "::1", "", 5432, 0},
			"1 app  poll, for its client on :5432 "},
		{"main;serve;epoll_wait", KERNEL_EPOLL,
			{AWAITED_TCP_TO, false, "127.0.0.1", "", 9000, 0},
			"1 app  poll, for TCP to 127.0.0.1:9000 "},
		{"main;serve;epoll_wait", KERNEL_EPOLL,
			{AWAITED_TCP_TO, false, "192.168.100.100", "", 9000, 0},
			"1 app  TCP to 192.168.100.100:9000 "},
		{"main;serve;epoll_wait", KERNEL_EPOLL,
			{AWAITED_TCP_TO, false, "192.168.0.10", "", 9000, 0},
			"1 app  poll, TCP to 192.168.0.10:9000 "},
		{"main;ask;recv", KERNEL_RECV, {AWAITED_TCP_TO, false, "10.0.0.5", "", 80, 0},
			"1 app  TCP to 10.0.0.5:80, in recvfrom "},
		{"main;ask;recv", KERNEL_RECV,
			{AWAITED_UNIX_TO, false, "/run/postgresql/.s.PGSQL.5432", "", 0, 0},
			"1 app  unix socket .../.s.PGSQL.5432 "},
		{"main;put;fdatasync", KERNEL_SYNC, {AWAITED_FILE, false, "/a/b", "", 0, 0},
			"1 app  fdatasync of /a/b "},
		{"main;put;fdatasync", KERNEL_SYNC,
			{AWAITED_FILE, false, "/var/lib/redis/dir/base.aof", "", 0, 0},
			"1 app  fdatasync of .../dir/base.aof "},
		{"main;put;fdatasync", KERNEL_SYNC,
			{AWAITED_FILE, false, "/wal/000000010000000000000006", "", 0, 0},
			"1 app  fdatasync of wal/000000...000006 "},
		{"main;put;fdatasync", KERNEL_SYNC,
			{AWAITED_FILE, false, "/db/wal/000000010000000000000006", "", 0, 0},
			"1 app  fdatasync of wal/000000...000006 "},
		{"main;put;fdatasync", KERNEL_SYNC,
			{AWAITED_FILE, false, "/tmp/journal.tmp (deleted)", "", 0, 0},
			"1 app  fdatasync of /tmp/journal.tmp "},
		{"main;put;fdatasync", KERNEL_SYNC, {AWAITED_FILE, false, "", "vda1", 0, 0},
			"1 app  fdatasync of a file on vda1 "},
		{"main;take;read", KERNEL_ENTRY "__x64_sys_read;pipe_read;schedule",
			{AWAITED_PIPE, false, "", "", 0, 4711}, "1 app  read of pipe 4711 "},
		{"main;reap;wait4", KERNEL_ENTRY "__x64_sys_wait4;do_wait;schedule",
			{AWAITED_CHILD, false, "", "", 0, 4711}, "1 app  process 4711, in wait4 "},
		{"main;ask;pthread_mutex_lock", KERNEL_FUTEX,
			{AWAITED_FUTEX, false, "cache_lock", "app", 0, 16},
			"1 app  mutex cache_lock "},
		{"main;take;pthread_cond_wait", KERNEL_FUTEX,
			{AWAITED_FUTEX, false, "ready+0x28", "app", 0, 16},
			"1 app  condition ready+0x28 "},
		{"main;map;munmap",
			KERNEL_ENTRY "__x64_sys_munmap;__vm_munmap;down_write_killable;"
				     "rwsem_down_write_slowpath;schedule",
			{AWAITED_MMAP_LOCK, false, "", "", 0, 0}, "1 app  mmap_lock, in munmap "},
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *text =
			screen_of_wait(cases[i].user, cases[i].kernel, cases[i].thing);
		assert_says(text, cases[i].heading);
	}
}

static void the_verdict_says_it_in_a_phrase(void **state)
{
	static const struct {
		const char *user, *kernel;
		struct awaited thing;
		const char *said;
	} cases[] = {
		{"main;dial;connect",
			KERNEL_ENTRY "__x64_sys_connect;__sys_connect;inet_stream_connect;"
				     "inet_wait_for_connect;wait_woken;schedule",
			{AWAITED_TCP_TO, false, "10.0.0.5", "", 80, 0},
			"for a connect (dial), TCP to 10.0.0.5:80."},
		{"main;put;fdatasync", KERNEL_SYNC, {AWAITED_FILE, false, "/a/b", "", 0, 0},
			"in fdatasync (put) of /a/b."},
		{"main;map;munmap",
			KERNEL_ENTRY "__x64_sys_munmap;__vm_munmap;down_write_killable;"
				     "rwsem_down_write_slowpath;schedule",
			{AWAITED_MMAP_LOCK, false, "", "", 0, 0}, "for the mmap_lock (map)."},
		{"main;ask;std::sys::sync::mutex::futex::Mutex::lock_contended;syscall",
			KERNEL_FUTEX, {AWAITED_FUTEX, false, "CACHE", "app", 0, 16},
			"for Rust mutex CACHE (ask)."},
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *text =
			screen_of_wait(cases[i].user, cases[i].kernel, cases[i].thing);
		assert_says(text, cases[i].said);
	}
}

static void what_does_not_fit_or_says_nothing_is_left_out(void **state)
{
	static const struct {
		const char *user, *kernel;
		struct awaited thing;
		const char *heading, *unsaid;
	} cases[] = {
		/* A system call's file, but the wait is a sleep or a futex. */
		{"main;ask;pthread_mutex_lock", KERNEL_FUTEX,
			{AWAITED_FILE, false, "/secret", "", 0, 0}, "1 app  mutex ", "/secret"},
		{"main;put;fdatasync", KERNEL_SYNC, {AWAITED_FUTEX, false, "lock", "", 0, 16},
			"1 app  disk, in fdatasync ", "lock "},
		{"main;serve;epoll_wait", KERNEL_EPOLL, {AWAITED_EPOLL, false, "", "", 0, 0},
			"1 app  poll, in epoll_wait ", "set"},
		/* A lock that waits in poll is what was waited for. */
		{"main;heap_update;ProcSleep;WaitLatch;epoll_wait", KERNEL_EPOLL,
			{AWAITED_SIGNALFD, false, "", "", 0, 0}, "1 app  PostgreSQL lock ",
			"signal"},
		/* The only one that waits there: its own parking place. */
		{"main;park;syscall", KERNEL_FUTEX, {AWAITED_FUTEX, false, "m0+0x148", "", 0, 16},
			"1 app  futex ", "m0"},
		{"main;park;pthread_cond_wait", KERNEL_FUTEX, {AWAITED_FUTEX, false, "", "", 0, 16},
			"1 app  condition ", "0x10"},
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *text =
			screen_of_wait(cases[i].user, cases[i].kernel, cases[i].thing);
		assert_says(text, cases[i].heading);
		assert_silent(text, cases[i].unsaid);
	}
}

static void hostile_names_are_harmless(void **state)
{
	static const struct awaited things[] = {
		{AWAITED_FILE, false, "/tmp/\x1b[2J;a\nb\xff/\xe2\x80\xae/x", "", 0, 0},
		{AWAITED_FILE, false, "////////////////////////////////////////////////", "", 0, 0},
		{AWAITED_FILE, false, "no slash at all, but long, long, long, long", "", 0, 0},
		{AWAITED_FILE, false,
			"/\303\266\303\266\303\266\303\266\303\266\303\266\303\266"
			"\303\266\303\266\303\266\303\266\303\266\303\266\303\266"
			"\303\266\303\266\303\266\303\266\303\266\303\266\303\266"
			"\303\266\303\266\303\266\303\266\303\266\303\266\303\266"
			"\303\266\303\266\303\266\303\266\303\266\303\266\303\266",
			"", 0, 0},
	};
	_cleanup_free_ char *deep = xcalloc(4096, 1);
	(void)state;

	memset(deep, 'a', 4095);
	for (size_t i = 0; i <= ARRAY_SIZE(things); i++) {
		struct awaited thing = i < ARRAY_SIZE(things) ? things[i]
							      : (struct awaited){AWAITED_FILE,
									false, deep, "", 0, 0};
		struct view_sample sample;
		char *text = NULL;
		size_t column = 0;
		sample_begin(&sample, 1);
		sample_add_thread(&sample, 1, "app", "app", false, 0, NS_PER_S,
			(uint64_t[]){0, 0, 0, 1000 * MS});
		sample_wait_for(&sample, 1, 10, 1000 * MS, sample_user(&sample, "main;fdatasync"),
			sample_kernel(&sample, KERNEL_SYNC), sample_thing(&sample, thing), 0);
		struct summary *summary = summarize(&sample);
		sample_print(text, out, report_text(summary, &style, out));
		for (const char *at = text; *at; at++) {
			assert_int_not_equal(*at, 0x1b);
			column = *at == '\n'                           ? 0
				 : ((unsigned char)*at & 0xc0) == 0x80 ? column
								       : column + 1;
			if (column > REPORT_WIDTH)
				fail_msg("too wide: %s", text);
		}
		free(text);
		summary_free(summary);
		sample_end(&sample);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_report_says_for_what),
		cmocka_unit_test(a_redacted_sentence_has_no_paths),
		cmocka_unit_test(a_holders_thing_is_said_if_it_is_one),
		cmocka_unit_test(threads_that_wait_for_each_other_are_a_deadlock),
		cmocka_unit_test(who_waits_for_what_it_has_is_a_deadlock_alone),
		cmocka_unit_test(who_holds_what_somebody_is_stuck_at_is_said),
		cmocka_unit_test(owners_of_other_locks_are_not_believed),
		cmocka_unit_test(headings_say_it_in_the_room_they_have),
		cmocka_unit_test(the_verdict_says_it_in_a_phrase),
		cmocka_unit_test(what_does_not_fit_or_says_nothing_is_left_out),
		cmocka_unit_test(hostile_names_are_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
