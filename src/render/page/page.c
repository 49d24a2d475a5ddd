// SPDX-License-Identifier: GPL-2.0-or-later
/* The order of the page. Everything that comes from the recording is escaped, or packed. */
#include "render/page/page.h"

#include "render/page/page_parts.h"

static void put_top(const struct page *page)
{
	_cleanup_free_ char *window = page_window(page);

	fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ",
		page->out);
	fputs(page_asset_policy, page->out);
	fputs("; img-src data:; base-uri 'none'; form-action 'none'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<meta name=\"referrer\" content=\"no-referrer\">\n"
	      "<meta name=\"generator\" content=\"dwell " DWELL_VERSION "\">\n<title>",
		page->out);
	page_put_text(page->out, window);
	fputs("</title>\n<style>", page->out);
	fputs(page_asset_css, page->out);
	fputs("</style>\n</head>\n<body>\n", page->out);
}

/* Waits of slow calls have things of their own. */
static void redact(struct summary *summary)
{
	things_redact(&summary->things);
	vec_each (called, &summary->calls)
		if (called->waits)
			things_redact(&called->waits->things);
}

int page_write(const struct cube *cube, struct summary *summary, const struct page_options *options,
	FILE *out, struct why *why)
{
	struct page page = {cube, summary, options, out};
	int error = 0;

	if (options->is_redacted)
		redact(summary);
	put_top(&page);
	page_head(&page);
	fputs("<main id=\"app\" hidden></main>\n<section id=\"fallback\">\n"
	      "<p id=\"starting\" role=\"status\">The rest of this page needs scripts and a "
	      "browser of 2023 or later (DecompressionStream); this is what remains without "
	      "them.</p>\n",
		out);
	page_fallback(&page);
	fputs("<noscript>\n", out);
	if (options->tree)
		error = page_picture(&page, why);
	fputs("</noscript>\n</section>\n<script type=\"text/plain\" id=\"dwell-data\">", out);
	page_data(&page);
	fputs("</script>\n<script>", out);
	fputs(page_asset_js, out);
	fputs("</script>\n</body>\n</html>\n", out);
	return error;
}
