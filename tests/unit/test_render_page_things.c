// SPDX-License-Identifier: GPL-2.0-or-later
/* What waits were for, in a page: in words, harmless, and without names where that is asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "page_sample.h"
#include "things_sample.h"

static char *page_with_things(bool is_redacted)
{
	struct view_sample sample;

	sample_open_things(&sample);
	char *page = page_of(&sample, is_redacted);
	sample_end(&sample);
	return page;
}

static void things_are_told_in_words(void **state)
{
	_cleanup_free_ char *page = page_with_things(false);
	_cleanup_free_ char *head = head_of(page);
	(void)state;

	const char *things = strstr(head, "\"things\":[[");
	assert_non_null(things);
	assert_non_null(strstr(things, "[\"/var/lib/db/pg_wal/0001\",\"file\",false]"));
	assert_non_null(strstr(things, "[\"mutex cache_lock\",\"futex\",false]"));
	assert_non_null(strstr(things, "[\"other files\",\"file\",true]"));
	/* Two eventfds read the same: they are one thing. */
	assert_non_null(strstr(things, "[\"an eventfd\",\"eventfd\",false]"));
	assert_non_null(strstr(head, "[\"thing\",\"plain\"]"));
	/* Bytes that are no text have gone; the rest is inside a JSON text inside of base64. */
	assert_non_null(strstr(things, "[\"/tmp/?[2Ja;b?</script><b>&?\",\"file\",false]"));
	assert_null(strstr(strstr(page, "<body>"), "a;b?</script><b>"));
}

static void a_redacted_page_has_no_names_of_things(void **state)
{
	/* What packed data does not hold by chance comes first. */
	static const char *const secrets[] = {"pg_wal", "10.0.0", "a;b", "/var", "0001"};
	_cleanup_free_ char *page = page_with_things(true);
	_cleanup_free_ char *head = head_of(page);
	const char *things = strstr(head, "\"things\":[[");
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(secrets); i++) {
		assert_null(strstr(head, secrets[i]));
		if (i < 3)
			assert_null(strstr(strstr(page, "<body>"), secrets[i]));
	}
	/* Two files stay two; symbols are no secret, as functions' names are none. */
	assert_non_null(strstr(things, "[\"a file on vda1 (1)\",\"file\",false]"));
	assert_non_null(strstr(things, "[\"a file on vda1 (2)\",\"file\",false]"));
	assert_non_null(strstr(things, "[\"TCP to port 9000\",\"tcp to\",false]"));
	assert_non_null(strstr(things, "[\"mutex cache_lock\",\"futex\",false]"));
}

static void without_things_the_list_is_empty(void **state)
{
	struct view_sample sample;
	(void)state;

	sample_begin(&sample, 10);
	sample_fill(&sample);
	sample_finish(&sample);
	_cleanup_free_ char *page = page_of(&sample, false);
	_cleanup_free_ char *head = head_of(page);
	assert_non_null(strstr(head, "\"things\":[]"));
	sample_end(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(things_are_told_in_words),
		cmocka_unit_test(a_redacted_page_has_no_names_of_things),
		cmocka_unit_test(without_things_the_list_is_empty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
