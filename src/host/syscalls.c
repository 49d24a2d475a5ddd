// SPDX-License-Identifier: GPL-2.0-or-later
/* A table by number; whoever asks by name asks once for each word of a person. */
#include "host/syscalls.h"

#include <asm/unistd.h>
#include <string.h>

#include "util/mem.h"
#include "util/nearest.h"

static const char *const names[SYSCALLS_MOST] = {
#define SYSCALL(name) [__NR_##name] = #name,
#include <syscall_names.h>
#undef SYSCALL
};

static const struct {
	const char *name;
	const char *kernel;
} aliases[] = {
	{"pread", "pread64"},
	{"pwrite", "pwrite64"},
	{"fstatat", "newfstatat"},
	{"sendfile64", "sendfile"},
};

const char *syscall_name(unsigned int number)
{
	return number < SYSCALLS_MOST ? names[number] : NULL;
}

static int find(const char *name)
{
	for (int i = 0; i < SYSCALLS_MOST; i++)
		if (names[i] && !strcmp(name, names[i]))
			return i;
	return -1;
}

int syscall_number(const char *name)
{
	int number = find(name);

	for (size_t i = 0; i < ARRAY_SIZE(aliases) && number < 0; i++)
		if (!strcmp(name, aliases[i].name))
			number = find(aliases[i].kernel);
	return number;
}

char *syscall_near(const char *name)
{
	struct nearest nearest;

	nearest_init(&nearest, name);
	for (size_t i = 0; i < SYSCALLS_MOST; i++)
		if (names[i])
			nearest_add(&nearest, names[i]);
	char *text = nearest_text(&nearest);
	nearest_clear(&nearest);
	return text;
}
