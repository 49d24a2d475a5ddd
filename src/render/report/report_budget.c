// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines about --budget. */
#include "render/report/report_budget.h"

#include <math.h>

#include "util/units.h"

/* One of so many and fewer were kept: there was little more to leave out. */
#define FEW 200
/* A budget that is passed by more than this part of it was not kept. */
#define TOLERANCE 0.2

double report_budget_error(const struct rec_meta *meta)
{
	return meta->bursts ? fmin(2 * sqrt(0.1 * 0.9 / (double)meta->bursts), 1) : 1;
}

void report_budget(const struct rec_meta *meta, FILE *out)
{
	double budget = meta->budget_ppm / 1e6, cost = rec_meta_cost_share(meta);
	uint64_t all = meta->thinned + meta->chosen;
	char count[UNITS_ROOM];

	if (!meta->budget_ppm || !meta->window_ns)
		return;
	fprintf(out, "budget %g %% of %u CPU%s, cost %.2g %%: ", 100 * budget, meta->cpus,
		meta->cpus == 1 ? "" : "s", 100 * cost);
	if (!meta->thinned) {
		fputs("nothing left out\n", out);
		return;
	}
	fprintf(out, "times exact, %.*f %% of %s stacks left out;\n",
		meta->chosen * 100 < all ? 1 : 0, 100 * (double)meta->thinned / (double)all,
		units_count(all, count));
	/* A tenth of which nothing is known is no figure. */
	if (report_budget_error(meta) < 0.1)
		fprintf(out, "  a stack shown with 10 %% of the time has 10 %% +- %.2g\n",
			100 * report_budget_error(meta));
	else
		fputs("  too few were kept to tell how much is whose\n", out);
	if (cost <= budget * (1 + TOLERANCE))
		return;
	if (meta->chosen * FEW > all) {
		fputs("  above it: the recording was too short to settle\n", out);
		return;
	}
	fprintf(out,
		"  above it: exact times and dwell's own work alone cost that (%s switches/s)\n",
		units_count(
			(uint64_t)((double)meta->switches * 1e9 / (double)meta->window_ns), count));
}
