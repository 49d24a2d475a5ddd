// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Palettes are ranges of red, green and blue; three fractions made from the name choose the point
 * inside. The darkest corner of each range still has a contrast of 4.5 to black.
 */
#include "render/flame/flame_color.h"

#include <string.h>

#include "util/hash.h"
#include "util/mem.h"

struct range {
	struct flame_color low;
	struct flame_color high;
};

enum hue {
	HUE_HOT,
	HUE_MEM,
	HUE_IO,
	HUE_RED,
	HUE_GREEN,
	HUE_BLUE,
	HUE_AQUA,
	HUE_YELLOW,
	HUE_PURPLE,
	HUE_ORANGE,
	HUE_GREY,
	HUE_WAKER,
};

static const struct range hues[] = {
	[HUE_HOT] = {{232, 96, 52}, {255, 214, 92}},
	[HUE_MEM] = {{88, 186, 104}, {146, 232, 178}},
	[HUE_IO] = {{122, 142, 232}, {176, 196, 255}},
	[HUE_RED] = {{238, 110, 98}, {255, 164, 150}},
	[HUE_GREEN] = {{112, 196, 92}, {164, 236, 138}},
	[HUE_BLUE] = {{114, 164, 234}, {162, 206, 255}},
	[HUE_AQUA] = {{72, 188, 198}, {132, 226, 234}},
	[HUE_YELLOW] = {{212, 198, 70}, {240, 228, 122}},
	[HUE_PURPLE] = {{204, 132, 218}, {234, 182, 246}},
	[HUE_ORANGE] = {{240, 148, 60}, {255, 190, 104}},
	[HUE_GREY] = {{198, 201, 206}, {212, 215, 219}},
	/* Paler than any reason. */
	[HUE_WAKER] = {{204, 226, 206}, {224, 240, 222}},
};

static const struct {
	const char *name;
	enum hue hue; /* for frames that nothing else is known of */
} palettes[PALETTES] = {
	[PALETTE_HOT] = {"hot", HUE_HOT},
	[PALETTE_MEM] = {"mem", HUE_MEM},
	[PALETTE_IO] = {"io", HUE_IO},
	[PALETTE_WAKEUP] = {"wakeup", HUE_AQUA},
	[PALETTE_CHAIN] = {"chain", HUE_BLUE},
	[PALETTE_REASON] = {"reason", HUE_IO},
	[PALETTE_JAVA] = {"java", HUE_RED},
	[PALETTE_JS] = {"js", HUE_RED},
	[PALETTE_PERL] = {"perl", HUE_RED},
	[PALETTE_RED] = {"red", HUE_RED},
	[PALETTE_GREEN] = {"green", HUE_GREEN},
	[PALETTE_BLUE] = {"blue", HUE_BLUE},
	[PALETTE_AQUA] = {"aqua", HUE_AQUA},
	[PALETTE_YELLOW] = {"yellow", HUE_YELLOW},
	[PALETTE_PURPLE] = {"purple", HUE_PURPLE},
	[PALETTE_ORANGE] = {"orange", HUE_ORANGE},
};

const char *flame_palette_name(enum flame_palette palette)
{
	return palettes[palette].name;
}

bool flame_palette_from_name(const char *name, enum flame_palette *ret)
{
	for (unsigned int i = 0; i < PALETTES; i++)
		if (!strcmp(name, palettes[i].name)) {
			*ret = (enum flame_palette)i;
			return true;
		}
	return false;
}

static bool has(const struct flame_kind *kind, const char *part)
{
	return memmem(kind->name, kind->length, part, strlen(part));
}

static bool starts(const struct flame_kind *kind, const char *part)
{
	size_t length = strlen(part);

	return kind->length >= length && !memcmp(kind->name, part, length);
}

/* Kernel, inlined and JIT frames look the same in the palettes of all runtimes. */
static enum hue runtime_hue(const struct flame_kind *kind, bool is_script)
{
	switch (kind->sort) {
	case FLAME_KERNEL:
		return HUE_ORANGE;
	case FLAME_INLINED:
		return HUE_AQUA;
	case FLAME_JIT:
		return HUE_GREEN;
	default:
		if (is_script)
			return HUE_GREEN;
		return has(kind, "::") ? HUE_YELLOW : HUE_RED;
	}
}

/* Java's names come as package/Class.method, with or without the L of a signature. */
static bool is_java(const struct flame_kind *kind)
{
	return (has(kind, "/") && has(kind, ".")) || starts(kind, "java.") || starts(kind, "jdk.");
}

static bool is_perl(const struct flame_kind *kind)
{
	return has(kind, "Perl") || has(kind, ".pl") || has(kind, ".pm");
}

/* What a thread did when its stack ends in one of dwell's own words. */
static enum hue mark_hue(const struct flame_kind *kind)
{
	if (starts(kind, "[running"))
		return HUE_HOT;
	if (starts(kind, "[run") || starts(kind, "[woken") || starts(kind, "[preempted"))
		return HUE_YELLOW;
	return starts(kind, "[blocked") ? HUE_BLUE : HUE_GREY;
}

static enum hue hue_of(enum flame_palette palette, const struct flame_kind *kind)
{
	if (kind->sort == FLAME_SEPARATOR)
		return HUE_GREY;
	if (kind->sort == FLAME_MARK)
		return mark_hue(kind);
	switch (palette) {
	case PALETTE_CHAIN:
		return kind->is_waker ? HUE_AQUA : HUE_BLUE;
	case PALETTE_REASON:
		return kind->is_waker ? HUE_WAKER : HUE_IO;
	case PALETTE_JAVA:
		return runtime_hue(kind, is_java(kind));
	case PALETTE_JS:
		return runtime_hue(kind, has(kind, ".js"));
	case PALETTE_PERL:
		return runtime_hue(kind, is_perl(kind));
	default:
		return palettes[palette].hue;
	}
}

/* Each further letter decides less: 0 to 1. */
static double prefix_fraction(const struct flame_kind *kind)
{
	double fraction = 0, worth = 0.5;

	for (size_t i = 0; i < kind->length && i < 12; i++, worth /= 2)
		fraction += worth * ((unsigned char)kind->name[i] % 32) / 31;
	return fraction;
}

static uint8_t between(uint8_t low, uint8_t high, double fraction)
{
	return (uint8_t)(low + (high - low) * fraction + 0.5);
}

static struct flame_color color_in(enum hue hue, const struct flame_kind *kind, bool is_alike)
{
	const struct range *range = &hues[hue];
	uint64_t hash = hash_bytes(0, kind->name, kind->length);
	double part[3];

	for (int i = 0; i < 3; i++, hash >>= 21)
		part[i] = is_alike ? prefix_fraction(kind) : (double)(hash & 0x1fffff) / 0x1fffff;
	return (struct flame_color){between(range->low.red, range->high.red, part[0]),
		between(range->low.green, range->high.green, part[1]),
		between(range->low.blue, range->high.blue, part[2])};
}

struct flame_color flame_color_of(
	enum flame_palette palette, const struct flame_kind *kind, bool is_alike)
{
	return color_in(hue_of(palette, kind), kind, is_alike);
}

struct flame_color flame_color_of_share(enum flame_share share, const struct flame_kind *kind)
{
	static const enum hue hues_of_shares[FLAME_SHARES] = {
		[SHARE_RUNNING] = HUE_HOT,
		[SHARE_RUNNABLE] = HUE_YELLOW,
		[SHARE_BLOCKED] = HUE_BLUE,
	};

	return color_in(hues_of_shares[share], kind, false);
}

struct flame_color flame_color_of_change(double change, double largest, bool is_negated)
{
	static const struct flame_color none = {240, 240, 240}, more = {236, 96, 72},
					less = {110, 170, 250};
	double strength = largest > 0 ? (change < 0 ? -change : change) / largest : 0;
	const struct flame_color *end = (change > 0) != is_negated ? &more : &less;

	if (change == 0)
		return none;
	/* The smallest change is still seen. */
	strength = 0.15 + 0.85 * (strength > 1 ? 1 : strength);
	return (struct flame_color){between(none.red, end->red, strength),
		between(none.green, end->green, strength), between(none.blue, end->blue, strength)};
}
