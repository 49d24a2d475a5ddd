// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks into trees. A stack of the recording is walked once below each node it hangs from; after
 * that, one look-up finds where it ends. Missing parts of a stack show as a frame in brackets where
 * they would be: at the root side of the user or kernel frames.
 */
#include "profile/placer.h"

#include <errno.h>
#include <string.h>

#include "model/words.h"
#include "profile/things.h"
#include "util/text.h"

struct placer {
	const struct recording *recording;
	const struct stack_shape *shape;
	struct tree *tree;
	const struct rec_thread *threads;
	const struct rec_node *nodes;
	const struct rec_named_frame *frames;
	const struct rec_object *objects;
	uint32_t *roots;       /* by thread index: node, 0 if not made yet */
	uint32_t *tree_frames; /* by frame index: frame of the tree, 0 if not made yet */
	const struct rec_chain_hop *hops;
	const struct words *words;
	struct map64 ends;     /* tree node << 32 | stack node -> tree node */
	struct map64 hop_ends; /* tree node << 32 | hop -> tree node */
	VEC(uint32_t) path;    /* of the stack at hand, leaf first */
};

static const char *const by_names[VIEW_BYS] = {
	[BY_NAME] = "name",
	[BY_COMM] = "comm",
	[BY_PROCESS] = "process",
	[BY_THREAD] = "thread",
	[BY_CONTAINER] = "container",
	[BY_AWAITED] = "awaited",
};

const char *view_by_name(enum view_by by)
{
	return by_names[by];
}

static int add_by(struct stack_shape *shape, const char *word, struct why *why)
{
	if (shape->by_count == VIEW_BY_MAX)
		return why_set(why, -EINVAL, "--by: at most %d words", VIEW_BY_MAX);
	for (unsigned int i = 0; i < VIEW_BYS; i++)
		if (!strcmp(word, by_names[i])) {
			shape->by[shape->by_count++] = (enum view_by)i;
			return 0;
		}
	return why_set(why, -EINVAL,
		"--by %s: unknown; give comm, process, thread, container, name, awaited, or a list "
		"of them",
		word);
}

int stack_shape_set_by(struct stack_shape *shape, const char *text, struct why *why)
{
	_cleanup_free_ char *copy = xstrdup(text);
	struct stack_shape made = *shape;
	char *rest = copy;
	char *word;

	made.by_count = 0;
	while ((word = strsep(&rest, ","))) {
		int error = add_by(&made, word, why);
		if (error)
			return error;
	}
	*shape = made;
	return 0;
}

bool stack_shape_is_of_waits(const struct stack_shape *shape)
{
	for (size_t i = 0; i < shape->by_count; i++)
		if (shape->by[i] == BY_AWAITED)
			return true;
	return false;
}

struct placer *placer_new(
	const struct recording *recording, const struct stack_shape *shape, struct tree *tree)
{
	struct placer *placer = xcalloc(1, sizeof(*placer));
	size_t threads, frames, unused;

	placer->recording = recording;
	placer->shape = shape;
	placer->tree = tree;
	placer->threads = recording_threads(recording, &threads);
	placer->nodes = recording_nodes(recording, &unused);
	placer->frames = recording_frames(recording, &frames);
	placer->objects = recording_objects(recording, &unused);
	placer->hops = recording_hops(recording, &unused);
	placer->words = recording_words(recording);
	placer->roots = xcalloc(threads + 1, sizeof(*placer->roots));
	placer->tree_frames = xcalloc(frames + 1, sizeof(*placer->tree_frames));
	return placer;
}

void placer_free(struct placer *placer)
{
	if (!placer)
		return;
	free(placer->roots);
	free(placer->tree_frames);
	map64_clear(&placer->ends);
	map64_clear(&placer->hop_ends);
	vec_clear(&placer->path);
	free(placer);
}

/* Container ids are 64 hex digits, of which tools show the first twelve. */
static char *container_label(const char *container)
{
	if (!container[0])
		return xstrdup("[host]");
	if (strlen(container) == 64 && strspn(container, "0123456789abcdef") == 64)
		return xstrndup(container, 12);
	return xstrdup(container);
}

static char *name_label(enum view_by by, const struct rec_thread *thread,
	const struct rec_process *process, const char *thing)
{
	switch (by) {
	case BY_NAME:
		return xstrdup(process->name);
	case BY_PROCESS:
		return xasprintf("%s-%u", process->name, process->pid);
	case BY_THREAD:
		return xasprintf("%s-%u/%u", thread->comm, process->pid, thread->tid);
	case BY_CONTAINER:
		return container_label(process->container);
	case BY_AWAITED:
		return xstrdup(thing ? thing : THING_NOT_TOLD);
	default:
		return xstrdup(thread->comm);
	}
}

uint32_t placer_names(
	struct placer *placer, uint32_t at, const struct rec_thread *thread, const char *thing)
{
	const struct stack_shape *shape = placer->shape;

	for (size_t i = 0; i < shape->by_count; i++) {
		_cleanup_free_ char *raw = name_label(shape->by[i], thread,
			recording_process_of(placer->recording, thread), thing);
		_cleanup_free_ char *clean = text_clean(raw[0] ? raw : "[no name]", true);
		at = tree_child(placer->tree, at, clean, FRAME_NAME);
	}
	return at;
}

uint32_t placer_root(struct placer *placer, const struct rec_thread *thread)
{
	uint32_t *root = &placer->roots[thread - placer->threads];

	if (!*root)
		*root = placer_names(placer, TREE_ROOT, thread, NULL);
	return *root;
}

static bool is_kernel_code(const struct rec_object *object)
{
	return object->kind == OBJECT_KERNEL || object->kind == OBJECT_MODULE;
}

/*
 * A name, or object+0xstart of the function where that is known, so that all its addresses are one,
 * or object+0xaddress, or the reason why not even that. A reason that this dwell does not have is
 * shown in any case, and so is a kind of object if there is no path.
 */
static char *frame_text(const struct placer *placer, const struct rec_named_frame *frame,
	const struct rec_object *object)
{
	const char *reason = words_frame(placer->words, WORD_NAME_REASON, frame->reason);
	const char *kind = words_frame(placer->words, WORD_OBJECT_KIND, object->kind);
	const char *slash = strrchr(object->path, '/');
	const char *base = slash && slash[1] ? slash + 1 : object->path;
	uint64_t into = frame->offset <= frame->address ? frame->offset : 0;

	if (frame->name[0])
		return xstrdup(frame->name);
	if (object->kind == OBJECT_UNKNOWN)
		return xstrdup(reason                               ? reason
			       : frame->reason == NAME_PROCESS_GONE ? "[process gone]"
								    : "[not mapped]");
	if (object->kind == OBJECT_KERNEL)
		base = "[kernel]";
	else if (object->kind == OBJECT_ANONYMOUS || !base[0])
		base = object->kind < OBJECT_KINDS ? "[anonymous]" : kind;
	return xasprintf("%s+0x%llx%s%s", base, (unsigned long long)(frame->address - into),
		reason ? " " : "", reason ? reason : "");
}

/* Its path, or what stands for it where there is no file. */
static const char *object_text(const struct placer *placer, const struct rec_object *object)
{
	if (object->kind >= OBJECT_KINDS && !object->path[0])
		return words_frame(placer->words, WORD_OBJECT_KIND, object->kind);
	if (object->kind == OBJECT_KERNEL)
		return "[kernel]";
	if (object->kind == OBJECT_ANONYMOUS)
		return object->path[0] == '[' ? object->path : "[anonymous]";
	return object->kind == OBJECT_UNKNOWN || !object->path[0] ? "[unknown]" : object->path;
}

static uint32_t frame_of(struct placer *placer, uint32_t index)
{
	const struct rec_named_frame *frame = &placer->frames[index];
	const struct rec_object *object = &placer->objects[frame->object];
	const char *suffix = "";

	if (placer->tree_frames[index])
		return placer->tree_frames[index];
	if (placer->shape->has_suffixes)
		suffix = frame->reason == NAME_INLINED      ? "_[i]"
			 : is_kernel_code(object)           ? "_[k]"
			 : object->kind == OBJECT_ANONYMOUS ? "_[j]"
							    : "";
	_cleanup_free_ char *raw = frame_text(placer, frame, object);
	_cleanup_free_ char *clean = text_clean(raw, true);
	_cleanup_free_ char *full = xasprintf("%s%s", clean, suffix);
	_cleanup_free_ char *home =
		text_clean(placer->shape->keeps_objects ? object_text(placer, object) : "", false);
	placer->tree_frames[index] = tree_frame(placer->tree, full, home);
	return placer->tree_frames[index];
}

/* The frame that stands where a stack that ended so is missing; NULL: none. */
static const char *end_mark(const struct placer *placer, enum unwind_end end)
{
	return words_frame(placer->words, WORD_UNWIND_END, end);
}

/* Hangs a stack below `at`; returns the node of its leaf. */
static uint32_t hang(struct placer *placer, uint32_t at, uint32_t stack, enum frame_kind kind)
{
	uint64_t key = (uint64_t)at << 32 | stack;
	uint64_t *known = map64_find(&placer->ends, key);
	const char *mark = end_mark(placer, placer->nodes[stack].end);

	if (known)
		return (uint32_t)*known;
	placer->path.count = 0;
	for (uint32_t node = stack; node != REC_NONE; node = placer->nodes[node].parent)
		vec_push(&placer->path, placer->nodes[node].frame);
	if (mark)
		at = tree_child(placer->tree, at, mark, FRAME_MARK);
	for (size_t i = placer->path.count; i-- > 0;)
		at = tree_child_frame(placer->tree, at, frame_of(placer, placer->path.at[i]), kind);
	*map64_put(&placer->ends, key, NULL) = at;
	return at;
}

static uint32_t hang_side(struct placer *placer, uint32_t at, uint32_t stack, enum unwind_end end,
	enum frame_kind kind)
{
	const char *mark = end_mark(placer, end);

	if (stack != REC_NONE)
		return hang(placer, at, stack, kind);
	return mark ? tree_child(placer->tree, at, mark, FRAME_MARK) : at;
}

static uint32_t place_below(struct placer *placer, uint32_t at, const struct rec_stacks *stacks)
{
	if (!placer->shape->is_kernel_only)
		at = hang_side(placer, at, stacks->user_node, stacks->user_end, FRAME_USER);
	/* One [overflow] is enough where both stacks are lost to it. */
	if (stacks->user_node == REC_NONE && stacks->kernel_node == REC_NONE &&
		stacks->user_end == stacks->kernel_end && !placer->shape->is_kernel_only)
		return at;
	if (!placer->shape->is_user_only)
		at = hang_side(placer, at, stacks->kernel_node, stacks->kernel_end, FRAME_KERNEL);
	return at;
}

uint32_t placer_place(struct placer *placer, uint32_t thread_index, const struct rec_stacks *stacks)
{
	return place_below(placer, placer_root(placer, &placer->threads[thread_index]), stacks);
}

uint32_t placer_place_wait(struct placer *placer, uint32_t thread_index,
	const struct rec_stacks *stacks, const char *thing)
{
	const struct rec_thread *thread = &placer->threads[thread_index];

	/* Where names do not depend on the thing, a thread has one root, which is kept. */
	if (!thing || !stack_shape_is_of_waits(placer->shape))
		return placer_place(placer, thread_index, stacks);
	return place_below(placer, placer_names(placer, TREE_ROOT, thread, thing), stacks);
}

uint32_t placer_stack(struct placer *placer, const struct rec_stacks *stacks)
{
	/* No thread is called that. */
	return place_below(placer, tree_child(placer->tree, TREE_ROOT, "", FRAME_NAME), stacks);
}

static uint32_t place_hop_name(struct placer *placer, uint32_t at, const struct rec_chain_hop *hop)
{
	char frame[128];

	if (words_is_own(WORD_HOP_KIND, hop->kind))
		hop_frame(hop->kind, hop->name, sizeof(frame), frame);
	else
		snprintf(frame, sizeof(frame), "[%s%s%s]",
			words_text(placer->words, WORD_HOP_KIND, hop->kind),
			hop->name[0] ? " " : "", hop->name);
	_cleanup_free_ char *clean = text_clean(frame, true);
	return tree_child(placer->tree, at, clean,
		hop_kind_is_thread(hop->kind) && hop->name[0] ? FRAME_NAME : FRAME_MARK);
}

/* Frames leaf to root; what is missing of them would be at the root. */
static uint32_t hang_leaf_first(struct placer *placer, uint32_t at, uint32_t stack,
	enum unwind_end end, enum frame_kind kind)
{
	const char *mark = end_mark(placer, end);

	for (; stack != REC_NONE; stack = placer->nodes[stack].parent)
		at = tree_child_frame(
			placer->tree, at, frame_of(placer, placer->nodes[stack].frame), kind);
	return mark ? tree_child(placer->tree, at, mark, FRAME_MARK) : at;
}

/* Both stacks missing for one reason: one word is enough. */
static bool is_missing_twice(const struct rec_chain_hop *hop)
{
	return hop->kernel_node == REC_NONE && hop->user_node == REC_NONE &&
	       hop->kernel_end == hop->user_end;
}

uint32_t placer_hop(struct placer *placer, uint32_t at, uint32_t number)
{
	const struct rec_chain_hop *hop = &placer->hops[number];
	uint64_t key = (uint64_t)at << 32 | number;
	uint64_t *known = map64_find(&placer->hop_ends, key);
	bool is_user_only = placer->shape->is_user_only;

	if (known)
		return (uint32_t)*known;
	at = tree_child(placer->tree, at, "--", FRAME_MARK);
	if (!is_user_only)
		at = hang_leaf_first(placer, at, hop->kernel_node, hop->kernel_end, FRAME_KERNEL);
	if (!placer->shape->is_kernel_only && (is_user_only || !is_missing_twice(hop)))
		at = hang_leaf_first(placer, at, hop->user_node, hop->user_end, FRAME_USER);
	at = place_hop_name(placer, at, hop);
	*map64_put(&placer->hop_ends, key, NULL) = at;
	return at;
}

uint32_t placer_waker(struct placer *placer, uint32_t number)
{
	const struct rec_chain_hop *hop = &placer->hops[number];
	uint32_t at = place_hop_name(placer, TREE_ROOT, hop);
	bool is_kernel_only = placer->shape->is_kernel_only;

	if (!is_kernel_only)
		at = hang_side(placer, at, hop->user_node, hop->user_end, FRAME_USER);
	if (!placer->shape->is_user_only && (is_kernel_only || !is_missing_twice(hop)))
		at = hang_side(placer, at, hop->kernel_node, hop->kernel_end, FRAME_KERNEL);
	return at;
}
