// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of other tools as dwell's own recordings have them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "format/tidy_name.h"

static void expect(const char *name, const char *tidy)
{
	char *made = tidy_name(name, strlen(name));

	assert_string_equal(made ? made : name, tidy);
	free(made);
}

static void cplusplus_loses_parameters_and_return_types(void **state)
{
	(void)state;
	expect("f(int)", "f");
	expect("ns::Class::method(std::vector<int, std::allocator<int> > const&) const",
		"ns::Class::method");
	expect("void f<int>(int)", "f<int>");
	expect("std::enable_if<true, int>::type f<char const*>(char const*)", "f<char const*>");
	expect("decltype (bar({parm#1})) foo<int>(int)", "foo<int>");
	expect("Foo::~Foo()", "Foo::~Foo");
	expect("foo[abi:cxx11]()", "foo[abi:cxx11]");
	expect("f(int) volatile &&", "f");
	expect("f(int)@plt", "f@plt");
	expect("std::vector<int, std::allocator<int> >::push_back",
		"std::vector<int, std::allocator<int> >::push_back");
}

static void operators_and_nameless_things_survive(void **state)
{
	(void)state;
	expect("Foo::operator()", "Foo::operator()");
	expect("Foo::operator()(int) const", "Foo::operator()");
	expect("std::function<void (int)>::operator()(int) const",
		"std::function<void (int)>::operator()");
	expect("Foo::operator<(Foo const&) const", "Foo::operator<");
	expect("std::ostream& operator<< <char>(std::ostream&, char)", "operator<< <char>");
	expect("void operator>><int>(int)", "operator>><int>");
	expect("Foo::operator->() const", "Foo::operator->");
	expect("operator new[](unsigned long)", "operator new[]");
	expect("Foo::operator bool() const", "Foo::operator bool");
	expect("Foo::operator void*() const", "Foo::operator void*");
	expect("Foo::operator*() const", "Foo::operator*");
	expect("(anonymous namespace)::f(int)", "(anonymous namespace)::f");
	expect("(anonymous namespace)::f", "(anonymous namespace)::f");
	expect("Foo::Foo(int)::{lambda()#1}::operator()() const",
		"Foo::Foo(int)::{lambda()#1}::operator()");
	expect("Foo::bar() const::{lambda(int)#2}::operator()(int) const",
		"Foo::bar() const::{lambda(int)#2}::operator()");
	expect("non-virtual thunk to Foo::bar()", "non-virtual thunk to Foo::bar()");
	expect("void (**f<void (*)()>(void (*)()))()", "void (**f<void (*)()>(void (*)()))()");
}

static void clones_and_mangled_names_are_as_in_recordings(void **state)
{
	(void)state;
	expect("baz(int) [clone .cold]", "baz.cold");
	expect("baz(int) [clone .part.0] [clone .constprop.1]", "baz.part.0.constprop.1");
	expect("baz [clone .isra.0]", "baz.isra.0");
	expect("baz(int) (.cold.1)", "baz.cold.1");
	expect("baz(int) [clone .llvm.12]", "baz");
	expect("_ZNSt6vectorIiSaIiEE9push_backEOi",
		"std::vector<int, std::allocator<int> >::push_back");
	expect("core::fmt::write::h0123456789abcdef", "core::fmt::write");
	expect("_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..fmt..Debug$GT$::fmt::"
	       "h0123456789abcdef",
		"<alloc::vec::Vec<T> as core::fmt::Debug>::fmt");
}

static void names_of_other_languages_stay(void **state)
{
	static const char *const names[] = {"do_syscall_64", "f", "Lcom/foo/Bar;::method",
		"java.util.HashMap.get(Object)", "int java.lang.String.hashCode()",
		"main.(*T).Method", "main.main.func1", "sync.(*Pool).Get-fm", "main.F[...]",
		"LazyCompile:*foo /path/file.js:12:3", "Function:~(anonymous) x.js", "RegExp:(a|b)",
		"py::main:/x.py", "static Foo.bar(x: Int) -> ()", "-[NSFoo bar:]",
		"<alloc::vec::Vec<T> as core::fmt::Debug>::fmt",
		"core::ops::call_once{{vtable.shim}}", "[unknown]", "(", ")", "()", "operator()",
		"operator(", "[clone .x]", " [clone .x]", "<", ">(", "::h0123456789abcdef", "_Z",
		"_ZN"};
	(void)state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect(names[i], names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cplusplus_loses_parameters_and_return_types),
		cmocka_unit_test(operators_and_nameless_things_survive),
		cmocka_unit_test(clones_and_mangled_names_are_as_in_recordings),
		cmocka_unit_test(names_of_other_languages_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
