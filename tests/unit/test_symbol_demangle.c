// SPDX-License-Identifier: GPL-2.0-or-later
/* Mangled names: what people read, and that hostile ones cost neither time nor memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "symbol/demangle.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/units.h"

static void check(const char *mangled, const char *wanted)
{
	_cleanup_free_ char *name = demangle(mangled);

	if (!wanted) {
		assert_null(name);
		return;
	}
	assert_non_null(name);
	assert_string_equal(name, wanted);
}

static void cpp_names_come_without_parameters(void **state)
{
	(void)state;
	check("_Z3foov", "foo");
	check("_ZNSt6vectorIiSaIiEE9push_backERKi",
		"std::vector<int, std::allocator<int> >::push_back");
	check("_Z3fooIiEvT_", "foo<int>");
	check("_ZN12_GLOBAL__N_13barEv", "(anonymous namespace)::bar");
	check("_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()");
	check("_ZlsRSoRK3Foo", "operator<<");
}

static void rust_names_come_without_their_hash(void **state)
{
	(void)state;
	check("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
	check("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
	      "3bar17h930b740aa94f1d3aE",
		"<Test + 'static as foo::Bar<Test>>::bar");
	check("_RNvCskwGfYPst2Cb_3foo16example_function", "foo::example_function");
}

static void parts_and_clones_keep_their_suffix(void **state)
{
	(void)state;
	check("_Z3foov.cold", "foo.cold");
	check("_Z3foov.isra.0.cold", "foo.isra.0.cold");
	check("_ZN4core3fmt17h0123456789abcdefE.llvm.1234567", "core::fmt");
	check("_RNvCskwGfYPst2Cb_3foo3bar.llvm.99", "foo::bar");
}

static void other_names_are_left_alone(void **state)
{
	(void)state;
	check("", NULL);
	check("main", NULL);
	check("_Z", NULL);
	check("_R", NULL);
	check("_ZSomethingElse", NULL);
	check("_Reject", NULL);
	check("Z3foov", NULL);
	check("_start", NULL);
}

/* A template whose every level names the one before twice. */
static char *make_bomb(size_t levels)
{
	char *name = xmalloc(64 + levels * 16), *at = name;

	at += sprintf(at, "_Z1fI1AS_E");
	for (size_t i = 0; i < levels; i++)
		at += i ? sprintf(at, "1AIS%zX_S%zX_E", i - 1, i - 1) : sprintf(at, "1AIS_S_E");
	strcpy(at, "v");
	return name;
}

static void a_short_name_for_an_endless_text_is_cut(void **state)
{
	uint64_t start_ns = clock_monotonic_ns();
	char rust[600] = "_RIC0";

	(void)state;
	for (size_t levels = 1; levels < 40; levels++) {
		_cleanup_free_ char *bomb = make_bomb(levels);
		_cleanup_free_ char *name = demangle(bomb);
		assert_true(!name || strlen(name) <= DEMANGLE_MAX_BYTES);
	}
	/* Tuples of back references to the tuple before: twice the text with each. */
	strcat(rust, "TTTuuETuuEE");
	for (int i = 0; i < 40; i++)
		strcat(rust, "TB4_B4_B4_B4_E");
	strcat(rust, "E");
	_cleanup_free_ char *name = demangle(rust);
	assert_true(!name || strlen(name) <= DEMANGLE_MAX_BYTES);
	assert_true(clock_monotonic_ns() - start_ns < 10 * NS_PER_S);
}

static void nested_types(char *to, size_t depth)
{
	/* Each substitution refers to all before: f(A<A<..>, A<..>>, ...). */
	to += sprintf(to, "_Z1fP1A");
	for (size_t i = 0; i < depth; i++)
		to += i ? sprintf(to, "PFvS%zX_S%zX_E", 2 * i, 2 * i) : sprintf(to, "PFvS0_S0_E");
}

static void deep_and_doubling_types_end(void **state)
{
	char *name = xmalloc(100000);

	(void)state;
	for (size_t depth = 1; depth < 60; depth++) {
		nested_types(name, depth);
		_cleanup_free_ char *got = demangle(name);
		assert_true(!got || strlen(got) <= DEMANGLE_MAX_BYTES);
	}
	strcpy(name, "_Z1f");
	memset(name + 4, 'P', 90000);
	strcpy(name + 90004, "i");
	free(demangle(name));
	strcpy(name, "_RI");
	memset(name + 3, 'T', 90000);
	name[90003] = '\0';
	free(demangle(name));
	free(name);
}

static void random_names_end(void **state)
{
	static const char letters[] = "ZRNSTIEBCMXYvi_0123456789h17$.PKFLDpuAns";
	uint32_t seed = 7;
	char name[300];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t length = 2;
		strcpy(name, round % 2 ? "_R" : "_Z");
		while (length < 40 + (size_t)round % 250) {
			seed = seed * 1664525 + 1013904223;
			name[length++] = letters[(seed >> 8) % (sizeof(letters) - 1)];
		}
		name[length] = '\0';
		free(demangle(name));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpp_names_come_without_parameters),
		cmocka_unit_test(rust_names_come_without_their_hash),
		cmocka_unit_test(parts_and_clones_keep_their_suffix),
		cmocka_unit_test(other_names_are_left_alone),
		cmocka_unit_test(a_short_name_for_an_endless_text_is_cut),
		cmocka_unit_test(deep_and_doubling_types_end),
		cmocka_unit_test(random_names_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
