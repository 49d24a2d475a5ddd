/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the page share; nobody else includes it. */
#ifndef DWELL_RENDER_PAGE_PARTS_H
#define DWELL_RENDER_PAGE_PARTS_H

#include "render/page/page.h"
#include "render/page/page_text.h"
#include "util/json.h"

struct page {
	const struct cube *cube;
	const struct summary *summary;
	const struct page_options *options;
	FILE *out;
};

/* The cube and what is said about it, packed: page_data.c. */
void page_data(const struct page *page);
/* What its JSON says beside the tables, as fields of the open object: page_facts.c. */
void page_facts(struct json *json, const struct page *page);
/* What waits were for, in its words, as one more field: page_things.c. */
void page_things(struct json *json, const struct page *page);
/* The summary as sentences, and the tables for readers without scripts: page_static.c. */
void page_head(const struct page *page);
void page_fallback(const struct page *page);
/* A text in an element, whose tag may have attributes. */
void page_put_element(FILE *out, const char *tag, const char *text);
/* What was counted beside time: page_measures.c. */
void page_measures(const struct page *page);
/* Calls of functions: page_calls.c. */
void page_calls(const struct page *page);
/* The flame graph for readers without scripts; 0, or -errno with why: page_picture.c. */
int page_picture(const struct page *page, struct why *why);

/* Texts that both the tables and the data need; the caller frees. */
char *page_verdict(const struct page *page);
char *page_window(const struct page *page);
char *page_accounting(const struct page *page);
/* What a line of the summary was for; "" if that is not known. */
char *page_sentence(const struct page *page, size_t line);

/* Script and style, as tools/bundle-page made them, each ended by a NUL; `policy` is a list of what
 * a Content-Security-Policy allows. */
extern const char page_asset_js[];
extern const char page_asset_css[];
extern const char page_asset_policy[];

#endif
