// SPDX-License-Identifier: GPL-2.0-or-later
/* Function names without suffixes. */
#include "model/function_name.h"

#include <string.h>

#include "util/mem.h"

size_t function_name_length(const char *name)
{
	static const char *const suffixes[] = {
		".isra.", ".constprop.", ".part.", ".cold", ".abi0", ".llvm.", ".lto_priv", "@"};
	size_t length = strcspn(name, ".@");

	/* Nearly all names are without dots. */
	while (name[length]) {
		for (size_t i = 0; length && i < ARRAY_SIZE(suffixes); i++)
			if (!strncmp(name + length, suffixes[i], strlen(suffixes[i])))
				return length;
		length++;
		length += strcspn(name + length, ".@");
	}
	return length;
}

bool function_name_fits(const char *pattern, const char *name, size_t length)
{
	size_t wanted;

	/* Most differ at once, and there are many patterns. */
	if (pattern[0] != name[0])
		return false;
	wanted = strlen(pattern);
	if (wanted && pattern[wanted - 1] == '*')
		return wanted - 1 <= length && !memcmp(pattern, name, wanted - 1);
	return wanted == length && !memcmp(pattern, name, length);
}

bool function_name_fits_any(const char *const *patterns, size_t count, const char *name)
{
	size_t length = function_name_length(name);

	for (size_t i = 0; i < count; i++)
		if (function_name_fits(patterns[i], name, length))
			return true;
	return false;
}
