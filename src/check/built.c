// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the compiler, the headers of the libraries and git said at build time. The revision changes
 * with every commit, so this file is linked with the program alone: in the library it would have
 * all unit tests linked anew.
 */
#include "check/built.h"

#include <bpf/libbpf.h>
#include <elf.h>
#include <revision.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#include "util/mem.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

#if defined(__x86_64__)
#define ARCHITECTURE "x86_64"
#elif defined(__aarch64__)
#define ARCHITECTURE "aarch64"
#else
#define ARCHITECTURE "another architecture"
#endif

#define TEXT_OF(number) #number
#define NUMBER_TEXT(number) TEXT_OF(number)
#define LIBBPF_BUILT NUMBER_TEXT(LIBBPF_MAJOR_VERSION) "." NUMBER_TEXT(LIBBPF_MINOR_VERSION)

/* A program that the kernel hands over to the dynamic linker says so in its headers. */
static bool is_dynamic(void)
{
	const Elf64_Phdr *header = (const Elf64_Phdr *)(uintptr_t)getauxval(AT_PHDR);

	for (unsigned long i = 0; header && i < getauxval(AT_PHNUM); i++)
		if (header[i].p_type == PT_INTERP)
			return true;
	return false;
}

/* " (2.0 is in use)" if the library that was found now is another one; the caller frees it. */
static char *in_use(const char *built, const char *now)
{
	return strcmp(built, now) ? xasprintf(" (%s is in use)", now) : xstrdup("");
}

char *built_text(void)
{
	_cleanup_free_ char *libbpf_now =
		xasprintf("%u.%u", libbpf_major_version(), libbpf_minor_version());
	_cleanup_free_ char *libbpf_note = in_use(LIBBPF_BUILT, libbpf_now);
	_cleanup_free_ char *sqlite_note = in_use(SQLITE_VERSION, sqlite3_libversion());

	return xasprintf("dwell " DWELL_VERSION "\n"
			 "revision " REVISION "\n"
			 "built by " COMPILER " for " ARCHITECTURE ", %s linked\n"
			 "with libbpf " LIBBPF_BUILT "%s, SQLite " SQLITE_VERSION "%s\n",
		is_dynamic() ? "dynamically" : "statically", libbpf_note, sqlite_note);
}
