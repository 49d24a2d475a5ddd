// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which function changed. A slower function makes all its callers slower in total, and off-CPU time
 * always ends in the scheduler: so the ranking goes by own weight, where a stack's own function is
 * the innermost one of the program that is no mere way into a wait (model/plumbing.h).
 */
#include <math.h>
#include <string.h>

#include "model/plumbing.h"
#include "profile/diff.h"

/* Changes below this share of both sides together are rounding, not news. */
#define NOISE 1e-9

const char *diff_change_name(enum diff_change change)
{
	static const char *const names[DIFF_CHANGES] = {
		[DIFF_SLOWER] = "slower",
		[DIFF_FASTER] = "faster",
		[DIFF_NEW] = "new",
		[DIFF_GONE] = "gone",
	};

	return (unsigned int)change < DIFF_CHANGES ? names[change] : "unknown";
}

/* Objects whose functions do what others ask of them. */
static bool is_library_of_all(const char *object)
{
	static const char *const prefixes[] = {
		"libc.", "libc-", "libpthread", "ld-", "libm.", "libm-", "librt", "[vdso]"};
	const char *slash = strrchr(object, '/');
	const char *name = slash ? slash + 1 : object;

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* How well a frame serves as the one to blame: higher is better, 0 is not at all. */
enum blame {
	BLAME_NONE,
	BLAME_KERNEL,
	BLAME_WAY, /* of user code into the kernel */
	BLAME_OWN,
};

/*
 * Folded text need not tell kernel frames from the program's. These are the ways into the kernel:
 * what is behind one of them is the kernel's, unless the text says otherwise.
 */
static bool enters_kernel(const char *name)
{
	static const char *const entries[] = {"entry_SYSCALL_64", "entry_SYSENTER", "entry_INT80",
		"do_syscall_64", "x64_sys_call", "__x64_sys_", "asm_exc_", "asm_sysvec_",
		"asm_common_interrupt", "ret_from_fork", "el0_svc", "el0t_64_sync"};

	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		if (!strncmp(name, entries[i], strlen(entries[i])))
			return true;
	return false;
}

static bool is_kernel(const struct tree *tree, const bool *is_inside, uint32_t node)
{
	const struct tree_node *at = &tree->nodes.at[node];

	return at->kind == FRAME_KERNEL ||
	       (at->kind == FRAME_USER && !tree_object(tree, node)[0] &&
		       (is_inside[at->parent] || enters_kernel(tree_label(tree, node))));
}

/* By node. What names mean is asked once for each frame. The caller frees it. */
static unsigned char *blames_of(const struct diff *diff)
{
	unsigned char *blames = xcalloc(diff->tree.nodes.count, 1);
	_cleanup_free_ bool *is_inside = xcalloc(diff->tree.nodes.count, sizeof(*is_inside));
	_cleanup_free_ unsigned char *of_frames = xcalloc(diff->tree.frames.count + 1, 1);

	for (uint32_t i = 1; i < diff->tree.nodes.count; i++) {
		const struct tree_node *node = &diff->tree.nodes.at[i];
		is_inside[i] = is_kernel(&diff->tree, is_inside, i);
		if (is_inside[i])
			blames[i] = BLAME_KERNEL;
		if (node->kind != FRAME_USER || is_inside[i])
			continue;
		if (!of_frames[node->frame])
			of_frames[node->frame] =
				is_library_of_all(tree_object(&diff->tree, i)) ||
						plumbing_is(tree_label(&diff->tree, i))
					? BLAME_WAY
					: BLAME_OWN;
		blames[i] = of_frames[node->frame];
	}
	return blames;
}

/* Frames behind it are a waker's: it is the waiting thread's own code that is ranked. */
static bool is_separator(const struct diff *diff, uint32_t node)
{
	return diff->tree.nodes.at[node].kind == FRAME_MARK &&
	       !strcmp(tree_label(&diff->tree, node), "--");
}

/* The innermost frame of the best kind on the way from a node to the root; TREE_ROOT if none. */
static uint32_t own_node(const struct diff *diff, const unsigned char *blames, uint32_t node)
{
	uint32_t best = TREE_ROOT;
	int best_blame = 0;

	for (; node != TREE_ROOT; node = diff->tree.nodes.at[node].parent) {
		int blame = blames[node];
		if (is_separator(diff, node)) {
			best = TREE_ROOT;
			best_blame = 0;
		} else if (blame > best_blame) {
			best = node;
			best_blame = blame;
		}
	}
	return best;
}

/* Is the frame already on the way from the node's parent to the root? */
static bool is_recursive(const struct diff *diff, uint32_t node)
{
	uint32_t frame = diff->tree.nodes.at[node].frame;

	for (node = diff->tree.nodes.at[node].parent; node != TREE_ROOT;
		node = diff->tree.nodes.at[node].parent)
		if (diff->tree.nodes.at[node].frame == frame)
			return true;
	return false;
}

static enum diff_change change_of(double before, double after, double noise)
{
	if (before <= noise)
		return DIFF_NEW;
	if (after <= noise)
		return DIFF_GONE;
	return after > before ? DIFF_SLOWER : DIFF_FASTER;
}

static double own_change(const struct diff_function *function)
{
	return fabs(function->own_after - function->own_before);
}

static double total_change(const struct diff_function *function)
{
	return fabs(function->total_after - function->total_before);
}

static int by_change(const void *a, const void *b)
{
	const struct diff_function *first = a, *second = b;
	double own = own_change(second) - own_change(first);
	double total = total_change(second) - total_change(first);

	if (own != 0)
		return own > 0 ? 1 : -1;
	if (total != 0)
		return total > 0 ? 1 : -1;
	return (first->frame > second->frame) - (first->frame < second->frame);
}

/* Keeps what changed, and says how. */
static void classify(const struct diff *diff, diff_functions *functions)
{
	const struct diff_weight *root = &diff->weights.at[TREE_ROOT];
	double noise = NOISE * (root->total_before + root->total_after);
	size_t kept = 0;

	for (size_t i = 0; i < functions->count; i++) {
		struct diff_function function = functions->at[i];

		if (own_change(&function) <= noise && total_change(&function) <= noise)
			continue;
		if (own_change(&function) > noise)
			function.change = change_of(function.own_before, function.own_after, noise);
		else
			function.change =
				change_of(function.total_before, function.total_after, noise);
		functions->at[kept++] = function;
	}
	functions->count = kept;
}

void diff_rank(const struct diff *diff, diff_functions *ret)
{
	diff_functions functions = {0};
	_cleanup_free_ unsigned char *blames = blames_of(diff);

	for (uint32_t i = 0; i < diff->tree.frames.count; i++)
		vec_push(&functions, (struct diff_function){.frame = i});
	for (uint32_t node = 1; node < diff->tree.nodes.count; node++) {
		const struct diff_weight *weight = &diff->weights.at[node];
		struct diff_function *function = &functions.at[diff->tree.nodes.at[node].frame];

		if (blames[node] && !is_recursive(diff, node)) {
			function->total_before += weight->total_before;
			function->total_after += weight->total_after;
		}
		uint32_t own = own_node(diff, blames, node);
		if (own == TREE_ROOT || (weight->self_before == 0 && weight->self_after == 0))
			continue;
		function = &functions.at[diff->tree.nodes.at[own].frame];
		function->own_before += weight->self_before;
		function->own_after += weight->self_after;
	}
	classify(diff, &functions);
	vec_sort(&functions, by_change);
	*ret = functions;
}

double diff_worst_growth(const struct diff *diff, const diff_functions *functions)
{
	double before = diff->weights.at[TREE_ROOT].total_before, worst = 0;

	for (size_t i = 0; i < functions->count; i++) {
		double growth = functions->at[i].total_after - functions->at[i].total_before;
		if (growth > worst)
			worst = growth;
	}
	return before > 0 ? worst / before : worst > 0 ? INFINITY : 0;
}
