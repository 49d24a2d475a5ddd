// SPDX-License-Identifier: GPL-2.0-or-later
/* Causes in words. */
#include "render/report/report_causes.h"

#include <string.h>

#include "profile/rounding.h"
#include "util/mem.h"
#include "util/text.h"

#define MOST_ITEMS 3
#define LEAST_PERCENT 5
/* Past this the sentence begins with what is not explained. */
#define MUCH_PERCENT 20
/* Less than this part of what a cause did is not worth a word. */
#define ASIDE 10

/* One figure of the sentence. */
struct item {
	const struct cause *cause;
	uint64_t ns;
	enum { DID_WAIT, DID_RUN, DID_NO_CPU, DID_BOTH, DID_METAL } did;
};

typedef VEC(struct item) item_list;

char *cause_name(const struct words *words, enum hop_kind kind, const char *name)
{
	static const struct {
		const char *with_name, *without;
	} metal[HOP_KINDS] = {
		[HOP_IRQ] = {"interrupt %s", "an interrupt"},
		[HOP_SOFTIRQ] = {"softirq %s", "a softirq"},
		[HOP_TIMER] = {"a timer (%s)", "a timer"},
		[HOP_IPI] = {"another CPU's interrupt (%s)", "another CPU's interrupt"},
		[HOP_DISK] = {"disk %s", "a disk"},
	};
	_cleanup_free_ char *clean = text_clean(name, false);

	if (!words_is_own(WORD_HOP_KIND, kind))
		return xasprintf("%s%s%s", words_text(words, WORD_HOP_KIND, kind),
			clean[0] ? " " : "", clean);
	if (!hop_kind_is_metal(kind))
		return xstrdup(clean[0] ? clean : "an unknown waker");
	if (!clean[0])
		return xstrdup(metal[kind].without);
	/* Not a format from outside: one of the five above. */
	const char *place = strstr(metal[kind].with_name, "%s");
	return xasprintf("%.*s%s%s", (int)(place - metal[kind].with_name), metal[kind].with_name,
		clean, place + 2);
}

static int compare_items(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->cause < b->cause ? -1 : a->cause > b->cause;
}

static void add_item(item_list *items, const struct cause *cause, uint64_t ns, int did)
{
	struct item item = {.cause = cause, .ns = ns};

	item.did = did;
	if (ns)
		vec_push(items, item);
}

/* With one waker each thing that it did is an item, else each cause is. */
static void list_items(const struct explanation *explanation, item_list *items)
{
	vec_each (cause, &explanation->causes) {
		uint64_t awake_ns = cause->ran_ns + cause->no_cpu_ns;
		bool is_waker = explanation->waker && !strcmp(cause->name, explanation->waker);
		if (hop_kind_is_metal(cause->kind)) {
			add_item(items, cause, cause->ran_ns, DID_METAL);
		} else if (is_waker) {
			add_item(items, cause, cause->ran_ns, DID_RUN);
			add_item(items, cause, cause->no_cpu_ns, DID_NO_CPU);
		} else {
			add_item(items, cause, awake_ns,
				cause->no_cpu_ns < awake_ns / ASIDE ? DID_RUN
				: cause->ran_ns < awake_ns / ASIDE  ? DID_NO_CPU
								    : DID_BOTH);
		}
		add_item(items, cause, cause->waited_ns, DID_WAIT);
	}
	vec_sort(items, compare_items);
}

static void put_item(
	FILE *out, const struct explanation *explanation, const struct item *item, const char *who)
{
	static const char *const did[] = {
		[DID_RUN] = "ran", [DID_NO_CPU] = "had no CPU", [DID_BOTH] = "ran or had no CPU"};
	const struct cause *cause = item->cause;
	bool is_waker = explanation->waker && !strcmp(cause->name, explanation->waker);
	_cleanup_free_ char *plain = cause_name(explanation->words, cause->kind, cause->name);
	_cleanup_free_ char *name =
		is_waker ? xstrdup("it")
			 : xasprintf("%s%s",
				   !strcmp(plain, who) && item->did != DID_METAL ? "another " : "",
				   plain);

	if (item->did == DID_METAL) {
		fputs(plain, out);
		return;
	}
	if (item->did != DID_WAIT) {
		fprintf(out, "%s %s", name, did[item->did]);
		return;
	}
	_cleanup_free_ char *operation =
		text_clean(cause->operation ? cause->operation : reason_name(cause->reason), false);
	fprintf(out, "%s was in %s", name, operation);
	if (cause->see)
		fprintf(out, " (see %zu)", cause->see);
}

/* Why it is not explained, in the words of the views. */
static void put_unexplained(FILE *out, const struct explanation *explanation)
{
	fprintf(out, " (%s)",
		words_text(explanation->words, WORD_CHAIN_END, explanation_main_end(explanation)));
}

struct sentence {
	const struct explanation *explanation;
	const char *who;
	item_list items;
	size_t shown;
	uint64_t percents[MOST_ITEMS + 2]; /* of the items shown, the rest, what is unexplained */
};

/* Which items are shown, and percentages of all that add up to 100. */
static void settle(struct sentence *sentence)
{
	const struct explanation *explanation = sentence->explanation;
	uint64_t parts[MOST_ITEMS + 2] = {0}, rest_ns = 0;

	for (size_t i = 0; i < sentence->items.count; i++) {
		uint64_t ns = sentence->items.at[i].ns;
		bool is_enough = (unsigned __int128)ns * 100 >=
				 (unsigned __int128)explanation->total_ns * LEAST_PERCENT;
		if (i == sentence->shown && i < MOST_ITEMS && (is_enough || !i))
			parts[sentence->shown++] = ns;
		else
			rest_ns += ns;
	}
	parts[MOST_ITEMS] = rest_ns;
	parts[MOST_ITEMS + 1] = explanation->unexplained_ns;
	apportion(parts, ARRAY_SIZE(parts), 100, sentence->percents);
}

static void put_figure(FILE *out, uint64_t percent, bool *has_any)
{
	fputs(*has_any ? ", " : "", out);
	*has_any = true;
	if (percent)
		fprintf(out, "%llu %% ", (unsigned long long)percent);
	else
		fputs("< 1 % ", out);
}

static void put_sentence(FILE *out, const struct sentence *sentence)
{
	const struct explanation *explanation = sentence->explanation;
	uint64_t unexplained = sentence->percents[MOST_ITEMS + 1];
	bool is_open_first = unexplained > MUCH_PERCENT, has_any = false;

	if (is_open_first) {
		fprintf(out, "Not explained: %llu %%", (unsigned long long)unexplained);
		put_unexplained(out, explanation);
		fputs(sentence->shown ? ". " : ".", out);
	}
	if (explanation->waker && sentence->shown) {
		_cleanup_free_ char *name = text_clean(explanation->waker, false);
		fprintf(out, "For %s%s: ", !strcmp(name, sentence->who) ? "another " : "", name);
	}
	for (size_t i = 0; i < sentence->shown; i++) {
		put_figure(out, sentence->percents[i], &has_any);
		put_item(out, explanation, &sentence->items.at[i], sentence->who);
	}
	if (sentence->percents[MOST_ITEMS]) {
		put_figure(out, sentence->percents[MOST_ITEMS], &has_any);
		fputs("others", out);
	}
	if (unexplained && !is_open_first) {
		put_figure(out, unexplained, &has_any);
		fputs("not explained", out);
		put_unexplained(out, explanation);
	}
	fputs(has_any ? "." : "", out);
}

char *cause_sentence(const struct explanation *explanation, const char *who)
{
	struct sentence sentence = {.explanation = explanation, .who = who};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return xstrdup("");
	list_items(explanation, &sentence.items);
	settle(&sentence);
	put_sentence(out, &sentence);
	fclose(out);
	vec_clear(&sentence.items);
	return text;
}

static void put_cause(struct json *json, const struct words *words, const struct cause *cause)
{
	json_open_object(json);
	json_field_text(json, "kind", words_text(words, WORD_HOP_KIND, cause->kind));
	json_field_text(json, "name", cause->name);
	json_field_uint(json, "ran_ns", cause->ran_ns);
	json_field_uint(json, "no_cpu_ns", cause->no_cpu_ns);
	json_field_uint(json, "waited_ns", cause->waited_ns);
	if (cause->waited_ns) {
		json_field_text(json, "waited_for", reason_name(cause->reason));
		if (cause->operation)
			json_field_text(json, "waited_in", cause->operation);
		if (cause->see)
			json_field_uint(json, "see", cause->see);
	}
	json_close_object(json);
}

void cause_json(struct json *json, const struct explanation *explanation, const char *who)
{
	_cleanup_free_ char *text = cause_sentence(explanation, who);

	json_field_text(json, "sentence", text);
	if (explanation->waker)
		json_field_text(json, "waker", explanation->waker);
	json_name(json, "causes");
	json_open_array(json);
	vec_each (cause, &explanation->causes)
		put_cause(json, explanation->words, cause);
	json_close_array(json);
	json_name(json, "unexplained_ns");
	json_open_object(json);
	for (unsigned int end = 0; end < WORDS_MOST; end++)
		if (explanation->by_end_ns[end])
			json_field_uint(json, words_text(explanation->words, WORD_CHAIN_END, end),
				explanation->by_end_ns[end]);
	json_close_object(json);
}
