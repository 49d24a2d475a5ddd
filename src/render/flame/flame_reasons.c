// SPDX-License-Identifier: GPL-2.0-or-later
/* Colours and sums by reason. */
#include "render/flame/flame_reasons.h"

#include <string.h>

#include "util/hash.h"

static const unsigned int colors[REASON_PARTS + 1] = {
	[REASON_UNKNOWN] = 0xa8a8a8,
	[REASON_DISK] = 0xd55e00,
	[REASON_JOURNAL] = 0xb35a1f,
	[REASON_LOCK] = 0xe3a6c8,
	[REASON_FUTEX] = 0xc06aa0,
	[REASON_PIPE] = 0x56b4e9,
	[REASON_SOCKET] = 0x2b83bf,
	[REASON_ACCEPT] = 0x6aa5d1,
	[REASON_POLL] = 0x93d2f5,
	[REASON_SLEEP] = 0xa3b14a,
	[REASON_CHILD] = 0xb5a642,
	[REASON_FAULT] = 0xf0935a,
	[REASON_IO_URING] = 0x3fa0a8,
	[REASON_TTY] = 0xb4cfdc,
	[REASON_SIGNAL] = 0xdcd389,
	[REASON_VFORK] = 0x8f8542,
	[REASON_STOPPED] = 0x9c9570,
	[REASON_KERNEL] = 0x9a86b3,
	[REASON_KTHREAD] = 0xbfb0d3,
	[REASON_LOST] = 0x858585,
	[REASON_PART_NO_CPU] = 0xe69f00,
	[REASON_PARTS] = 0xcdccc4,
};

/* How much white is mixed in, 0 to 1: at least, and how much more a name may have. */
#define LEAST_WHITE 0.22
#define MORE_WHITE 0.26

unsigned int flame_reason_rgb(unsigned int why)
{
	return colors[why <= REASON_PARTS ? why : REASON_UNKNOWN];
}

static uint8_t lighten(unsigned int part, double white)
{
	return (uint8_t)(part + (255 - part) * white + 0.5);
}

static struct flame_color mixed(unsigned int why, double white)
{
	unsigned int rgb = flame_reason_rgb(why);

	return (struct flame_color){lighten(rgb >> 16, white), lighten(rgb >> 8 & 0xff, white),
		lighten(rgb & 0xff, white)};
}

struct flame_color flame_color_of_reason(unsigned int why, const struct flame_kind *kind)
{
	uint64_t hash = hash_bytes(0, kind->name, kind->length);

	return mixed(why, LEAST_WHITE + MORE_WHITE * (double)(hash & 0xffff) / 0xffff);
}

struct flame_color flame_color_of_legend(unsigned int why)
{
	return mixed(why, LEAST_WHITE + MORE_WHITE / 2);
}

unsigned int flame_main_reason(const uint64_t row[REASON_PARTS])
{
	unsigned int order[REASON_PARTS];
	size_t count = flame_reasons_by_size(row, order);
	double whole = 0;

	for (size_t i = 0; i < count; i++)
		whole += (double)row[order[i]];
	return count && (double)row[order[0]] * 2 >= whole ? order[0] : REASON_PARTS;
}

size_t flame_reasons_by_size(const uint64_t row[REASON_PARTS], unsigned int ret[REASON_PARTS])
{
	size_t count = 0;

	for (unsigned int why = 0; why < REASON_PARTS; why++) {
		size_t at = count;
		if (!row[why])
			continue;
		for (; at && row[ret[at - 1]] < row[why]; at--)
			ret[at] = ret[at - 1];
		ret[at] = why;
		count++;
	}
	return count;
}

void flame_reason_sums(const struct tree *tree, const struct reason_part *parts, size_t count,
	unsigned int why, bool weighs_counts, uint64_t *sums)
{
	memset(sums, 0, tree->nodes.count * sizeof(*sums));
	for (size_t i = 0; i < count; i++)
		if (parts[i].why == why)
			sums[parts[i].node] += weighs_counts ? parts[i].count : parts[i].weight;
	for (size_t i = tree->nodes.count; i-- > 1;)
		sums[tree->nodes.at[i].parent] += sums[i];
}
