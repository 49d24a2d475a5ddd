// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings and other tools' text, told apart by their first bytes. */
#include "cli/input.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "profile/nothing.h"
#include "profile/slow.h"
#include "profile/tree_feed.h"
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

/* Bytes that no text has, at the very start of a file that is not compressed either. */
static bool is_binary(FILE *in)
{
	unsigned char first[512];
	size_t length = fread(first, 1, sizeof(first), in);
	bool is_gzip = length > 2 && first[0] == 0x1f && first[1] == 0x8b;
	bool is_zstd = length > 4 && !memcmp(first, "\x28\xb5\x2f\xfd", 4);

	rewind(in);
	return !is_gzip && !is_zstd && memchr(first, 0, length);
}

/* How stacks of text become a tree. */
struct builder {
	struct input *input;
	bool is_in_order;
	uint64_t scale; /* of weights: ns per unit, or 1 */
	char *unit;     /* of the stack before, as it was told */
	VEC(struct tree_step) steps;
	VEC(uint32_t) path; /* in order: nodes of the stack before */
	struct tree_feed feed;
};

char *input_losses(const struct recording *recording)
{
	size_t count;
	const struct rec_loss *losses = recording_losses(recording, &count);
	char *words = NULL, room[UNITS_ROOM];

	for (size_t i = 0; i < count; i++) {
		if (!loss_is_serious(losses[i].loss))
			continue;
		char *more = xasprintf("%s%s%s %s", words ? words : "lost: ", words ? "; " : "",
			units_count(losses[i].count, room),
			loss_words(losses[i].loss, losses[i].name, losses[i].count));
		free(words);
		words = more;
	}
	return words;
}

/* What of the profile and its recording commands ask for. */
static void take_profile(
	struct input *input, const struct recording *recording, const struct profile *profile)
{
	input->privacy = *recording_privacy(recording);
	input->tree = profile->tree;
	input->parts = profile->parts;
	input->idle_ns = profile->idle_ns;
	input->from_ns = profile->from_ns;
	input->to_ns = profile->to_ns;
	input->has_range = profile->has_range;
	input->window_ns = profile->to_ns - profile->from_ns;
	input->hidden_threads = profile->hidden_threads;
	input->hidden_ns = profile->hidden_ns;
	input->is_recording = true;
	input->is_time = input->view.type.unit == UNIT_NS;
	input->losses = input_losses(recording);
}

int input_open_view(const char *path, const char *view, struct recording **ret,
	struct view_choice *ret_view, struct why *why)
{
	const struct view_type *near = view_nearest(view);
	struct recording *recording;
	struct why reason = {""};
	int error = recording_open(path, &recording, &reason);

	if (error && near)
		return why_set(why, error, "%s; and did you mean --view %s, not %s?", reason.text,
			near->name, view);
	if (error)
		return why_set(why, error, "%s", reason.text);
	error = view_choose(recording, view, ret_view, &reason);
	if (error) {
		recording_free(recording);
		return why_set(why, error, "%s: %s", path, reason.text);
	}
	*ret = recording;
	return 0;
}

/* What a recording shows when nothing is asked for: samples that were imported have no waits. */
static void choose_view(const struct recording *recording, struct view_choice *view)
{
	size_t threads, measures;
	const struct rec_thread *thread = recording_threads(recording, &threads);
	uint64_t off_cpu_ns = 0;

	recording_measures(recording, &measures);
	for (; threads--; thread++)
		for (unsigned int i = 0; i < TIME_STATES; i++)
			off_cpu_ns += i == TIME_RUNNING ? 0 : thread->total_ns[i];
	if (off_cpu_ns || strcmp(recording_meta(recording)->user_stacks, "imported"))
		return;
	view_choice_clear(view);
	if (measures)
		view_of_measure(recording, 0, view);
	else
		*view = (struct view_choice){.type = *view_type(VIEW_ONCPU)};
}

/* The whole name of the function, of which a part may have been given. The caller frees it. */
static char *slow_name(const struct recording *recording, const char *function)
{
	size_t count;
	const struct rec_function *functions = recording_functions(recording, &count);
	uint32_t index = 0;

	return text_clean(
		slow_find(recording, function, &index, NULL) ? function : functions[index].name,
		false);
}

static int read_recording(
	const char *path, const struct input_asked *asked, struct input *input, struct why *why)
{
	const char *view = asked->view ? asked->view : view_type(VIEW_OFFCPU)->name;
	struct recording *recording;
	struct profile profile;
	int error = input_open_view(path, view, &recording, &input->view, why);

	if (error)
		return error;
	if (!asked->view)
		choose_view(recording, &input->view);
	error = profile_of_view(
		recording, &input->view.type, asked->filter, asked->shape, &profile, why);
	if (!error)
		take_profile(input, recording, &profile);
	if (!error && asked->filter->slow_function)
		input->slow = slow_name(recording, asked->filter->slow_function);
	if (!error && !tree_total_weight(&input->tree) && !tree_total_count(&input->tree))
		input->nothing = nothing_text(recording, asked->filter);
	if (error)
		view_choice_clear(&input->view);
	if (!error && asked->visit) {
		error = asked->visit(recording, input, asked->filter, asked->context, why);
		if (error)
			input_clear(input);
	}
	recording_free(recording);
	return error;
}

/* Views are of recordings: text passes under the name of any that is in the list. */
static bool is_event(const char *view)
{
	return view && !view_from_name(view);
}

static int no_view_of_text(const char *path, const char *view, struct why *why)
{
	const struct view_type *near = view_nearest(view);

	return why_set(why, -EINVAL, "%s is text: it has no view %s%s%s%s", path, view,
		near ? "; did you mean " : "", near ? near->name : "", near ? "?" : "");
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
	/* "[libc.so.6]" of perf script is a function whose name is not known. */
	if (frame->name[0] == '[' && (!frame->object[0] || !strcmp(frame->object, "[unknown]")))
		return FRAME_MARK;
	return frame->is_kernel ? FRAME_KERNEL : FRAME_USER;
}

static bool is_plain(const char *name)
{
	for (; *name; name++)
		if (*name < ' ' || *name > '~' || *name == ';')
			return false;
	return true;
}

/* Names of other tools are cleaned, but most of them are in the tree already, so they are clean. */
static uint32_t frame_of(struct tree *tree, const struct stack_frame *frame)
{
	uint32_t known;

	if (!frame->object[0] && tree_find_frame(tree, frame->name, frame->length, &known))
		return known;
	if (is_plain(frame->name) && is_plain(frame->object))
		return tree_frame(tree, frame->name, frame->object);
	_cleanup_free_ char *label = text_clean(frame->name, true);
	_cleanup_free_ char *object = text_clean(frame->object, false);
	return tree_frame(tree, label, object);
}

static void clean_events(struct stacks_told *told)
{
	vec_each (event, &told->events) {
		char *clean = text_clean(event->name, false);
		free(event->name);
		event->name = clean;
	}
}

static void add_before(struct input *input, uint32_t node, uint64_t before)
{
	while (input->before.count <= node)
		vec_push(&input->before, 0);
	input->before.at[node] += before;
}

static void land(uint32_t node, const struct tree_load *weights, void *context)
{
	struct builder *builder = context;
	struct input *input = builder->input;

	tree_add(&input->tree, node, weights->first * builder->scale,
		weights->third ? weights->third : weights->first);
	if (weights->second)
		add_before(input, node, weights->second * builder->scale);
}

/* In order, a stack goes on with the one before only as far as both are the same. */
static uint32_t node_in_order(struct builder *builder, size_t from)
{
	struct tree *tree = &builder->input->tree;
	size_t at = from;

	while (at < builder->steps.count && at < builder->path.count &&
		tree->nodes.at[builder->path.at[at]].frame == builder->steps.at[at].frame)
		at++;
	builder->path.count = at;
	for (; at < builder->steps.count; at++) {
		uint32_t parent = at ? builder->path.at[at - 1] : TREE_ROOT;
		uint32_t node = tree_add_child(tree, parent, &builder->steps.at[at]);
		vec_push(&builder->path, node);
	}
	return builder->path.at[builder->path.count - 1];
}

/* The steps of frames that the stack before does not have. */
static void make_steps(struct builder *builder, const struct stack *stack)
{
	vec_reserve(&builder->steps, stack->depth);
	builder->steps.count = stack->depth;
	for (size_t i = stack->shared; i < stack->depth; i++)
		builder->steps.at[i] = (struct tree_step){
			frame_of(&builder->input->tree, &stack->frames[i]), kind_of(stack, i)};
}

static void set_unit(struct builder *builder, const char *unit)
{
	uint64_t unit_ns = ns_of_unit(unit);

	builder->scale = unit_ns ? unit_ns : 1;
	builder->input->is_time = unit_ns > 0;
	free(builder->unit);
	builder->unit = xstrdup(unit);
	free(builder->input->text_unit);
	builder->input->text_unit = text_clean(unit, false);
}

static int add_stack(const struct stack *stack, void *context)
{
	struct builder *builder = context;
	struct tree_load weights = {stack->weight, stack->before, stack->count};

	if (!builder->unit || strcmp(stack->unit, builder->unit)) {
		/* The stacks that the feed still holds have the old unit. */
		tree_feed_finish(&builder->feed);
		set_unit(builder, stack->unit);
	}
	if (stack->weight > INT64_MAX / builder->scale ||
		stack->before > INT64_MAX / builder->scale)
		return -EOVERFLOW;
	make_steps(builder, stack);
	if (builder->is_in_order)
		land(node_in_order(builder, stack->shared), &weights, builder);
	else
		tree_feed_add(&builder->feed, stack->shared, builder->steps.at + stack->shared,
			stack->depth - stack->shared, &weights);
	return 0;
}

static int read_text(FILE *in, const char *path, const struct stacks_asked *asked, bool is_in_order,
	struct input *input, struct why *why)
{
	struct builder builder = {.input = input, .is_in_order = is_in_order, .scale = 1};
	struct stack_sink sink = {.add = add_stack, .context = &builder};
	struct why reason = {""};
	struct stat source;
	int error;

	input->privacy = fstat(fileno(in), &source) ? PRIVACY_OPEN : privacy_of(&source);
	tree_init(&input->tree);
	tree_feed_init(&builder.feed, &input->tree, land, &builder);
	error = stacks_read(in, asked, &sink, &input->skipped, &input->told, &reason);
	tree_feed_finish(&builder.feed);
	clean_events(&input->told);
	path = strcmp(path, "-") ? path : "stdin";
	if (error == -EOVERFLOW)
		why_set(&reason, error, "weights too large to add up");
	if (error)
		why_set(why, error, "%s: %s", path, reason.text);
	else if (asked->event && input->told.format != STACKS_PERF)
		error = no_view_of_text(path, asked->event, why);
	if (error)
		input_clear(input);
	tree_feed_clear(&builder.feed);
	vec_clear(&builder.steps);
	vec_clear(&builder.path);
	free(builder.unit);
	return error;
}

int input_read(
	const char *path, const struct input_asked *asked, struct input *ret, struct why *why)
{
	struct input input = {0};
	struct stacks_asked of_text = {.event = is_event(asked->view) ? asked->view : NULL,
		.has_full_names = asked->has_full_names,
		.has_suffixes = asked->shape->has_suffixes};
	bool is_stdin = !strcmp(path, "-");
	_cleanup_fclose_ FILE *file = is_stdin ? NULL : fopen(path, "re");
	int error = 0;

	if (!is_stdin && !file && errno != ENOENT)
		return why_set(why, -errno, "cannot read %s: %s", path, strerror(errno));
	/* A missing file is complained about where recordings are: it says how to make one. */
	bool is_text = is_stdin || (file && !is_database(file) && !is_binary(file));
	if (!is_text)
		error = read_recording(path, asked, &input, why);
	else if (of_text.event && view_nearest(asked->view))
		error = no_view_of_text(is_stdin ? "stdin" : path, asked->view, why);
	else
		error = read_text(is_stdin ? stdin : file, path, &of_text, false, &input, why);
	if (!error)
		*ret = input;
	return error;
}

int input_read_in_order(const char *path, bool has_full_names, struct input *ret, struct why *why)
{
	struct input input = {0};
	struct stacks_asked asked = {.has_full_names = has_full_names, .has_suffixes = true};
	bool is_stdin = !strcmp(path, "-");
	_cleanup_fclose_ FILE *file = is_stdin ? NULL : fopen(path, "re");
	int error;

	if (!is_stdin && !file)
		return why_set(why, -errno, "cannot read %s: %s", path, strerror(errno));
	if (!is_stdin && is_database(file))
		return why_set(why, -EINVAL,
			"%s is a recording, which keeps sums and not the order of stacks", path);
	error = read_text(is_stdin ? stdin : file, path, &asked, true, &input, why);
	if (!error)
		*ret = input;
	return error;
}

void input_clear(struct input *input)
{
	tree_clear(&input->tree);
	reason_parts_clear(&input->parts);
	vec_clear(&input->before);
	view_choice_clear(&input->view);
	stacks_told_clear(&input->told);
	free(input->text_unit);
	free(input->losses);
	free(input->slow);
	free(input->nothing);
}

const char *input_unit(const struct input *input)
{
	if (input->is_recording)
		return input->view.type.unit_word;
	return input->text_unit ? input->text_unit : "";
}

const char *input_name(const struct input *input)
{
	const struct stacks_told *told = &input->told;

	if (input->is_recording)
		return input->view.type.name;
	return told->shown < told->events.count && told->events.at[told->shown].name[0]
		       ? told->events.at[told->shown].name
		       : input_unit(input);
}

const char *input_count_word(const struct input *input)
{
	if (input->is_recording || input->told.format != STACKS_PERF)
		return input_unit(input);
	return input->told.shown < input->told.events.count ? "samples" : "waits";
}
