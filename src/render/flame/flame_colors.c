// SPDX-License-Identifier: GPL-2.0-or-later
/* Colours kept in a file: a table from names to colours that only grows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/flame/flame_color.h"
#include "util/intern.h"
#include "util/mem.h"

struct flame_colors {
	struct intern names;
	VEC(struct flame_color) colors; /* by number of name; number 0 is no name */
};

struct flame_colors *flame_colors_new(void)
{
	return xcalloc(1, sizeof(struct flame_colors));
}

void flame_colors_free(struct flame_colors *colors)
{
	if (!colors)
		return;
	intern_clear(&colors->names);
	vec_clear(&colors->colors);
	free(colors);
}

struct flame_color flame_colors_keep(
	struct flame_colors *colors, const char *name, size_t length, struct flame_color color)
{
	uint32_t number = intern_bytes(&colors->names, name, length);

	if (number < colors->colors.count)
		return colors->colors.at[number];
	/* Numbers are given in order, 0 to the empty name with the first of all. */
	while (colors->colors.count <= number)
		vec_push(&colors->colors, color);
	return color;
}

static int read_line(struct flame_colors *colors, char *line)
{
	char *arrow = NULL;
	unsigned int red, green, blue;
	int end = 0;

	/* The last one: names of methods may hold an arrow too. */
	for (char *at = line; (at = strstr(at, "->")); at += 2)
		arrow = at;
	if (!arrow || sscanf(arrow, "->rgb(%u,%u,%u)%n", &red, &green, &blue, &end) != 3 || !end ||
		arrow[end] || red > 255 || green > 255 || blue > 255)
		return -EINVAL;
	flame_colors_keep(colors, line, (size_t)(arrow - line),
		(struct flame_color){(uint8_t)red, (uint8_t)green, (uint8_t)blue});
	return 0;
}

int flame_colors_read(struct flame_colors *colors, FILE *in, struct why *why)
{
	_cleanup_free_ char *line = NULL;
	size_t room = 0;
	unsigned int number = 0;
	ssize_t length;

	while ((length = getline(&line, &room, in)) >= 0) {
		number++;
		line[strcspn(line, "\r\n")] = 0;
		if (line[0] && read_line(colors, line))
			return why_set(why, -EINVAL, "line %u is not NAME->rgb(R,G,B)", number);
	}
	return ferror(in) ? why_set(why, -EIO, "%s", strerror(EIO)) : 0;
}

static int compare_names(const void *left, const void *right, void *context)
{
	const uint32_t *a = left, *b = right;
	const struct intern *names = context;

	return strcmp(intern_text(names, *a), intern_text(names, *b));
}

void flame_colors_write(const struct flame_colors *colors, FILE *out)
{
	VEC(uint32_t) order = {0};

	for (uint32_t i = 1; i < colors->colors.count; i++)
		vec_push(&order, i);
	if (order.count)
		qsort_r(order.at, order.count, sizeof(*order.at), compare_names,
			(void *)&colors->names);
	vec_each (number, &order) {
		const struct flame_color *color = &colors->colors.at[*number];
		fprintf(out, "%s->rgb(%u,%u,%u)\n", intern_text(&colors->names, *number),
			color->red, color->green, color->blue);
	}
	vec_clear(&order);
}
