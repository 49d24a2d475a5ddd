// SPDX-License-Identifier: GPL-2.0-or-later
/* Words for the nouns of recording.h. */
#include "recording/recording.h"

const char *object_kind_name(enum object_kind kind)
{
	static const char *const names[OBJECT_KINDS] = {
		[OBJECT_KERNEL] = "kernel",
		[OBJECT_MODULE] = "module",
		[OBJECT_FILE] = "file",
		[OBJECT_VDSO] = "vdso",
		[OBJECT_ANONYMOUS] = "anonymous",
		[OBJECT_UNKNOWN] = "unknown",
	};

	return (unsigned int)kind < OBJECT_KINDS ? names[kind] : "unknown";
}
