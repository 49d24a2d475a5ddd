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
	check("_Zap", NULL);
	check("_Reject", NULL);
	check("Z3foov", NULL);
	check("_start", NULL);
}

/* f<A<int, int>, A<S, S>, ...>: each argument is twice the one before. */
static char *make_cpp_bomb(int levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char *name = xmalloc(64 + (size_t)levels * 16), *at = name;

	at += sprintf(at, "_Z1fI1AIiiE");
	for (int i = 1; i <= levels; i++)
		at += sprintf(at, "S0_IS%c_S%c_E", digits[i], digits[i]);
	strcpy(at, "Evv");
	return name;
}

static char *add_rust_back_reference(char *at, size_t place)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	*at++ = 'B';
	if (place > 62)
		*at++ = digits[(place - 1) / 62];
	*at++ = digits[(place - 1) % 62];
	*at++ = '_';
	return at;
}

/* a::f::<(), ((), ()), ...>: the same with tuples. */
static char *make_rust_bomb(int levels)
{
	char *name = xmalloc(64 + (size_t)levels * 16), *at = name;
	size_t place;

	at += sprintf(at, "_RINvC1a1f");
	place = (size_t)(at - name) - 2;
	*at++ = 'u';
	for (int i = 0; i < levels; i++) {
		size_t next = (size_t)(at - name) - 2;
		*at++ = 'T';
		at = add_rust_back_reference(at, place);
		at = add_rust_back_reference(at, place);
		*at++ = 'E';
		place = next;
	}
	strcpy(at, "E");
	return name;
}

static void a_short_name_for_an_endless_text_is_cut(void **state)
{
	static char *(*const makers[])(int) = {make_cpp_bomb, make_rust_bomb};
	uint64_t start_ns = clock_monotonic_ns();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(makers); i++)
		for (int levels = 1; levels <= 34; levels++) {
			_cleanup_free_ char *bomb = makers[i](levels);
			_cleanup_free_ char *name = demangle(bomb);
			assert_non_null(name);
			assert_true(levels < 12 || strlen(name) == DEMANGLE_MAX_BYTES);
		}
	assert_true(clock_monotonic_ns() - start_ns < 10 * NS_PER_S);
}

static void endless_nesting_ends(void **state)
{
	_cleanup_free_ char *name = xmalloc(100000);

	(void)state;
	strcpy(name, "_Z1fI");
	memset(name + 5, 'P', 90000);
	strcpy(name + 90005, "iEvv");
	free(demangle(name));
	strcpy(name, "_RINvC1a1f");
	memset(name + 10, 'T', 90000);
	name[90010] = '\0';
	free(demangle(name));
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
		cmocka_unit_test(endless_nesting_ends),
		cmocka_unit_test(random_names_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
