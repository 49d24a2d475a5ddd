// SPDX-License-Identifier: GPL-2.0-or-later
/* The judgement on facts, their table, and what the probe says to a user without rights. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <grp.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/check.h"
#include "cli/fact_table.h"

static void nothing_missing_means_go(void **state)
{
	struct facts facts = {0};
	struct why why = {"untouched"};

	(void)state;
	facts_add(&facts, FACT_NEEDED, FACT_OK, "BTF", "there");
	facts_add(&facts, FACT_NEEDED, FACT_LIMITED, "memory", "little");
	facts_add(&facts, FACT_NEEDED, FACT_UNKNOWN, "lockdown", "not tried");
	facts_add(&facts, FACT_HELPFUL, FACT_MISSING, "PMU", "not there");
	assert_int_equal(facts_judge(&facts, &why), 0);
	assert_string_equal(why.text, "untouched");
	facts_clear(&facts);
}

static void rights_with_one_cure_are_named_together(void **state)
{
	struct facts facts = {0};
	struct why why;

	(void)state;
	facts_add(&facts, FACT_NEEDED, FACT_MISSING, "CAP_BPF", "no programs");
	facts_is_permission(&facts);
	facts_fix(&facts, "sudo dwell");
	facts_add(&facts, FACT_NEEDED, FACT_MISSING, "CAP_PERFMON", "no scheduler");
	facts_is_permission(&facts);
	facts_fix(&facts, "sudo dwell");
	facts_add(&facts, FACT_HELPFUL, FACT_MISSING, "CAP_SYSLOG", "no names");
	facts_is_permission(&facts);
	facts_fix(&facts, "sudo dwell");
	assert_int_equal(facts_judge(&facts, &why), -EPERM);
	assert_string_equal(
		why.text, "cannot record here: missing CAP_BPF, CAP_PERFMON; fix: sudo dwell");
	facts_clear(&facts);
}

static void a_missing_kernel_feature_is_no_matter_of_rights(void **state)
{
	struct facts facts = {0};
	struct why why;

	(void)state;
	facts_add(&facts, FACT_NEEDED, FACT_OK, "CAP_BPF", "held");
	facts_add(&facts, FACT_NEEDED, FACT_MISSING, "BTF", "no %s", "file");
	assert_int_equal(facts_judge(&facts, &why), -ENOTSUP);
	assert_string_equal(why.text, "cannot record here: missing BTF: no file");
	facts_clear(&facts);
}

static void a_table_wraps_effects_and_spells_a_fix_out_once(void **state)
{
	struct facts facts = {0};
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	facts_add(&facts, FACT_NEEDED, FACT_MISSING, "first", "a long effect that needs two lines");
	facts_fix(&facts, "sudo mend");
	facts_add(&facts, FACT_MACHINE, FACT_OK, "second", "short");
	facts_fix(&facts, "sudo mend");
	fact_table_print(out, &facts, 42);
	fclose(out);
	assert_string_equal(text, "Needed to record\n"
				  "  missing  first   a long effect that\n"
				  "                   needs two lines\n"
				  "           fix: sudo mend\n"
				  "\n"
				  "Makes recordings better\n"
				  "\n"
				  "This machine\n"
				  "  ok       second  short\n"
				  "           fix: as for first\n");
	free(text);
	facts_clear(&facts);
}

static const struct fact *find(const struct facts *facts, const char *name)
{
	vec_each (fact, &facts->list)
		if (!strcmp(fact->name, name))
			return fact;
	return NULL;
}

/* Gives up all rights; what fails in here is told by the exit status. */
static int without_rights(void)
{
	struct facts facts = {0};
	struct why why = {""};

	if (!geteuid() && (setgroups(0, NULL) || setgid(65534) || setuid(65534)))
		return 10;
	if (check_require(&why) != -EPERM)
		return 11;
	if (!strstr(why.text, "CAP_BPF") || !strstr(why.text, "CAP_PERFMON") ||
		!strstr(why.text, "sudo setcap cap_bpf,cap_perfmon,"))
		return 12;
	check_facts(1 << 20, &facts);
	const struct fact *right = find(&facts, "CAP_BPF");
	if (!right || right->status != FACT_MISSING || !right->fix)
		return 13;
	if (facts_judge(&facts, NULL) != -EPERM)
		return 14;
	facts_clear(&facts);
	return 0;
}

static void a_user_without_rights_is_told_which_and_how_to_get_them(void **state)
{
	int status = 0;
	pid_t child = fork();

	(void)state;
	if (!child)
		_exit(without_rights());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void every_fact_has_a_name_of_its_own_and_an_effect(void **state)
{
	struct facts facts = {0};
	enum fact_group group = FACT_NEEDED;

	(void)state;
	check_facts(1 << 20, &facts);
	assert_non_null(find(&facts, "BTF"));
	assert_non_null(find(&facts, "pid namespace"));
	vec_each (fact, &facts.list) {
		assert_ptr_equal(find(&facts, fact->name), fact);
		assert_true(fact->effect[0] != 0);
		assert_true(fact->group >= group);
		group = fact->group;
	}
	facts_clear(&facts);
}

static void the_full_probe_and_the_short_one_agree(void **state)
{
	struct facts facts = {0};
	struct why by_facts = {""}, by_require = {""};

	(void)state;
	check_facts(1 << 20, &facts);
	assert_int_equal(facts_judge(&facts, &by_facts), check_require(&by_require));
	assert_string_equal(by_facts.text, by_require.text);
	facts_clear(&facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_missing_means_go),
		cmocka_unit_test(rights_with_one_cure_are_named_together),
		cmocka_unit_test(a_missing_kernel_feature_is_no_matter_of_rights),
		cmocka_unit_test(a_table_wraps_effects_and_spells_a_fix_out_once),
		cmocka_unit_test(a_user_without_rights_is_told_which_and_how_to_get_them),
		cmocka_unit_test(every_fact_has_a_name_of_its_own_and_an_effect),
		cmocka_unit_test(the_full_probe_and_the_short_one_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
