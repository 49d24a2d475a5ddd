/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who may read a file. What is made from it is for nobody else. */
#ifndef DWELL_UTIL_PRIVACY_H
#define DWELL_UTIL_PRIVACY_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

struct privacy {
	mode_t mode; /* at most; the umask takes more away */
	bool has_group;
	gid_t group; /* that the group's bits in mode are about */
};

/* For all to read, as far as the umask lets them. */
#define PRIVACY_OPEN ((struct privacy){.mode = 0644})

/* For those who may read what both are made from. */
static inline struct privacy privacy_of_both(const struct privacy *one, const struct privacy *two)
{
	struct privacy both = one->has_group ? *one : *two;

	both.mode = one->mode & two->mode;
	if (one->has_group && two->has_group && one->group != two->group)
		both.mode &= ~(mode_t)S_IRWXG;
	return both;
}

/* For those who may read that file. A pipe or a terminal says nothing about it. */
static inline struct privacy privacy_of(const struct stat *source)
{
	if (!S_ISREG(source->st_mode))
		return PRIVACY_OPEN;
	return (struct privacy){.mode = (source->st_mode & 0644) | S_IRUSR | S_IWUSR,
		.has_group = true,
		.group = source->st_gid};
}

#endif
