// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of those who had CPUs. */
#include "capture/occupants.h"

#include <string.h>

#include "util/map64.h"
#include "util/mem.h"
#include "util/vec.h"

/* Names, 17 bytes each. What comes after so many is not told. */
#define MOST_NAMES (1u << 18)

struct name {
	char text[CONTRACT_COMM_LEN + 1];
};

struct occupants {
	struct map64 by_id; /* record_occupant.id -> index into names */
	VEC(struct name) names;
};

struct occupants *occupants_new(void)
{
	return xcalloc(1, sizeof(struct occupants));
}

void occupants_free(struct occupants *occupants)
{
	if (!occupants)
		return;
	map64_clear(&occupants->by_id);
	vec_clear(&occupants->names);
	free(occupants);
}

void occupants_add(struct occupants *occupants, const void *data, size_t length)
{
	const struct record_occupant *record = data;
	struct name name = {""};
	bool is_new;

	if (length < sizeof(*record) || occupants->names.count == MOST_NAMES)
		return;
	uint64_t *index = map64_put(&occupants->by_id, record->id, &is_new);
	if (!is_new)
		return;
	memcpy(name.text, record->comm, sizeof(record->comm));
	*index = occupants->names.count;
	vec_push(&occupants->names, name);
}

const char *occupants_name(const struct occupants *occupants, uint64_t id)
{
	const uint64_t *index = map64_find(&occupants->by_id, id);

	return index ? occupants->names.at[*index].text : NULL;
}
