// SPDX-License-Identifier: GPL-2.0-or-later
/* A table of programs; the time of a process is that of its threads, added one after the other. */
#include "profile/summary/runtimes.h"

#include <inttypes.h>
#include <string.h>

#include "util/mem.h"

#define WORTH_A_WORD 20

static const struct {
	const char *program; /* its file's name begins so */
	const char *unseen;
	const char *names; /* %u: pid */
	/* What no allocator sees of its memory, and who does. */
	const char *own_memory;
} kinds[RUNTIMES] = {
	[RUNTIME_JAVA] = {"java", "waits of virtual threads are not visible to a kernel tool",
		"jcmd %u Compiler.perfmap",
		"objects on its own heap are not seen, only native memory is: jcmd %u "
		"GC.class_histogram has them"},
	[RUNTIME_NODE] = {"node", "waits inside its event loop are not visible to a kernel tool",
		"node --perf-basic-prof",
		"objects on its own heap are not seen, only native memory is: node --heap-prof "
		"has them"},
	[RUNTIME_PYTHON] = {"python3", "waits of coroutines are not visible to a kernel tool",
		"python3 -X perf (3.12 and later)",
		"objects of up to 512 bytes are seen only if it was started with "
		"PYTHONMALLOC=malloc"},
	[RUNTIME_GO] = {NULL, "waits of goroutines are not visible to a kernel tool", NULL,
		"objects on its own heap are not seen, only what C code allocates is: go tool "
		"pprof has them"},
};

static bool find_kind(const char *exe, enum runtime_kind *ret)
{
	const char *slash = strrchr(exe, '/');
	const char *name = slash ? slash + 1 : exe;

	for (unsigned int kind = 0; kind < RUNTIMES; kind++)
		if (kinds[kind].program &&
			!strncmp(name, kinds[kind].program, strlen(kinds[kind].program))) {
			*ret = (enum runtime_kind)kind;
			return true;
		}
	return false;
}

void runtimes_add(runtime_list *runtimes, const struct rec_process *process, uint64_t busy_ns)
{
	enum runtime_kind kind;
	struct runtime *found = NULL;

	if (!find_kind(process->exe, &kind))
		return;
	vec_each (runtime, runtimes)
		if (runtime->kind == kind)
			found = runtime;
	if (!found) {
		struct runtime added = {.kind = kind};
		vec_push(runtimes, added);
		found = &runtimes->at[runtimes->count - 1];
	}
	found->busy_ns += busy_ns;
	if (!found->process || busy_ns > found->most_ns) {
		found->process = process->name;
		found->pid = process->pid;
		found->most_ns = busy_ns;
	}
}

void runtimes_add_frames(runtime_list *runtimes, const struct recording *recording)
{
	static const char *const marks[] = {"runtime.goexit", "runtime.mstart", "runtime.rt0_go"};
	size_t count, object_count;
	const struct rec_named_frame *frames = recording_frames(recording, &count);
	const struct rec_object *objects = recording_objects(recording, &object_count);

	for (size_t i = 0; i < object_count; i++)
		if (!strcmp(objects[i].path, "[jit]"))
			vec_each (runtime, runtimes)
				runtime->has_names = true;

	for (size_t i = 0; i < count; i++)
		for (size_t mark = 0; mark < ARRAY_SIZE(marks); mark++)
			if (!strncmp(frames[i].name, marks[mark], strlen(marks[mark]))) {
				struct runtime go = {.kind = RUNTIME_GO, .process = "Go"};
				vec_push(runtimes, go);
				return;
			}
}

static int by_time(const void *a, const void *b)
{
	const struct runtime *first = a, *second = b;

	return (first->busy_ns < second->busy_ns) - (first->busy_ns > second->busy_ns);
}

void runtimes_finish(runtime_list *runtimes, uint64_t all_ns)
{
	size_t kept = 0;

	vec_sort(runtimes, by_time);
	while (kept < runtimes->count && runtimes->at[kept].busy_ns &&
		runtimes->at[kept].busy_ns >= all_ns / WORTH_A_WORD)
		kept++;
	runtimes->count = kept;
}

/* "java 4711: " and what is said, with its number for %u. */
static char *said_of(const struct runtime *runtime, const char *said)
{
	const char *pid = strstr(said, "%u");
	_cleanup_free_ char *whose =
		kinds[runtime->kind].program
			? xasprintf("%s %" PRIu32, runtime->process, runtime->pid)
			: xstrdup(runtime->process);

	if (!pid)
		return xasprintf("%s: %s", whose, said);
	return xasprintf(
		"%s: %.*s%" PRIu32 "%s", whose, (int)(pid - said), said, runtime->pid, pid + 2);
}

char *runtime_text(const struct runtime *runtime)
{
	const char *names = kinds[runtime->kind].names;

	if (runtime->has_names || !names)
		return said_of(runtime, kinds[runtime->kind].unseen);
	_cleanup_free_ char *both = xasprintf("%s; names: %s", kinds[runtime->kind].unseen, names);
	return said_of(runtime, both);
}

char *runtime_memory_text(const struct runtime *runtime)
{
	return said_of(runtime, kinds[runtime->kind].own_memory);
}
