// SPDX-License-Identifier: GPL-2.0-or-later
/* The thread writes the result, which its owner reads behind pthread_join() only. */
#include "util/background.h"

#include "util/urgency.h"

static void *run_it(void *context)
{
	struct background *background = context;

	background->result = background->run(background->context);
	return NULL;
}

int background_try(struct background *background, int (*run)(void *context), void *context)
{
	int error;

	background->run = run;
	background->context = context;
	error = -pthread_create(&background->thread, NULL, run_it, background);
	background->has_thread = !error;
	if (!error)
		urgency_share(background->thread);
	return error;
}

void background_begin(struct background *background, int (*run)(void *context), void *context)
{
	if (background_try(background, run, context))
		run_it(background);
}

int background_end(struct background *background)
{
	if (background->has_thread)
		pthread_join(background->thread, NULL);
	background->has_thread = false;
	return background->result;
}
