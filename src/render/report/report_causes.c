// SPDX-License-Identifier: GPL-2.0-or-later
/* Causes in words. */
#include "render/report/report_causes.h"

#include <string.h>

#include "profile/rounding.h"
#include "render/report/report_things.h"
#include "util/hash.h"
#include "util/map64.h"
#include "util/mem.h"
#include "util/text.h"

/* Who is named: at most so many, of so many percent each; but always the largest. */
#define MOST_HOLDERS 3
#define LEAST_PERCENT 5
/* Things that one did: at most so many of them. */
#define MOST_DOINGS 3
/* Past this the sentence begins with what is not explained. */
#define MUCH_PERCENT 20

/* One thing that somebody did while it was waited for. */
struct doing {
	const struct cause *cause;
	uint64_t ns;
	uint64_t percent;
	enum { DID_WAIT, DID_RUN, DID_NO_CPU, DID_METAL } did;
};

/* Somebody, or some metal, with what it did. */
struct holder {
	const struct cause *cause; /* its first: has kind and name */
	uint64_t ns;
	uint64_t percent;
	bool is_last;
	VEC(struct doing) doings; /* largest first */
};

struct sentence {
	const struct explanation *explanation;
	const char *who;
	VEC(struct holder) holders; /* largest first, timeouts of a lock last */
	struct map64 by_name;       /* while they are gathered: hash -> index + 1 */
	struct map64 by_words;      /* likewise, of what one did: -> index + 1 among its doings */
	uint64_t unexplained;       /* percent */
};

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
	if (hop_is_own_timer(kind, name))
		return xstrdup("its own timer");
	if (kind == HOP_SOFTIRQ && !strcmp(name, "NET_RX"))
		return xstrdup("the network");
	if (!clean[0])
		return xstrdup(metal[kind].without);
	/* Not a format from outside: one of the five above. */
	const char *place = strstr(metal[kind].with_name, "%s");
	return xasprintf("%.*s%s%s", (int)(place - metal[kind].with_name), metal[kind].with_name,
		clean, place + 2);
}

static int compare_doings(const void *left, const void *right)
{
	const struct doing *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->cause != b->cause ? (a->cause < b->cause ? -1 : 1) : (int)a->did - (int)b->did;
}

/* Of a lock, a timeout is no holder: it comes last. */
static bool is_timeout(const struct cause *cause)
{
	return hop_is_own_timer(cause->kind, cause->name);
}

static int compare_holders(const void *left, const void *right)
{
	const struct holder *a = left, *b = right;

	if (a->is_last != b->is_last)
		return a->is_last ? 1 : -1;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return strcmp(a->cause->name, b->cause->name);
}

static struct holder *holder_of(struct sentence *sentence, const struct cause *cause)
{
	bool is_metal = hop_kind_is_metal(cause->kind);
	uint64_t hash = hash_text(is_metal ? 1 + (uint64_t)cause->kind : 0, cause->name);
	uint64_t *number = map64_put(&sentence->by_name, hash, NULL);

	if (!*number) {
		vec_push(&sentence->holders, (struct holder){.cause = cause});
		*number = sentence->holders.count;
	}
	return &sentence->holders.at[*number - 1];
}

/* Of what put_wait() says: causes that differ in nothing of it read the same. */
static uint64_t hash_words(const struct holder *holder, const struct cause *cause, int did)
{
	uint64_t hash = hash_add(hash_text((uint64_t)did, holder->cause->name), cause->see);
	bool is_by_reason =
		cause->reason == REASON_SLEEP || !(cause->operation || cause->root_name);

	hash = hash_add(hash, (uint64_t)holder->cause->kind);
	hash = hash_add(hash, is_by_reason ? 1 + (uint64_t)cause->reason : 0);
	hash = hash_text(hash, cause->operation ? cause->operation : "");
	hash = hash_text(hash, cause->spot ? cause->spot : "");
	hash = hash_text(hash, cause->thing ? cause->thing->text : "");
	return hash_add(hash_text(hash, cause->root_name ? cause->root_name : ""),
		(uint64_t)cause->root_kind);
}

static void add_doing(struct sentence *sentence, struct holder *holder, const struct cause *cause,
	uint64_t ns, int did)
{
	struct doing doing = {.cause = cause};
	uint64_t *number;

	if (!ns)
		return;
	doing.did = did;
	number = map64_put(&sentence->by_words, hash_words(holder, cause, did), NULL);
	if (!*number) {
		vec_push(&holder->doings, doing);
		*number = holder->doings.count;
	}
	holder->ns += ns;
	holder->doings.at[*number - 1].ns += ns;
}

static void list_holders(struct sentence *sentence)
{
	vec_each (cause, &sentence->explanation->causes) {
		struct holder *holder = holder_of(sentence, cause);
		bool is_metal = hop_kind_is_metal(cause->kind);
		add_doing(sentence, holder, cause, cause->ran_ns, is_metal ? DID_METAL : DID_RUN);
		add_doing(sentence, holder, cause, cause->no_cpu_ns, DID_NO_CPU);
		add_doing(sentence, holder, cause, cause->waited_ns, DID_WAIT);
	}
	vec_each (holder, &sentence->holders)
		vec_sort(&holder->doings, compare_doings);
	vec_each (holder, &sentence->holders)
		holder->is_last = sentence->explanation->is_held && is_timeout(holder->cause);
	vec_sort(&sentence->holders, compare_holders);
}

/* Percentages that add up to 100: of all that each did, and of what is not explained. */
static void settle(struct sentence *sentence)
{
	VEC(uint64_t) parts = {0};

	vec_push(&parts, sentence->explanation->unexplained_ns);
	vec_each (holder, &sentence->holders)
		vec_each (doing, &holder->doings)
			vec_push(&parts, doing->ns);
	_cleanup_free_ uint64_t *percents = xcalloc(parts.count, sizeof(*percents));
	apportion(parts.at, parts.count, 100, percents);
	size_t at = 1;
	vec_each (holder, &sentence->holders)
		vec_each (doing, &holder->doings)
			holder->percent += doing->percent = percents[at++];
	sentence->unexplained = percents[0];
	vec_clear(&parts);
}

static void put_percent(FILE *out, uint64_t percent)
{
	if (percent)
		fprintf(out, " %llu %%", (unsigned long long)percent);
	else
		fputs(" < 1 %", out);
}

/* "asleep in refresh_cache", "in fdatasync of wal (XLogFlush, disk vda; see 2)" */
static void put_wait(FILE *out, const struct explanation *explanation, const struct cause *cause)
{
	_cleanup_free_ char *operation =
		text_clean(cause->operation ? cause->operation : reason_name(cause->reason), false);
	_cleanup_free_ char *spot = cause->spot ? text_clean(cause->spot, false) : NULL;
	_cleanup_free_ char *root = cause->root_name ? cause_name(explanation->words,
							       cause->root_kind, cause->root_name)
						     : NULL;
	bool is_asleep = cause->reason == REASON_SLEEP;
	bool is_of =
		cause->operation && cause->thing && thing_is_worked_on(cause->thing, cause->reason);
	_cleanup_free_ char *thing =
		cause->thing && !is_asleep ? thing_text(cause->thing, THING_COLUMNS) : NULL;
	const char *before = " (";

	if (is_asleep)
		fprintf(out, "asleep in %s", spot ? spot : operation);
	else if (!cause->operation && root)
		fprintf(out, "waiting for %s", root);
	else
		fprintf(out, "in %s", operation);
	if (thing && is_of)
		fprintf(out, " of %s", thing);
	if (spot && !is_asleep) {
		fprintf(out, "%s%s", before, spot);
		before = ", ";
	}
	if (thing && !is_of) {
		fprintf(out, "%sfor %s", before, thing);
		before = ", ";
	}
	if (root && cause->operation) {
		fprintf(out, "%s%s%s", before, hop_kind_is_thread(cause->root_kind) ? "for " : "",
			root);
		before = ", ";
	}
	if (cause->see) {
		fprintf(out, "%ssee %zu", before, cause->see);
		before = ", ";
	}
	fputs(before[0] == ',' ? ")" : "", out);
}

static void put_doing(FILE *out, const struct explanation *explanation, const struct doing *doing)
{
	if (doing->did == DID_WAIT) {
		put_wait(out, explanation, doing->cause);
		return;
	}
	fputs(doing->did == DID_RUN ? "running" : "without a CPU", out);
	if (doing->did == DID_RUN && doing->cause->ran_in) {
		_cleanup_free_ char *name = text_clean(doing->cause->ran_in, false);
		fprintf(out, " (mostly %s)", name);
	}
}

/* The things that it did, with their shares if there are several. */
static void put_doings(
	FILE *out, const struct explanation *explanation, const struct holder *holder)
{
	bool is_one = holder->percent < LEAST_PERCENT ||
		      holder->doings.at[0].ns >= holder->ns - holder->ns / 20;
	uint64_t rest = holder->percent;

	fputs(": ", out);
	for (size_t i = 0; i < holder->doings.count && i < (is_one ? 1 : MOST_DOINGS); i++) {
		const struct doing *doing = &holder->doings.at[i];
		if (i && !doing->percent)
			break;
		fputs(i ? ", " : "", out);
		put_doing(out, explanation, doing);
		if (!is_one)
			put_percent(out, doing->percent);
		rest -= doing->percent;
	}
	if (!is_one && rest)
		fprintf(out, ", other %llu %%", (unsigned long long)rest);
}

static void put_holder(FILE *out, const struct sentence *sentence, const struct holder *holder)
{
	const struct explanation *explanation = sentence->explanation;
	const struct cause *cause = holder->cause;
	bool is_metal = hop_kind_is_metal(cause->kind);
	_cleanup_free_ char *name = cause_name(explanation->words, cause->kind, cause->name);

	if (holder->is_last) {
		fputs("timed out and tried again", out);
		put_percent(out, holder->percent);
		return;
	}
	fputs(is_metal                 ? (is_timeout(cause) ? "until " : "for ")
		: explanation->is_held ? "held by "
				       : "for ",
		out);
	fprintf(out, "%s%s", !is_metal && !strcmp(name, sentence->who) ? "another " : "", name);
	put_percent(out, holder->percent);
	if (!is_metal)
		put_doings(out, explanation, holder);
}

static char *why_unexplained(const struct explanation *explanation)
{
	enum chain_end end = explanation_main_end(explanation);
	_cleanup_free_ char *name = NULL;

	/* The rest of it is of wakers that were not watched. */
	if (end != CHAIN_EARLIER || explanation->forgotten_all_ns < explanation->by_end_ns[end] / 2)
		return xstrdup(words_plain_end(explanation->words, end));
	/* No other has as much of it. */
	if (explanation->forgotten_ns) {
		name = text_clean(explanation->forgetful, false);
		return xasprintf("what %s did is too far back", name);
	}
	return xstrdup("too far back to be remembered");
}

/* Is what is not explained what has not ended? That is no riddle. */
static bool is_going_on(const struct explanation *explanation)
{
	uint64_t others_ns = explanation->unexplained_ns - explanation->by_end_ns[CHAIN_NOT_WOKEN];

	return explanation->by_end_ns[CHAIN_NOT_WOKEN] / 9 >= others_ns &&
	       explanation->by_end_ns[CHAIN_NOT_WOKEN];
}

/* Is it worth saying that somebody passed it on: one that all came through, but that no time is of?
 */
static bool has_messenger(const struct sentence *sentence)
{
	const char *waker = sentence->explanation->waker;

	if (!waker || !strcmp(waker, sentence->who))
		return false;
	for (size_t i = 0; i < sentence->holders.count && i < MOST_HOLDERS; i++)
		if (!strcmp(sentence->holders.at[i].cause->name, waker) &&
			(!i || sentence->holders.at[i].percent >= LEAST_PERCENT))
			return false;
	return sentence->holders.count && !hop_kind_is_metal(sentence->holders.at[0].cause->kind);
}

static void put_sentence(FILE *out, const struct sentence *sentence)
{
	const struct explanation *explanation = sentence->explanation;
	bool is_open_first = sentence->unexplained > MUCH_PERCENT, has_any = false;
	size_t count = sentence->holders.count, shown = 0;
	const struct holder *last = count && sentence->holders.at[count - 1].is_last
					    ? &sentence->holders.at[--count]
					    : NULL;
	uint64_t rest = 100 - sentence->unexplained - (last ? last->percent : 0);

	if (sentence->unexplained == 100 && explanation_main_end(explanation) == CHAIN_NOT_WOKEN) {
		fputs("It had not ended when the recording did", out);
		if (explanation->owner) {
			_cleanup_free_ char *owner = text_clean(explanation->owner->comm, false);
			fprintf(out, "; %s %s", owner,
				explanation->is_held ? "holds it" : "has the other end");
		}
		fputs(".", out);
		return;
	}
	_cleanup_free_ char *why = why_unexplained(explanation);
	if (is_open_first) {
		fprintf(out, "Not explained: %llu %% (%s)",
			(unsigned long long)sentence->unexplained, why);
		fputs(sentence->holders.count ? ". " : ".", out);
	}
	if (has_messenger(sentence)) {
		_cleanup_free_ char *name = text_clean(explanation->waker, false);
		fprintf(out, "through %s, ", name);
	}
	for (size_t i = 0; i < count && i < MOST_HOLDERS; i++, shown++) {
		const struct holder *holder = &sentence->holders.at[i];
		if (i && holder->percent < LEAST_PERCENT)
			break;
		fputs(has_any ? "; " : "", out);
		put_holder(out, sentence, holder);
		rest -= holder->percent;
		has_any = true;
	}
	if (rest && shown + 1 == count) {
		fputs("; ", out);
		put_holder(out, sentence, &sentence->holders.at[shown]);
	} else if (rest && shown < count) {
		fprintf(out, "; %zu others %llu %%", count - shown, (unsigned long long)rest);
	}
	if (last) {
		fputs(has_any ? "; " : "", out);
		put_holder(out, sentence, last);
		has_any = true;
	}
	if (sentence->unexplained && !is_open_first && is_going_on(explanation)) {
		fprintf(out, "%sstill waiting %llu %%", has_any ? "; " : "",
			(unsigned long long)sentence->unexplained);
		has_any = true;
	} else if (sentence->unexplained && !is_open_first) {
		fprintf(out, "%snot explained %llu %% (%s)", has_any ? "; " : "",
			(unsigned long long)sentence->unexplained, why);
		has_any = true;
	}
	fputs(has_any ? "." : "", out);
}

/* Sentences begin with a capital, whatever they begin with. */
static void capitalize(char *text)
{
	char *begin = strncmp(text, "Not explained", strlen("Not explained")) ? text
		      : strstr(text, "). ") ? strstr(text, "). ") + 3
					    : text;

	if (begin[0] >= 'a' && begin[0] <= 'z')
		begin[0] = (char)(begin[0] - 'a' + 'A');
}

char *cause_sentence(const struct explanation *explanation, const char *who)
{
	struct sentence sentence = {.explanation = explanation, .who = who};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return xstrdup("");
	list_holders(&sentence);
	settle(&sentence);
	put_sentence(out, &sentence);
	fclose(out);
	capitalize(text);
	vec_each (holder, &sentence.holders)
		vec_clear(&holder->doings);
	vec_clear(&sentence.holders);
	map64_clear(&sentence.by_name);
	map64_clear(&sentence.by_words);
	return text;
}

static void put_cause(struct json *json, const struct words *words, const struct cause *cause)
{
	json_open_object(json);
	json_field_text(json, "kind", words_text(words, WORD_HOP_KIND, cause->kind));
	json_field_text(json, "name", cause->name);
	json_field_uint(json, "ran_ns", cause->ran_ns);
	json_field_uint(json, "no_cpu_ns", cause->no_cpu_ns);
	if (cause->ran_in)
		json_field_text(json, "ran_mostly_in", cause->ran_in);
	json_field_uint(json, "waited_ns", cause->waited_ns);
	if (cause->waited_ns) {
		json_field_text(json, "waited_for", reason_name(cause->reason));
		if (cause->operation)
			json_field_text(json, "waited_in", cause->operation);
		if (cause->spot)
			json_field_text(json, "called_from", cause->spot);
		if (cause->thing)
			json_field_text(json, "awaited", cause->thing->text);
		if (cause->root_name) {
			json_field_text(json, "root_kind",
				words_text(words, WORD_HOP_KIND, cause->root_kind));
			json_field_text(json, "root", cause->root_name);
		}
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
