// SPDX-License-Identifier: GPL-2.0-or-later
/* What awaited things are called, with and without what is nobody else's business. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "model/awaited.h"
#include "util/mem.h"

static void check_text(
	const struct awaited *thing, const char *primitive, bool is_redacted, const char *expected)
{
	_cleanup_free_ char *text = awaited_text(thing, primitive, is_redacted);

	assert_string_equal(text, expected);
}

static void things_are_called_as_people_call_them(void **state)
{
	static const struct {
		struct awaited thing;
		const char *primitive, *text, *redacted;
	} cases[] = {
		{{AWAITED_FILE, false, "/var/db/wal", "vda1", 0, 7}, NULL, "/var/db/wal",
			"a file on vda1"},
		{{AWAITED_FILE, true, "", "", 0, 0}, NULL, "other files", "other files"},
		{{AWAITED_FAULT, false, "/lib/x.so", "vda1", 0, 7}, NULL, "a page of /lib/x.so",
			"a page of a file on vda1"},
		{{AWAITED_TCP_TO, false, "127.0.0.1", "", 9000, 0}, NULL, "TCP to 127.0.0.1:9000",
			"TCP to port 9000"},
		{{AWAITED_TCP_TO, false, "fe80::1", "", 80, 0}, NULL, "TCP to [fe80::1]:80",
			"TCP to port 80"},
		{{AWAITED_TCP_FROM, false, "10.0.0.5", "", 5432, 0}, NULL,
			"its client on :5432 from 10.0.0.5", "its client on :5432"},
		{{AWAITED_TCP_LISTEN, false, "", "", 80, 0}, NULL, "TCP connections to :80",
			"TCP connections to :80"},
		{{AWAITED_UDP, false, "10.0.0.1", "", 53, 0}, NULL, "UDP to 10.0.0.1:53",
			"UDP on :53"},
		{{AWAITED_UNIX_TO, false, "/run/db.sock", "", 0, 0}, NULL,
			"unix socket /run/db.sock", "unix socket"},
		{{AWAITED_UNIX_FROM, false, "/run/db.sock", "", 0, 0}, NULL,
			"its client on /run/db.sock", "its client on a unix socket"},
		{{AWAITED_PIPE, false, "", "", 0, 4711}, NULL, "pipe 4711", "pipe 4711"},
		{{AWAITED_CHILD, false, "", "", 0, 42}, NULL, "process 42", "process 42"},
		{{AWAITED_FUTEX, false, "cache_lock", "server", 0, 0x4010}, "mutex",
			"mutex cache_lock", "mutex cache_lock"},
		{{AWAITED_FUTEX, false, "/dev/shm/x", "shared memory", 0, 0x40}, "semaphore",
			"semaphore in /dev/shm/x", "semaphore at 0x40 (shared memory)"},
		{{AWAITED_FUTEX, false, "", "heap", 0, 0x4010}, NULL, "futex at 0x4010 (heap)",
			"futex at 0x4010 (heap)"},
		{{AWAITED_FILE, false, "/tmp/\x1b[2Jx", "", 0, 7}, NULL, "/tmp/?[2Jx", "a file"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		check_text(&cases[i].thing, cases[i].primitive, false, cases[i].text);
		check_text(&cases[i].thing, cases[i].primitive, true, cases[i].redacted);
	}
}

static void every_kind_has_words(void **state)
{
	(void)state;
	for (unsigned int kind = 0; kind < AWAITED_KINDS; kind++) {
		struct awaited thing = {(enum awaited_kind)kind, false, "", "", 0, 0};
		_cleanup_free_ char *one = awaited_text(&thing, NULL, false);
		thing.is_folded = true;
		_cleanup_free_ char *several = awaited_text(&thing, NULL, false);

		assert_true(*one && *several);
		assert_string_not_equal(awaited_kind_name((enum awaited_kind)kind), "unknown");
	}
	assert_string_equal(awaited_kind_name(AWAITED_KINDS), "unknown");
}

static void a_thing_is_believed_only_where_it_fits(void **state)
{
	(void)state;
	assert_true(awaited_fits(AWAITED_FILE, REASON_DISK));
	assert_true(awaited_fits(AWAITED_FUTEX, REASON_FUTEX));
	/* A page fault or a stop amid a system call that has nothing to do with it. */
	assert_false(awaited_fits(AWAITED_PIPE, REASON_DISK));
	assert_false(awaited_fits(AWAITED_TCP_TO, REASON_DISK));
	assert_false(awaited_fits(AWAITED_FUTEX, REASON_FAULT));
	for (unsigned int kind = 0; kind < AWAITED_KINDS; kind++)
		assert_false(awaited_fits((enum awaited_kind)kind, REASON_STOPPED));
	assert_false(awaited_fits(AWAITED_NONE, REASON_DISK));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(things_are_called_as_people_call_them),
		cmocka_unit_test(every_kind_has_words),
		cmocka_unit_test(a_thing_is_believed_only_where_it_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
