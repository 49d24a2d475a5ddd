// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which calls are slow is decided by the kernel side when they end, from a length on that follows
 * the calls so far; functions are written anew with each commit.
 */
#include "capture/capture_calls.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "capture/books_calls.h"
#include "capture/losses.h"
#include "capture/process_time.h"
#include "kernel/calls.h"
#include "util/clock.h"
#include "util/units.h"

/* Fewer calls have no percentile worth the name. */
#define CALLS_FOR_PERCENTILES 100
/* A band of lengths may hold far more than the percentile leaves: then it is not slow. */
#define MOST_SLOW_PER_EXPECTED 2
/* How long calls are counted to tell what they cost. */
#define PRICE_NS (200 * NS_PER_MS)
/* What the two programs of a call take beside its traps; of a system call, all of it. */
#define WORK_NS 400
#define SYSTEM_WORK_NS 500

static const struct call_request *request_of(
	const struct capture *capture, const struct call_function *function)
{
	return &capture->options.calls.requests[function->request];
}

/* "p99.9", "10ms"; caller frees. */
static char *rule_text(const struct call_request *request)
{
	char text[UNITS_ROOM];

	if (!request->slow_percentile)
		return xstrdup(units_duration(request->slow_from_ns, text));
	return xasprintf("p%g", request->slow_percentile / 1e4);
}

void capture_begin_calls(struct capture *capture)
{
	size_t count;
	const struct call_function *functions = kernel_call_functions(capture->kernel, &count);

	books_set_calls(capture->books, count);
	for (size_t i = 0; i < count; i++) {
		const struct call_request *request = request_of(capture, &functions[i]);
		struct capture_calls calls = {.name = functions[i].name, .kind = functions[i].kind};
		vec_push(&capture->call_rules, rule_text(request));
		vec_push(&capture->calls, calls);
	}
	capture_follow_calls(capture);
}

/* From where on calls are slow, by what is known of them so far. */
static uint64_t slow_from(const struct call_request *request, const struct books_call_total *total)
{
	uint64_t above = 0, expected;
	uint32_t band;

	if (!request->slow_percentile)
		return request->slow_from_ns;
	if (total->lengths.calls < CALLS_FOR_PERCENTILES)
		return CALL_FIRST_SLOW_NS;
	band = call_lengths_band_at(&total->lengths, request->slow_percentile);
	for (uint32_t i = band; i < CONTRACT_CALL_BANDS; i++)
		above += total->lengths.count[i];
	expected =
		(uint64_t)((double)total->lengths.calls * (1e6 - request->slow_percentile) / 1e6);
	if (above > MOST_SLOW_PER_EXPECTED * (expected + 1))
		band++;
	return call_band_begin(band);
}

static void write_function(struct capture *capture, uint32_t number,
	const struct call_function *function, const struct books_call_total *total)
{
	struct call_counts counts;

	kernel_call_counts(capture->kernel, number, &counts);
	const struct rec_function row = {.id = number + 1,
		.name = function->name,
		.kind = call_kind_name(function->kind),
		.place = function->file,
		.rule = capture->call_rules.at[number],
		.slow_from_ns = total->slow_from_ns,
		.price_ns = capture->call_price.call_ns,
		.begun_before = counts.begun_before,
		.left = counts.left + total->left,
		.died_inside = counts.died_inside,
		.too_deep = counts.too_deep,
		.unmatched = counts.unmatched,
		.in_interrupt = counts.in_interrupt,
		.jumped_on = counts.jumped_on};
	recording_writer_put_function(capture->writer, &row);
}

static void show(struct capture *capture, uint32_t number, const struct books_call_total *total)
{
	struct capture_calls *calls = &capture->calls.at[number];
	struct call_counts counts;

	kernel_call_counts(capture->kernel, number, &counts);
	calls->lengths = total->lengths;
	calls->outer = total->outer;
	calls->wall_ns = total->wall_ns;
	for (size_t i = 0; i < TIME_STATES; i++)
		calls->part_ns[i] = total->part_ns[i];
	calls->errors = total->errors;
	calls->slow = total->slow;
	calls->slow_from_ns = total->slow_from_ns;
	calls->open = total->open;
	calls->oldest_ns = total->oldest_ns;
	calls->left = counts.left;
	calls->unmatched = counts.unmatched;
}

static void write_losses(
	struct capture *capture, size_t count, const struct books_call_total *totals)
{
	uint64_t mismatch = 0, no_room = 0, bare, bare_waits, lost_waits;

	for (uint32_t i = 0; i < count; i++) {
		struct call_counts counts;
		kernel_call_counts(capture->kernel, i, &counts);
		mismatch += counts.mismatch + totals[i].mismatched;
		no_room += counts.no_room;
	}
	kernel_call_losses(capture->kernel, &bare, &bare_waits, &lost_waits);
	losses_put(capture->writer, LOSS_CALL_MISMATCH, mismatch, 0);
	losses_put(capture->writer, LOSS_CALLS, no_room, 0);
	losses_put(capture->writer, LOSS_BARE_CALLS, bare, 0);
	losses_put(capture->writer, LOSS_SLOW_WAITS, bare_waits + lost_waits, 0);
}

void capture_follow_calls(struct capture *capture)
{
	size_t count, functions_count;
	struct books_call_total *totals = books_calls(capture->books, &count);
	const struct call_function *functions =
		kernel_call_functions(capture->kernel, &functions_count);

	for (uint32_t i = 0; i < count && i < functions_count; i++) {
		/* What is open at the end is judged as the kernel side would have. */
		if (!capture->end_ns) {
			totals[i].slow_from_ns =
				slow_from(request_of(capture, &functions[i]), &totals[i]);
			kernel_set_slow(capture->kernel, i, totals[i].slow_from_ns);
		}
		write_function(capture, i, &functions[i], &totals[i]);
		show(capture, i, &totals[i]);
	}
	if (count)
		write_losses(capture, count, totals);
}

int capture_end_calls(struct capture *capture, const struct batch *last)
{
	kernel_slow_rows waits = {0};
	int error = kernel_read_open_waits(capture->kernel, &waits);

	if (!error)
		books_close_calls(
			capture->books, last, &waits, capture->end_ns, capture->outside.errands);
	vec_clear(&waits);
	capture_follow_calls(capture);
	return error;
}

void capture_free_calls(struct capture *capture)
{
	vec_each (rule, &capture->call_rules)
		free(*rule);
	vec_clear(&capture->call_rules);
	vec_clear(&capture->calls);
}

const struct capture_calls *capture_calls(const struct capture *capture, size_t *ret_count)
{
	*ret_count = capture->calls.count;
	return capture->calls.at;
}

const struct capture_call_price *capture_call_price(const struct capture *capture)
{
	/* Of a COMMAND nobody knows how often it will call. */
	return capture->call_price.calls_per_s ||
			       (capture->calls.count && capture->options.target == TARGET_COMMAND)
		       ? &capture->call_price
		       : NULL;
}

/* What watching adds to a call, on average over the functions: which are called is not known. */
static uint64_t price_of_call(struct capture *capture)
{
	size_t count, of_users = 0, dear = 0;
	const struct call_function *functions = kernel_call_functions(capture->kernel, &count);
	uint64_t sum = 0, trap_ns, stepped_ns;

	for (size_t i = 0; i < count; i++) {
		of_users +=
			functions[i].kind <= CALL_OF_MARKS && functions[i].kind != CALL_OF_SYSTEM;
		dear += functions[i].stepped;
	}
	trap_ns = of_users ? kernel_trap_ns(capture->kernel, false) : 0;
	stepped_ns = dear ? kernel_trap_ns(capture->kernel, true) : 0;
	for (size_t i = 0; i < count; i++)
		if (functions[i].kind == CALL_OF_SYSTEM || functions[i].kind == CALL_OF_KERNEL)
			sum += SYSTEM_WORK_NS;
		else
			sum += WORK_NS + functions[i].stepped * stepped_ns +
			       (2U - functions[i].stepped) * trap_ns;
	return count ? sum / count : 0;
}

static int refuse(double share, uint64_t calls_per_s, const char *whose,
	const struct capture *capture, struct why *why)
{
	char rate[UNITS_ROOM];

	return why_set(why, -EDQUOT,
		"what is to be watched is called %s times a second%s, which would take %.0f %% of "
		"%s CPU time on top; --overhead allows %.0f %%. Watch fewer functions, or those "
		"that call them; --force watches them anyway",
		units_count(calls_per_s, rate), whose, 100 * share,
		whose[0] ? "this machine's" : "its", 100 * capture->options.calls.most_cost);
}

static uint64_t per_second(uint64_t count, uint64_t ns)
{
	return (uint64_t)((double)count * NS_PER_S / (double)ns);
}

/* Of a COMMAND nobody knows what it will call. Others who have the same code pay for its probes,
 * too. */
static int look_at_price(struct capture *capture, struct why *why)
{
	struct capture_call_price *price = &capture->call_price;
	bool is_of_processes = capture->options.target == TARGET_PIDS;
	struct timespec pause = {.tv_nsec = PRICE_NS};
	uint64_t calls, all, calls_before, all_before;
	struct process_time before, after;

	price->call_ns = price_of_call(capture);
	if (capture->options.target == TARGET_COMMAND)
		return 0;
	process_time_read(&capture->options, &before);
	calls_before = kernel_calls_begun(capture->kernel, &all_before);
	nanosleep(&pause, NULL);
	calls = kernel_calls_begun(capture->kernel, &all) - calls_before;
	all -= all_before;
	process_time_read(&capture->options, &after);
	uint64_t wall_ns = after.at_ns - before.at_ns;
	double machine_ns = (double)wall_ns * (double)sysconf(_SC_NPROCESSORS_ONLN);
	double cost_ns = (double)calls * (double)price->call_ns;
	double own_ns = is_of_processes ? (double)process_time_between(&before, &after) - cost_ns
					: machine_ns;
	double least_ns = (double)process_time_tick_ns();
	double all_share = (double)all * (double)price->call_ns / machine_ns;
	price->is_of_machine = !is_of_processes;
	price->calls_per_s = per_second(calls, wall_ns);
	price->share = cost_ns / (own_ns > least_ns ? own_ns : least_ns);
	if (capture->options.calls.is_forced)
		return 0;
	if (is_of_processes && price->share > capture->options.calls.most_cost)
		return refuse(price->share, price->calls_per_s, "", capture, why);
	if (all_share > capture->options.calls.most_cost)
		return refuse(
			all_share, per_second(all, wall_ns), " by all programs", capture, why);
	return 0;
}

int capture_attach_calls(struct capture *capture, struct why *why)
{
	int error;

	if (!capture->calls.count)
		return 0;
	error = kernel_attach_calls(capture->kernel, why);
	return error ? error : look_at_price(capture, why);
}
