// SPDX-License-Identifier: GPL-2.0-or-later
/* Names without their numbers. */
#include "profile/family.h"

#include <string.h>

#define MOST_BYTES 64

/* The name with a star for each number; false if it has none, or says which device it is of. */
static bool without_numbers(const char *name, char ret[static MOST_BYTES])
{
	size_t length = 0;
	bool has_number = false;

	if (strchr(name, '/') && strncmp(name, "kworker/", strlen("kworker/")))
		return false;
	for (; *name; name++) {
		bool is_digit = *name >= '0' && *name <= '9';
		if (length + 2 >= MOST_BYTES)
			return false;
		if (!is_digit)
			ret[length++] = *name;
		else if (!length || ret[length - 1] != '*')
			ret[length++] = '*';
		has_number |= is_digit;
	}
	ret[length] = 0;
	return has_number;
}

void families_add(struct families *families, const char *name)
{
	char text[MOST_BYTES];

	if (!without_numbers(name, text))
		return;
	uint32_t number = intern(&families->texts, text), own = intern(&families->texts, name);
	while (families->only.count <= (number > own ? number : own)) {
		vec_push(&families->only, 0);
		vec_push(&families->is_several, false);
	}
	if (families->only.at[number] && families->only.at[number] != own)
		families->is_several.at[number] = true;
	families->only.at[number] = own;
}

void families_gather(struct families *families, const struct recording *recording)
{
	size_t thread_count, hop_count;
	const struct rec_thread *threads = recording_threads(recording, &thread_count);
	const struct rec_chain_hop *hops = recording_hops(recording, &hop_count);

	for (size_t i = 0; i < thread_count; i++)
		families_add(families, threads[i].comm);
	for (size_t i = 0; i < hop_count; i++)
		if (hop_kind_is_thread(hops[i].kind))
			families_add(families, hops[i].name);
}

const char *family_of(const struct families *families, const char *name)
{
	char text[MOST_BYTES];
	uint32_t number;

	if (!without_numbers(name, text) ||
		!intern_find(&families->texts, text, strlen(text), &number) ||
		!families->is_several.at[number])
		return name;
	return intern_text(&families->texts, number);
}

void families_clear(struct families *families)
{
	intern_clear(&families->texts);
	vec_clear(&families->only);
	vec_clear(&families->is_several);
}
