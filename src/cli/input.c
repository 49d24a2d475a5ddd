// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings and other tools' text, told apart by their first bytes. */
#include "cli/input.h"

#include <errno.h>
#include <string.h>

#include "recording/reader.h"
#include "util/text.h"
#include "util/units.h"

static const char sqlite_magic[16] = "SQLite format 3";

static bool is_database(FILE *in)
{
	char first[sizeof(sqlite_magic)];
	bool is_one = fread(first, 1, sizeof(first), in) == sizeof(first) &&
		      !memcmp(first, sqlite_magic, sizeof(first));

	rewind(in);
	return is_one;
}

static int read_recording(const char *path, enum view view, const struct view_filter *filter,
	const struct stack_shape *shape, struct input *input, struct why *why)
{
	struct recording *recording;
	struct profile profile;
	int error = recording_open(path, &recording, why);

	if (error)
		return error;
	error = profile_of_view(recording, view, filter, shape, &profile, why);
	if (!error) {
		input->tree = profile.tree;
		input->window_ns = profile.to_ns - profile.from_ns;
		input->is_recording = true;
		input->is_time = true;
		strcpy(input->unit, "ns");
	}
	recording_free(recording);
	return error;
}

static uint64_t ns_of_unit(const char *unit)
{
	if (!strcmp(unit, "ns"))
		return 1;
	if (!strcmp(unit, "us"))
		return NS_PER_US;
	if (!strcmp(unit, "ms"))
		return NS_PER_MS;
	return 0;
}

/* Words in brackets are marks; the first frame names the thread. */
static enum frame_kind kind_of(const struct stack *stack, size_t at)
{
	const struct stack_frame *frame = &stack->frames[at];

	if (!at && (stack->has_name || stack->depth > 1))
		return FRAME_NAME;
	if (frame->name[0] == '[')
		return FRAME_MARK;
	return frame->is_kernel ? FRAME_KERNEL : FRAME_USER;
}

static int add_stack(const struct stack *stack, void *context)
{
	struct input *input = context;
	uint64_t unit_ns = ns_of_unit(stack->unit);
	uint32_t node = TREE_ROOT;

	for (size_t i = 0; i < stack->depth; i++) {
		_cleanup_free_ char *label = text_clean(stack->frames[i].name, true);
		uint32_t frame = tree_frame(&input->tree, label, stack->frames[i].object);
		node = tree_child_frame(&input->tree, node, frame, kind_of(stack, i));
	}
	input->is_time = unit_ns > 0;
	snprintf(input->unit, sizeof(input->unit), "%s", stack->unit);
	if (unit_ns && stack->weight > INT64_MAX / unit_ns)
		return -EOVERFLOW;
	tree_add(&input->tree, node, unit_ns ? stack->weight * unit_ns : stack->weight,
		stack->weight);
	return 0;
}

static int read_text(FILE *in, const char *path, struct input *input, struct why *why)
{
	struct stack_sink sink = {.add = add_stack, .context = input};

	tree_init(&input->tree);
	int error = stacks_read(in, &sink, &input->skipped, NULL, why);
	if (error == -EOVERFLOW)
		why_set(why, error, "%s: weights too large to add up", path);
	if (error)
		tree_clear(&input->tree);
	return error;
}

int input_read(const char *path, enum view view, const struct view_filter *filter,
	const struct stack_shape *shape, struct input *ret, struct why *why)
{
	struct input input = {0};
	bool is_stdin = !strcmp(path, "-");
	_cleanup_fclose_ FILE *file = is_stdin ? NULL : fopen(path, "re");
	int error;

	if (!is_stdin && !file && errno != ENOENT)
		return why_set(why, -errno, "cannot read %s: %s", path, strerror(errno));
	/* A missing file is complained about where recordings are: it says how to make one. */
	if (!is_stdin && (!file || is_database(file)))
		error = read_recording(path, view, filter, shape, &input, why);
	else
		error = read_text(is_stdin ? stdin : file, path, &input, why);
	if (!error)
		*ret = input;
	return error;
}

void input_clear(struct input *input)
{
	tree_clear(&input->tree);
}
