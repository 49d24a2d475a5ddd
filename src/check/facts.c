// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of facts and the judgement on it. */
#include "check/facts.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

const char *fact_status_word(enum fact_status status)
{
	static const char *const words[] = {"ok", "limited", "missing", "unknown"};

	return words[status];
}

const char *fact_group_word(enum fact_group group)
{
	static const char *const words[] = {"needed", "helpful", "machine"};

	return words[group];
}

void facts_add(struct facts *facts, enum fact_group group, enum fact_status status,
	const char *name, const char *effect_format, ...)
{
	struct fact fact = {.group = group, .status = status, .name = xstrdup(name)};
	va_list args;

	va_start(args, effect_format);
	if (vasprintf(&fact.effect, effect_format, args) < 0)
		fact.effect = xstrdup("");
	va_end(args);
	vec_push(&facts->list, fact);
}

void facts_fix(struct facts *facts, const char *fix_format, ...)
{
	struct fact *last = &facts->list.at[facts->list.count - 1];
	va_list args;

	free(last->fix);
	va_start(args, fix_format);
	if (vasprintf(&last->fix, fix_format, args) < 0)
		last->fix = NULL;
	va_end(args);
}

void facts_is_permission(struct facts *facts)
{
	facts->list.at[facts->list.count - 1].is_permission = true;
}

static bool is_blocker(const struct fact *fact)
{
	return fact->group == FACT_NEEDED && fact->status == FACT_MISSING;
}

/* Rights that one command gives are asked for together, not one failed run after the other. */
static bool has_same_cure(const struct fact *a, const struct fact *b)
{
	return a->is_permission && b->is_permission && a->fix && b->fix && !strcmp(a->fix, b->fix);
}

static int refuse(const struct facts *facts, const struct fact *first, struct why *why)
{
	char names[256] = "";
	bool is_one = true;

	snprintf(names, sizeof(names), "%s", first->name);
	for (const struct fact *fact = first + 1; fact < facts->list.at + facts->list.count;
		fact++) {
		if (!is_blocker(fact) || !has_same_cure(first, fact))
			continue;
		size_t used = strlen(names);
		snprintf(names + used, sizeof(names) - used, ", %s", fact->name);
		is_one = false;
	}
	return why_set(why, first->is_permission ? -EPERM : -ENOTSUP,
		"cannot record here: missing %s%s%s%s%s", names, is_one ? ": " : "",
		is_one ? first->effect : "", first->fix ? "; fix: " : "",
		first->fix ? first->fix : "");
}

int facts_judge(const struct facts *facts, struct why *why)
{
	vec_each (fact, &facts->list)
		if (is_blocker(fact))
			return refuse(facts, fact, why);
	return 0;
}

void facts_clear(struct facts *facts)
{
	vec_each (fact, &facts->list) {
		free(fact->name);
		free(fact->effect);
		free(fact->fix);
	}
	vec_clear(&facts->list);
}
