// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What waits were for, as the page calls it. Links hold a thing by its text, so no two have the
 * same one: where texts agree (two files of a redacted page, locks of two processes) they are
 * numbered.
 */
#include "render/page/page_parts.h"
#include "util/intern.h"
#include "util/map64.h"

/* Texts of all things, redacted if the page is, with equal ones told apart. */
struct thing_texts {
	struct intern texts;
	VEC(uint32_t) of;      /* by thing: number of its text */
	struct map64 sharing;  /* text -> how many things have it */
	struct map64 numbered; /* text -> how many of them have been written */
};

static void texts_clear(struct thing_texts *texts)
{
	intern_clear(&texts->texts);
	vec_clear(&texts->of);
	map64_clear(&texts->sharing);
	map64_clear(&texts->numbered);
}

static void gather(struct thing_texts *texts, const struct page *page)
{
	vec_each (thing, &page->cube->things) {
		/* awaited_text() leaves names out; page_text() what looks like a path in a place.
		 */
		_cleanup_free_ char *whole =
			awaited_text(&thing->awaited, thing->primitive, page->options->is_redacted);
		_cleanup_free_ char *text = page_text(whole, page->options->is_redacted);
		uint32_t number = intern(&texts->texts, text);
		vec_push(&texts->of, number);
		++*map64_put(&texts->sharing, number, NULL);
	}
}

void page_things(struct json *json, const struct page *page)
{
	_cleanup_(texts_clear) struct thing_texts texts = {0};

	gather(&texts, page);
	json_name(json, "things");
	json_open_array(json);
	for (size_t i = 0; i < page->cube->things.count; i++) {
		const struct awaited *awaited = &page->cube->things.at[i].awaited;
		const char *text = intern_text(&texts.texts, texts.of.at[i]);
		uint64_t sharing = *map64_find(&texts.sharing, texts.of.at[i]);
		uint64_t place = ++*map64_put(&texts.numbered, texts.of.at[i], NULL);
		_cleanup_free_ char *told =
			sharing > 1 ? xasprintf("%s (%llu)", text, (unsigned long long)place)
				    : xstrdup(text);
		json_open_array(json);
		json_text(json, told);
		json_text(json, awaited_kind_name(awaited->kind));
		json_bool(json, awaited->is_folded);
		json_close_array(json);
	}
	json_close_array(json);
}
