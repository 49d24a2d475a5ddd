// SPDX-License-Identifier: GPL-2.0-or-later
/* Function names without suffixes. */
#include "model/function_name.h"

#include <string.h>

#include "util/mem.h"

static size_t bare_length(const char *name)
{
	static const char *const suffixes[] = {
		".isra.", ".constprop.", ".part.", ".cold", ".abi0", ".llvm.", ".lto_priv", "@"};
	size_t length = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		const char *found = strstr(name, suffixes[i]);
		if (found && found != name && (size_t)(found - name) < length)
			length = (size_t)(found - name);
	}
	return length;
}

bool function_name_fits(const char *const *patterns, size_t count, const char *name)
{
	size_t length = bare_length(name);

	for (size_t i = 0; i < count; i++) {
		size_t wanted = strlen(patterns[i]);
		bool is_prefix = wanted && patterns[i][wanted - 1] == '*';
		if (is_prefix ? wanted - 1 <= length && !memcmp(patterns[i], name, wanted - 1)
			      : wanted == length && !memcmp(patterns[i], name, length))
			return true;
	}
	return false;
}
