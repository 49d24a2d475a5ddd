/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a looking command is given: a recording, or text that another tool wrote, as a call tree. */
#ifndef DWELL_CLI_INPUT_H
#define DWELL_CLI_INPUT_H

#include "cli/view_options.h"
#include "format/stacks.h"
#include "profile/reason_parts.h"
#include "profile/tree.h"
#include "recording/reader.h"

struct input {
	struct tree tree;
	struct reason_parts parts; /* why, where the view tells */
	uint64_t window_ns;        /* 0: text has none */
	uint64_t from_ns;          /* of a recording: the range after rounding to slices */
	uint64_t to_ns;
	bool has_range; /* it is not the whole window */
	bool is_recording;
	struct view_choice view; /* of a recording */
	bool is_time;            /* weights are nanoseconds; else what input_unit() says */
	char *text_unit;         /* of text */
	struct stacks_told told; /* of text: what it holds beside what is shown; names are clean */
	struct skipped skipped;  /* lines of the text that were not used */
	size_t hidden_threads;   /* by --roots, with hidden_ns of blocked time */
	uint64_t hidden_ns;
	uint64_t idle_ns;       /* set aside: not in the tree */
	struct privacy privacy; /* of what was read */
	char *nothing; /* of a recording that filters leave nothing of: which; NULL: not so */
	char *slow;    /* of whose slow calls it is; NULL: of threads. Names are clean. */
	char *losses;  /* what the recording could not keep, in words; NULL: nothing */
	VEC(uint64_t) before; /* by node: first of two columns; else, or at the end: none */
};

/* What is wanted of an input. */
struct input_asked {
	const char *view; /* or NULL: what suits it */
	const struct view_filter *filter;
	const struct stack_shape *shape;
	bool has_full_names; /* names of text stay as they are */
	/*
	 * If set, called with a recording and what was made of it before it is closed; its error is
	 * the reader's.
	 */
	int (*visit)(struct recording *recording, const struct input *input,
		const struct view_filter *filter, void *context, struct why *why);
	void *context;
};

/*
 * Reads `path` ("-": stdin) as a recording seen as the view of that name, or else as text of any
 * format that stacks_read() knows, of which the view is an event of perf script. Without a view
 * (NULL): off-CPU time, but of an import that has none its first measure or its running time. 0, or
 * -errno with why. The caller clears it.
 */
int input_read(
	const char *path, const struct input_asked *asked, struct input *ret, struct why *why);
/* Text alone, as a tree whose siblings stand in the order of the lines and merge only if adjacent.
 */
int input_read_in_order(const char *path, bool has_full_names, struct input *ret, struct why *why);
void input_clear(struct input *input);
/*
 * Opens a recording and chooses the view of that name, which may be what it counts: only the
 * recording knows. 0, or -errno with why; a name that looks like a slip is told in any case. The
 * caller frees the one and clears the other.
 */
int input_open_view(const char *path, const char *view, struct recording **ret,
	struct view_choice *ret_view, struct why *why);
/* "ns", "samples", "bytes", ..., or a recording's own word; "": text did not tell. Borrowed. */
const char *input_unit(const struct input *input);
/* What is shown: a view's name, an event of perf script, or the unit of other text. Borrowed. */
const char *input_name(const struct input *input);
/* Of text: what --weight count counts, "samples" or "waits", or its unit. Borrowed. */
const char *input_count_word(const struct input *input);
/* "lost: 12 samples found no room; 3 ..."; NULL if nothing was lost that changes the picture. The
 * caller frees it. */
char *input_losses(const struct recording *recording);

#endif
