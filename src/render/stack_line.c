// SPDX-License-Identifier: GPL-2.0-or-later
/* Which frames of a stack tell something. */
#include "render/stack_line.h"

#include <string.h>

#include "model/plumbing.h"
#include "model/unwind.h"
#include "util/text.h"

struct frame {
	const char *label;
	enum frame_kind kind;
};

typedef VEC(struct frame) frame_list;

static bool has_prefix(const char *label, const char *const *prefixes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(label, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* How every wait enters the kernel and ends in the scheduler. */
static bool is_kernel_noise(const char *label)
{
	static const char *const noise[] = {"entry_SYSCALL", "do_syscall_64", "x64_sys_call",
		"__x64_sys_", "__ia32_", "__arm64_sys_", "__do_sys_", "__se_sys_", "ksys_", "el0",
		"invoke_syscall", "asm_exc_", "exc_page_fault", "do_user_addr_fault",
		"ret_from_fork", "schedule", "__schedule", "io_schedule", "do_el0_svc",
		"poll_schedule_timeout"};

	/* kthreadd is a thread of its own. */
	return has_prefix(label, noise, ARRAY_SIZE(noise)) || !strcmp(label, "kthread");
}

/* Layers that pass a call on, and loops that call all kinds of work. */
static bool is_generic(const char *label)
{
	static const char *const generic[] = {"do_", "__", "vfs_", "new_sync_", "handle_mm_fault",
		"worker_thread", "process_one_work", "process_scheduled_works", "kthread_worker_fn",
		"smpboot_thread_fn", "rescuer_thread"};

	return has_prefix(label, generic, ARRAY_SIZE(generic));
}

static void collect(const struct tree *tree, uint32_t node, frame_list *frames)
{
	for (; node != TREE_ROOT; node = tree->nodes.at[node].parent) {
		struct frame frame = {tree_label(tree, node), tree->nodes.at[node].kind};
		if (frame.kind == FRAME_NAME)
			break;
		vec_push(frames, frame);
	}
	for (size_t i = 0; i < frames->count / 2; i++) {
		struct frame swap = frames->at[i];
		frames->at[i] = frames->at[frames->count - 1 - i];
		frames->at[frames->count - 1 - i] = swap;
	}
}

/* The outermost kernel frame that is specific; else the outermost that is no noise. */
static const struct frame *kernel_operation(const frame_list *frames)
{
	const struct frame *best = NULL;

	for (size_t i = 0; i < frames->count; i++) {
		const struct frame *frame = &frames->at[i];
		if (frame->kind != FRAME_KERNEL || is_kernel_noise(frame->label))
			continue;
		if (!is_generic(frame->label))
			return frame;
		if (!best)
			best = frame;
	}
	return best;
}

/* Frames that only say that there is no name. */
static bool is_nameless(const struct frame *frame)
{
	return !strcmp(frame->label, "[not mapped]") || !strcmp(frame->label, "[process gone]");
}

/* How many of the outermost frames tell nothing: the mark of a stack that is not whole, and what
 * lies between it and the first frame that is something. */
static size_t count_untelling(const frame_list *frames)
{
	size_t count = 0;

	while (count + 1 < frames->count &&
		(frames->at[count].kind == FRAME_MARK || is_nameless(&frames->at[count])))
		count++;
	return count;
}

/* Code of the program itself that has a name; "libfoo.so+0x12" has none. */
static bool is_own_code(const struct frame *frame)
{
	return frame->kind == FRAME_USER && !strstr(frame->label, "+0x") &&
	       !plumbing_is(frame->label);
}

/* The program's own code tells more than anything below it. */
static bool has_own_code(const frame_list *frames)
{
	for (size_t i = 0; i < frames->count; i++)
		if (is_own_code(&frames->at[i]))
			return true;
	return false;
}

static void keep_telling(frame_list *frames)
{
	const struct frame *operation = kernel_operation(frames);
	bool is_own = has_own_code(frames);
	frame_list kept = {0};

	for (size_t i = 0; i < frames->count; i++) {
		const struct frame *frame = &frames->at[i];
		bool tells = frame->kind != FRAME_USER ||
			     (is_own ? is_own_code(frame) : !plumbing_is_entry(frame->label));
		if (frame->kind == FRAME_KERNEL)
			tells = !is_own && frame == operation;
		/* Nothing but noise is better than nothing. */
		if (!operation && !is_own && frame->kind == FRAME_KERNEL)
			tells = i + 1 == frames->count;
		if (tells)
			vec_push(&kept, *frame);
	}
	vec_clear(frames);
	*frames = kept;
}

static char *join(const frame_list *frames, size_t first, const char *note)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return xstrdup("");
	if (first)
		fputs("...", out);
	for (size_t i = first; i < frames->count; i++)
		fprintf(out, "%s%s", i ? " > " : "", frames->at[i].label);
	fputs(note, out);
	fclose(out);
	return text;
}

/* Of a thread that sleeps since before the recording only the kernel's part is known: that is said
 * in words. Takes the mark away. */
static const char *take_earlier(frame_list *frames)
{
	const char *mark = unwind_end_frame(UNWIND_EARLIER);

	if (frames->count < 2 || strcmp(frames->at[0].label, mark))
		return "";
	frames->count--;
	memmove(frames->at, frames->at + 1, frames->count * sizeof(*frames->at));
	return " (asleep since before the recording)";
}

char *stack_line(const struct tree *tree, uint32_t node, bool is_full, size_t columns)
{
	frame_list frames = {0};
	const char *note = "";
	size_t first = 0;
	char *text;

	collect(tree, node, &frames);
	if (!is_full) {
		keep_telling(&frames);
		note = take_earlier(&frames);
		first = count_untelling(&frames);
	}
	text = join(&frames, first, note);
	while (!is_full && text_width(text) > columns && first + 1 < frames.count) {
		free(text);
		text = join(&frames, ++first, note);
	}
	vec_clear(&frames);
	return text;
}
