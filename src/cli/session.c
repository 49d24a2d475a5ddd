// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The session: checks rights, makes the file, starts COMMAND, and then waits for whatever ends the
 * recording first: a signal, the time, COMMAND or the last target. The first Ctrl-C stops and
 * saves; from then on signals have their usual effect, so a second one aborts. One that comes
 * before the window is open ends the start, and leaves the folder as it was.
 */
#include "cli/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

#include "capture/hurry.h"
#include "check/check.h"
#include "cli/child.h"
#include "cli/command.h"
#include "cli/heap_session.h"
#include "cli/live_line.h"
#include "cli/no_target.h"
#include "cli/rotation.h"
#include "profile/summary/conservation.h"
#include "recording/reader.h"
#include "util/clock.h"
#include "util/units.h"

#define PROGRESS_EVERY_NS NS_PER_S
/* A target that ends is noticed when its last record is read. */
#define TARGET_CHECK_NS (100 * NS_PER_MS)

struct session {
	struct record_options *options;
	const char *path;
	struct rotation rotation;
	struct recording_writer *writer;
	struct capture *capture;
	struct child child;
	struct heap_session heap;
	sigset_t old_mask;
	int signal_fd;
	atomic_bool is_told_to_stop;
	struct live_line line;
	bool child_was_ended; /* by us, when the time was up */
	int child_status;
};

/* Own failures are 125 when there is a COMMAND, whose statuses take up the small numbers. */
static int own_status(const struct session *session, int status)
{
	return session->options->command ? STATUS_COMMAND_FAILED : status;
}

static int status_of_error(int error)
{
	return error == -EPERM || error == -ENOTSUP || error == -EACCES ? STATUS_REFUSED
									: STATUS_USAGE;
}

/* Nothing was recorded: leaves the folder as it was. */
static void undo_file(struct session *session)
{
	recording_writer_discard(session->writer);
	session->writer = NULL;
	rotation_undo(&session->rotation);
}

static void catch_signals(struct session *session)
{
	sigset_t caught;

	sigemptyset(&caught);
	sigaddset(&caught, SIGINT);
	sigaddset(&caught, SIGTERM);
	sigaddset(&caught, SIGHUP);
	sigprocmask(SIG_BLOCK, &caught, &session->old_mask);
	session->signal_fd = signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
}

static bool has_signal(void *context)
{
	const struct session *session = context;
	struct pollfd signals = {.fd = session->signal_fd, .events = POLLIN};

	return session->is_told_to_stop || poll(&signals, 1, 0) > 0;
}

/* As if the signal had ended us. */
static int status_of_signal(const struct session *session)
{
	struct signalfd_siginfo info;

	if (read(session->signal_fd, &info, sizeof(info)) != sizeof(info))
		return own_status(session, STATUS_USAGE);
	return 128 + (int)info.ssi_signo;
}

/* From here on a signal ends the program at once. */
static void release_signals(struct session *session)
{
	struct signalfd_siginfo info;

	if (session->signal_fd < 0)
		return;
	while (read(session->signal_fd, &info, sizeof(info)) > 0)
		;
	int fd = session->signal_fd;
	session->signal_fd = -1;
	close(fd);
	sigprocmask(SIG_SETMASK, &session->old_mask, NULL);
}

/* Whoever waits for a name that nobody has should know it at once. */
static void warn_of_nobody(const struct session *session)
{
	struct capture_progress progress;

	if (session->options->is_quiet || session->options->capture.target == TARGET_COMMAND)
		return;
	capture_progress(session->capture, &progress);
	if (!progress.has_target)
		no_target_yet(session->options);
}

static void show_stage(void *context, enum start_stage stage, size_t done, size_t all)
{
	struct session *session = context;

	live_line_stage(&session->line, stage, done, all);
}

static bool has_lost_targets(struct session *session)
{
	struct capture_progress progress;

	if (session->options->capture.target != TARGET_PIDS &&
		session->options->capture.target != TARGET_TIDS)
		return false;
	capture_progress(session->capture, &progress);
	return !progress.has_target;
}

static int milliseconds_to(uint64_t now, uint64_t then)
{
	return then <= now ? 0 : (int)((then - now) / NS_PER_MS + 1);
}

/* Runs until something ends the recording. 0 or -errno with why. */
static int record_until_end(struct session *session, uint64_t begun_ns, struct why *why)
{
	uint64_t duration = session->options->capture.duration_ns;
	uint64_t end_ns = duration ? begun_ns + duration : UINT64_MAX;
	uint64_t next_line_ns = begun_ns + PROGRESS_EVERY_NS;

	for (;;) {
		struct pollfd fds[] = {{.fd = capture_fd(session->capture), .events = POLLIN},
			{.fd = session->signal_fd, .events = POLLIN},
			{.fd = child_fd(&session->child), .events = POLLIN}};
		uint64_t now = clock_monotonic_ns(), next = now + TARGET_CHECK_NS;

		if (now >= end_ns)
			return 0;
		if (next > end_ns)
			next = end_ns;
		if (poll(fds, ARRAY_SIZE(fds), milliseconds_to(now, next)) < 0 && errno != EINTR)
			return why_set(why, -errno, "cannot wait: %s", strerror(errno));
		/* From now on helpers are not waited for long. */
		session->is_told_to_stop = fds[1].revents;
		if (fds[1].revents || fds[2].revents)
			return 0;
		if (fds[0].revents) {
			int error = capture_step(session->capture, why);
			if (error)
				return error;
		}
		if (has_lost_targets(session))
			return 0;
		if (clock_monotonic_ns() >= next_line_ns) {
			next_line_ns += PROGRESS_EVERY_NS;
			live_line_progress(&session->line, session->capture, session->options);
		}
	}
}

/* Law 1, checked on the finished rows and stored with them. */
static int check_books(struct session *session, struct why *why)
{
	struct recording *recording;
	struct conservation check;
	struct rec_meta *meta = capture_meta(session->capture);
	int error;

	if (!recording_writer_is_in_place(session->writer))
		return why_set(why, -ESTALE,
			"%s is not the file that was recorded into: somebody has replaced it",
			session->path);
	error = recording_open(session->path, &recording, why);
	if (error)
		return error;
	error = conservation_check(recording, &check, why);
	recording_free(recording);
	if (error)
		return error;
	if (check.worst_thread_ns > meta->worst_thread_ns)
		meta->worst_thread_ns = check.worst_thread_ns;
	meta->worst_slice_ns = check.worst_slice_ns;
	return 0;
}

/* Nobody should pay much for a recording without knowing, nor without knowing what to do. */
#define DEAR_SHARE 0.05
/* In a shorter one what is done once, at the end, is the most of it, and no budget helps. */
#define DEAR_FROM_NS NS_PER_S

static void warn_of_cost(const struct rec_meta *meta)
{
	double share = rec_meta_cost_share(meta);

	if (meta->window_ns >= DEAR_FROM_NS && share > DEAR_SHARE &&
		meta->event_ns > (uint64_t)(rec_meta_cost_ns(meta) / 2)) {
		fprintf(stderr,
			"dwell: recording took %.0f %% of this machine's CPU time, most of it to "
			"count events; -c 100 behind an -e looks at one of 100\n",
			100 * share);
		return;
	}
	if (!meta->budget_ppm && meta->window_ns >= DEAR_FROM_NS && share > DEAR_SHARE)
		fprintf(stderr,
			"dwell: recording took %.0f %% of this machine's CPU time; --budget 2%% "
			"would hold it to that, --depth 0 takes about half\n",
			100 * share);
}

static void say_summary(struct session *session)
{
	const struct rec_meta *meta = capture_meta(session->capture);
	struct capture_progress progress;
	struct stat status = {0};
	char size[UNITS_ROOM], waits[UNITS_ROOM], window[UNITS_ROOM];

	if (session->options->is_quiet)
		return;
	capture_progress(session->capture, &progress);
	stat(session->path, &status);
	fprintf(stderr, "dwell: recorded %s and %s wait%s into %s (%s)",
		units_duration(meta->window_ns, window), units_count(progress.waits, waits),
		progress.waits == 1 ? "" : "s", session->path,
		units_bytes((uint64_t)status.st_size, size));
	if (meta->expected_ns)
		fprintf(stderr, "; accounted %.3f %%",
			100.0 * (double)meta->accounted_ns / (double)meta->expected_ns);
	fputc('\n', stderr);
	warn_of_cost(meta);
	heap_session_say(session->capture);
}

/* A target named by number may have ended in the last moment of the start; of others nobody may
 * have come. */
static int require_life(const struct session *session, struct why *why)
{
	const struct capture_options *options = &session->options->capture;

	if (capture_meta(session->capture)->expected_ns || options->target == TARGET_COMMAND)
		return 0;
	if (options->target != TARGET_PIDS && options->target != TARGET_TIDS)
		return no_target_at_all(session->options, why);
	return why_set(why, -ESRCH, "%s ended before the recording began: nothing was recorded",
		options->target_text);
}

static int stop_and_save(struct session *session, struct why *why)
{
	live_line_words(&session->line, "saving: closing the books, naming functions");
	int error = capture_stop(session->capture, why);

	if (!error)
		error = require_life(session, why);
	live_line_words(&session->line, "saving: does every thread's time add up?");
	if (!error)
		error = check_books(session, why);
	live_line_words(&session->line, "saving: writing the end");
	if (!error)
		error = capture_finish(session->capture, why);
	live_line_end(&session->line);
	return error;
}

/* COMMAND is over, or is asked to be when the time is up and nobody else will. */
static void settle_child(struct session *session)
{
	struct pollfd end = {.fd = child_fd(&session->child), .events = POLLIN};

	if (!session->child.pid)
		return;
	if (poll(&end, 1, 0) <= 0) {
		session->child_was_ended = true;
		if (!child_end(&session->child)) {
			fail(0, "%s goes on running as process %d", session->options->command[0],
				(int)session->child.pid);
			session->child.pid = 0;
			return;
		}
	}
	session->child_status = child_status(&session->child);
	if (session->child_was_ended)
		session->child_status = STATUS_DONE;
}

static int complain_exec(const struct session *session, int error)
{
	const char *command = session->options->command[0];
	uint64_t bytes;

	/* An option's value that may be left out is behind a "=". */
	if (error == ENOENT && session->options->capture.memory.has_allocations &&
		!units_parse_bytes(command, &bytes))
		return fail(STATUS_COMMAND_NOT_FOUND,
			"there is no command %s; one byte in so many is --alloc=%s, a process -p "
			"PID",
			command, command);
	if (error == ENOENT)
		return fail(STATUS_COMMAND_NOT_FOUND, "there is no command %s", command);
	return fail(STATUS_COMMAND_NOT_EXECUTABLE, "cannot run %s: %s",
		session->options->command[0], strerror(error));
}

static int exec_failure(struct session *session, int error)
{
	undo_file(session);
	return complain_exec(session, error);
}

/* The window is open: lets COMMAND go, waits for the end, saves. */
static int run_window(struct session *session)
{
	uint64_t begun_ns = clock_monotonic_ns();
	int error, exec_error = 0;
	struct why why;

	live_line_end(&session->line);
	if (!session->options->is_quiet) {
		heap_session_say_price(session->capture);
		call_options_say_functions(session->capture);
		call_options_say_price(session->capture);
		event_options_say(&session->options->capture);
	}
	if (session->child.pid)
		exec_error = child_release(&session->child);
	if (exec_error)
		return exec_failure(session, exec_error);
	warn_of_nobody(session);
	/* The terminal is a COMMAND's to begin with. */
	if (!session->child.pid)
		live_line_progress(&session->line, session->capture, session->options);
	error = record_until_end(session, begun_ns, &why);
	release_signals(session);
	live_line_end(&session->line);
	if (!error)
		error = stop_and_save(session, &why);
	settle_child(session);
	if (error == -ESRCH || error == -ENXIO ||
		(error && !recording_writer_holds_something(session->writer)))
		undo_file(session);
	else
		rotation_end(&session->rotation);
	if (error)
		return fail(own_status(session, error == -ENXIO ? STATUS_NOTHING : STATUS_USAGE),
			"%s", why.text);
	say_summary(session);
	return session->child_status;
}

/*
 * The kernel side is loaded before any file is touched: nearly all that can go wrong does so there,
 * and then the recording that would be replaced is still the old one.
 */
static int record(struct session *session)
{
	struct capture_options *options = &session->options->capture;
	struct why why;
	int error;

	if (!session->options->is_slice_asked)
		options->slice_ns = capture_default_slice(options->duration_ns);
	options->ids = session->options->ids.at;
	options->id_count = session->options->ids.count;
	/* COMMAND is ours, and cannot be another before we have asked for its status. */
	if (options->target != TARGET_COMMAND)
		options->id_folders = session->options->id_folders.at;
	options->is_stopped = has_signal;
	options->stop_context = session;
	options->on_stage = show_stage;
	options->stage_context = session;
	error = capture_new(options, &session->capture, &why);
	if (error) {
		live_line_end(&session->line);
		return fail(own_status(session, status_of_error(error)), "%s", why.text);
	}
	error = session->options->output == NULL ? rotation_begin(&session->rotation, &why) : 0;
	if (!error)
		error = recording_writer_new(session->path, &session->writer, &why);
	if (error) {
		live_line_end(&session->line);
		undo_file(session);
		return fail(own_status(session, STATUS_USAGE), "%s", why.text);
	}
	error = capture_start(session->capture, session->writer, &why);
	if (error) {
		live_line_end(&session->line);
		undo_file(session);
		return fail(error == -EINTR ? status_of_signal(session)
					    : own_status(session, status_of_error(error)),
			"%s", why.text);
	}
	return run_window(session);
}

/* COMMAND must be there before the start, so that its first moment is known. */
static int prepare_child(struct session *session)
{
	struct record_options *options = session->options;
	_cleanup_free_ char *file = NULL;
	int error;

	if (!options->command)
		return 0;
	error = child_find(options->command[0], &file);
	if (error)
		return complain_exec(session, error);
	if (options->capture.target == TARGET_COMMAND)
		error = heap_session_prepare(&session->heap, options, file);
	if (error)
		return error;
	error = child_prepare(
		&session->child, options->command, &session->old_mask, session->heap.variables);
	if (error)
		return fail(STATUS_COMMAND_FAILED, "cannot fork: %s", strerror(-error));
	options->capture.command_pid = (uint32_t)session->child.pid;
	if (options->capture.target == TARGET_COMMAND)
		vec_push(&options->ids, (uint32_t)session->child.pid);
	return 0;
}

/*
 * When memory runs out, the recorder is killed before anybody else: what it has committed stays
 * readable. COMMAND was forked before and keeps the value that it would have without us.
 */
static void go_first(void)
{
	_cleanup_close_ int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	/* If that is refused the kernel chooses whom it kills by size, as always. */
	if (fd >= 0 && write(fd, "1000", 4) < 0)
		return;
}

int session_record(struct record_options *options, const char **ret_path)
{
	struct session session = {.options = options,
		.path = options->output ? options->output : RECORD_DEFAULT_FILE,
		.signal_fd = -1,
		.child = {.release_fd = -1, .failure_fd = -1, .pidfd = -1}};
	struct hurry hurry;
	struct why why;
	int status;

	live_line_init(&session.line, options->is_quiet);
	/* It is part of the start, whose other part has a hurry of its own (capture_new()). */
	uint64_t begun_ns = clock_monotonic_ns();
	hurry_begin(&hurry, HURRY_LONGEST_NS, NULL);
	live_line_words(&session.line, "starting: is all there that a recording needs?");
	int error = check_require(&why);
	/* COMMAND is to have the priority that it would have without us. */
	hurry_end(&hurry);
	options->capture.hurried_ns = clock_monotonic_ns() - begun_ns;
	live_line_end(&session.line);
	if (error)
		return fail(own_status(&session, status_of_error(error)), "%s", why.text);
	catch_signals(&session);
	status = prepare_child(&session);
	go_first();
	if (!status)
		status = record(&session);
	if (session.writer)
		*ret_path = session.path;
	release_signals(&session);
	capture_free(session.capture);
	recording_writer_free(session.writer);
	child_clear(&session.child);
	heap_session_clear(&session.heap);
	return status;
}
