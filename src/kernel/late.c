// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/late.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>

#include "dwell.skel.h"
#include "util/mem.h"

/* Of what names wakers these take longest, and matter not before the window. */
static const char *const late_programs[] = {"on_first_wake", "on_work_queued"};

struct late {
	struct dwell *skeleton;
	const struct dwell *first;
	pthread_t thread;
	bool has_thread;
	bool is_loaded;
	int error;
};

static struct bpf_program *find(const struct dwell *skeleton, size_t index)
{
	return bpf_object__find_program_by_name(skeleton->obj, late_programs[index]);
}

struct late *late_new(struct dwell *first)
{
	struct late *late;
	bool is_any = false;

	for (size_t i = 0; i < ARRAY_SIZE(late_programs); i++)
		is_any |= bpf_program__autoload(find(first, i));
	if (!is_any)
		return NULL;
	late = xcalloc(1, sizeof(*late));
	late->skeleton = dwell__open();
	if (!late->skeleton) {
		free(late);
		return NULL;
	}
	struct bpf_program *program;
	bpf_object__for_each_program(
		program, late->skeleton->obj) bpf_program__set_autoload(program, false);
	for (size_t i = 0; i < ARRAY_SIZE(late_programs); i++) {
		bpf_program__set_autoload(
			find(late->skeleton, i), bpf_program__autoload(find(first, i)));
		bpf_program__set_autoload(find(first, i), false);
	}
	return late;
}

/* Both objects are of one file: their maps come in the same order. */
static int share_maps(struct late *late)
{
	struct bpf_map *own = NULL, *known = NULL;

	while ((own = bpf_object__next_map(late->skeleton->obj, own)) &&
		(known = bpf_object__next_map(late->first->obj, known))) {
		int fd = bpf_map__fd(known);
		int error = fd < 0 ? bpf_map__set_autocreate(own, false)
				   : bpf_map__reuse_fd(own, fd);
		if (error)
			return error;
	}
	return 0;
}

static void *load(void *context)
{
	struct late *late = context;

	late->error = share_maps(late);
	/* Not as a skeleton, which would map the settings and sums once more. */
	if (!late->error)
		late->error = bpf_object__load(late->skeleton->obj);
	late->is_loaded = true;
	return NULL;
}

void late_begin(struct late *late, const struct dwell *first)
{
	if (!late)
		return;
	late->first = first;
	late->has_thread = !pthread_create(&late->thread, NULL, load, late);
}

int late_wait(struct late *late)
{
	if (!late)
		return 0;
	if (late->has_thread)
		pthread_join(late->thread, NULL);
	late->has_thread = false;
	if (!late->is_loaded)
		load(late);
	return late->error;
}

struct bpf_object *late_object(const struct late *late)
{
	return late ? late->skeleton->obj : NULL;
}

void late_free(struct late *late)
{
	if (!late)
		return;
	if (late->has_thread)
		pthread_join(late->thread, NULL);
	dwell__destroy(late->skeleton);
	free(late);
}
