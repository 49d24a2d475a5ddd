// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs of events, attached to their places. Where the kernel can, all places of user code are
 * one link (uprobe_multi): a link for each takes 60 to 370 ms when it is taken away again.
 */
#include "kernel/event_attach.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/private.h"
#include "kernel/uprobes.h"
#include "dwell.skel.h"
#include "host/proc_text.h"
#include "util/text.h"

#define KPROBE_TYPE "/sys/bus/event_source/devices/kprobe/type"

static int say_refused(const struct event *event, int error, struct why *why)
{
	if (error == EPERM || error == EACCES)
		return why_set(why, -EPERM,
			"the kernel does not let us count -e %s; see dwell check, or record "
			"without it",
			event->text);
	return why_set(why, -ENOTSUP,
		"cannot count -e %s: %s; see dwell check, or record without it", event->text,
		strerror(error));
}

/*
 * Wherever the file is mapped: processes that are not recorded pay for the trap, too. A probe of
 * one process would end with its first thread, and count a call for each time it is named. The
 * kernel is given the file that was read, not its path, which may lead elsewhere by now.
 */
static int attach_user(struct kernel *kernel, size_t first, size_t end, struct why *why)
{
	const struct event_place *places = kernel->plan.places.at;
	const struct event *event = &kernel->options->events[places[first].event];
	struct uprobes probes = {.program = kernel->skeleton->progs.on_call,
		.fd = places[first].fd,
		.is_return = event->is_return,
		.has_multi = kernel->has_multi};

	for (size_t i = first; i < end; i++) {
		struct uprobe probe = {.offset = places[i].offset,
			.semaphore = places[i].semaphore,
			.cookie = places[i].rule};
		vec_push(&probes.places, probe);
	}
	int error = uprobes_attach(&probes, kernel, event->text, why);
	vec_clear(&probes.places);
	return error;
}

static int attach_tracepoint(struct kernel *kernel, const struct event *event,
	const struct event_place *place, struct why *why)
{
	int error = kernel_attach_tracepoint(
		kernel, kernel->skeleton->progs.on_tracepoint, place->tracepoint, place->rule);

	return error ? say_refused(event, -error, why) : 0;
}

static int attach_kernel_call(struct kernel *kernel, const struct event *event,
	const struct event_place *place, struct why *why)
{
	LIBBPF_OPTS(bpf_kprobe_opts, options, .bpf_cookie = place->rule,
		.retprobe = event->is_return, .offset = event->offset);
	struct bpf_link *link = bpf_program__attach_kprobe_opts(
		kernel->skeleton->progs.on_kernel_call, event->function, &options);
	int error = errno;

	if (link) {
		vec_push(&kernel->links, link);
		return 0;
	}
	if (error == ENOENT || error == EINVAL || error == EADDRNOTAVAIL)
		return why_set(why, -EINVAL,
			"-e %s: this kernel has no function %s that can be watched; it may have "
			"another name (grep %s /proc/kallsyms), or be a part of its callers "
			"(inlined)",
			event->text, event->function, event->function);
	return say_refused(event, error, why);
}

/* Precision that the CPU does not have is taken back step by step, as perf does. */
static int attach_perf(struct kernel *kernel, const struct event *event,
	const struct event_place *place, struct why *why)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
		.type = event->perf_type,
		.config = event->perf_config,
		.config1 = event->perf_config1,
		.config2 = event->perf_config2,
		.freq = event->frequency != 0,
		.precise_ip = event->precise & 3,
		.exclude_user = event->has_no_user,
		.exclude_kernel = event->has_no_kernel,
		.exclude_hv = event->has_no_kernel,
		.sample_type = PERF_SAMPLE_IP};
	struct perf_failure failure;
	int error;

	/* The kernel wants that of precise events whose programs take stacks. */
	if (attr.precise_ip)
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (event->frequency)
		attr.sample_freq = event->frequency;
	else
		attr.sample_period = event->period;
	do {
		error = kernel_attach_perf(kernel, kernel->skeleton->progs.on_perf_event, &attr,
			place->rule, &failure);
	} while (error && failure.error == EOPNOTSUPP && attr.precise_ip && attr.precise_ip--);
	if (!error)
		return 0;
	if (event->perf_type != PERF_TYPE_SOFTWARE &&
		(failure.error == ENOENT || failure.error == EOPNOTSUPP || failure.error == EINVAL))
		return why_set(why, -ENOTSUP,
			"-e %s: this machine has no such counter, as many virtual ones; dwell list "
			"has "
			"those that there are",
			event->text);
	return why_set(why, error,
		"cannot count %s on CPU %d: %s; see dwell check, or record without it", event->name,
		failure.cpu, strerror(failure.error));
}

/* Where user code's places of the same event and file end. */
static size_t end_of_run(const struct kernel *kernel, size_t first)
{
	const struct event_place *places = kernel->plan.places.at;
	size_t end = first + 1;

	while (end < kernel->plan.places.count && places[end].event == places[first].event)
		end++;
	return end;
}

int kernel_attach_events(struct kernel *kernel, struct why *why)
{
	int error = 0;

	for (size_t i = 0, end; i < kernel->plan.places.count && !error; i = end) {
		const struct event_place *place = &kernel->plan.places.at[i];
		const struct event *event = &kernel->options->events[place->event];
		end = end_of_run(kernel, i);
		if (event->kind == EVENT_CALL || event->kind == EVENT_MARK)
			error = attach_user(kernel, i, end, why);
		else if (event->kind == EVENT_KERNEL_CALL)
			error = attach_kernel_call(kernel, event, place, why);
		else if (event->kind == EVENT_TRACEPOINT)
			error = attach_tracepoint(kernel, event, place, why);
		else
			error = attach_perf(kernel, event, place, why);
	}
	return error ? error : kernel_attach_memory(kernel, why);
}

/* One link serves all CPUs: the event is opened on one to have something to hang it on. */
int kernel_attach_tracepoint(
	struct kernel *kernel, struct bpf_program *program, uint32_t id, uint64_t cookie)
{
	LIBBPF_OPTS(bpf_perf_event_opts, options, .bpf_cookie = cookie);
	struct perf_event_attr attr = {.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = id,
		.sample_period = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	struct bpf_link *link =
		fd < 0 ? NULL : bpf_program__attach_perf_event_opts(program, fd, &options);
	int error = errno;

	if (link) {
		vec_push(&kernel->links, link);
		return 0;
	}
	if (fd >= 0)
		close(fd);
	return -error;
}

/* What this kernel cannot do at all is said before anything is loaded. */
static int check_kernel_calls(const struct event *event, struct why *why)
{
	int64_t type;

	if (!proc_text_read_number(KPROBE_TYPE, &type))
		return 0;
	return why_set(why, -ENOTSUP,
		"-e %s: this kernel was built without kprobes, so that its functions cannot be "
		"watched; "
		"tracepoints can (dwell list '*:*')",
		event->text);
}

unsigned int events_uses(const struct event *events, size_t count)
{
	unsigned int uses = 0;

	for (size_t i = 0; i < count; i++)
		if (events[i].kind != EVENT_OF_MEMORY)
			uses |= USE_OF_EVENT(events[i].kind);
	return uses;
}

static int find_calls(struct kernel *kernel, struct outside *outside, struct why *why)
{
	const struct capture_options *options = kernel->options;
	struct call_plan *plan = &kernel->calls;

	plan->rules = kernel->plan.rules;
	plan->rule_count = &kernel->plan.rule_count;
	if (!options->calls.count)
		return 0;
	kernel->has_multi = uprobes_have_multi();
	call_safety_init(&plan->safety, options, kernel->has_multi, outside);
	return call_plan_make(&options->calls, outside, plan, why);
}

int kernel_find_events(struct kernel *kernel, struct outside *outside, struct why *why)
{
	const struct capture_options *options = kernel->options;

	for (size_t i = 0; i < options->event_count; i++)
		if (options->events[i].kind == EVENT_KERNEL_CALL) {
			int error = check_kernel_calls(&options->events[i], why);
			if (error)
				return error;
		}
	int error =
		event_plan_make(options->events, options->event_count, outside, &kernel->plan, why);
	if (!error)
		error = find_calls(kernel, outside, why);
	return error ? error : kernel_find_memory(kernel, outside, why);
}
