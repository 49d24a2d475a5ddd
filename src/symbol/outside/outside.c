// SPDX-License-Identifier: GPL-2.0-or-later
/* Both kinds of helpers together. */
#include "symbol/outside/outside.h"

#include "symbol/outside/errand.h"
#include "symbol/outside/parser.h"

int outside_init(struct outside *outside, struct why *why)
{
	struct outside made = OUTSIDE_HERE;
	int error = errands_new(&made.errands, why);

	if (!error)
		error = helpers_new(&parser_helpers, &made.parsers, why);
	if (error)
		outside_clear(&made);
	else
		*outside = made;
	return error;
}

void outside_clear(struct outside *outside)
{
	errands_free(outside->errands);
	helpers_free(outside->parsers);
	*outside = (struct outside){0};
}

void outside_set_hurry(struct outside *outside, bool (*is_hurried)(void *context), void *context)
{
	helpers_set_hurry(errands_helpers(outside->errands), is_hurried, context);
	helpers_set_hurry(outside->parsers, is_hurried, context);
}

void outside_calm(struct outside *outside)
{
	if (outside->parsers)
		helpers_calm(outside->parsers);
}

void outside_add_usage(struct outside *outside, struct helper_usage *usage)
{
	if (outside->errands)
		helpers_add_usage(errands_helpers(outside->errands), usage);
	if (outside->parsers)
		helpers_add_usage(outside->parsers, usage);
}
