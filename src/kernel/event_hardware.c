// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names are those of perf list. A PMU's own events are written by its fields, each of which lies in
 * some bits of a config word, as its format folder says: "config:0-7,32-35". Where there is no such
 * folder, "cpu" has the fields that all x86 CPUs have.
 */
#include "kernel/event_hardware.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/proc_text.h"
#include "util/mem.h"

#define DEVICES "/sys/bus/event_source/devices"
#define MAX_NAME_BYTES 64
#define MAX_TEXT_BYTES 512

#define CACHE(cache, operation, result)                                                            \
	((uint64_t)PERF_COUNT_HW_CACHE_##cache |                                                   \
		(uint64_t)PERF_COUNT_HW_CACHE_OP_##operation << 8 |                                \
		(uint64_t)PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
	const char *about; /* NULL: as the one before */
} events[] = {
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles of the CPU"},
	{"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, NULL},
	{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions retired"},
	{"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES,
		"reads and writes that came to the last cache"},
	{"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES,
		"those that went on to memory"},
	{"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		"branches retired"},
	{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, NULL},
	{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
		"branches that were guessed wrong"},
	{"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, "cycles of the bus"},
	{"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES,
		"cycles of a clock that does not change with the CPU's"},
	{"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
		"cycles without an instruction to issue"},
	{"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
		"cycles in which none could be taken on"},
	{"L1-dcache-loads", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS),
		"loads from the first data cache"},
	{"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS),
		"those that it did not have"},
	{"LLC-loads", PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS), "loads from the last cache"},
	{"LLC-load-misses", PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS),
		"those that it did not have"},
	{"dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS),
		"loads whose page had to be looked up"},
	{"iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS),
		"instructions whose page had to be looked up"},
};

bool event_hardware_find(const char *name, uint32_t *ret_type, uint64_t *ret_config)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (!strcmp(events[i].name, name)) {
			*ret_type = events[i].type;
			*ret_config = events[i].config;
			return true;
		}
	return false;
}

void event_hardware_each(void (*each)(void *context, const char *name, const char *about,
				 const struct event_hardware *event),
	void *context)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		each(context, events[i].name, events[i].about,
			&(struct event_hardware){
				.type = events[i].type, .config = events[i].config});
}

/* "r01c2": the number; false if it is none. */
static bool parse_raw(const char *text, uint64_t *ret)
{
	size_t digits = text[0] == 'r' ? strspn(text + 1, "0123456789abcdefABCDEF") : 0;

	if (!digits || digits > 16 || text[1 + digits])
		return false;
	*ret = strtoull(text + 1, NULL, 16);
	return true;
}

static bool is_word(const char *text, size_t length)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_-";

	if (!length || length >= MAX_NAME_BYTES)
		return false;
	for (size_t i = 0; i < length; i++)
		if (!strchr(letters, text[i]))
			return false;
	return true;
}

bool event_hardware_is(const char *text)
{
	const char *slash = strchr(text, '/');
	struct event_hardware unused;

	if (slash && is_word(text, (size_t)(slash - text)))
		return true;
	return parse_raw(text, &unused.config) ||
	       event_hardware_find(text, &unused.type, &unused.config);
}

/* Fields of a PMU. */

struct terms {
	const char *devices;
	const char *text; /* of the whole event, for complaints */
	char pmu[MAX_NAME_BYTES];
	bool is_inner; /* terms of an event that the kernel named */
	struct why *why;
};

/* What every x86 CPU has, as its format folder says it. */
static const char *usual_format(const char *pmu, const char *field)
{
	static const char *const formats[][2] = {{"event", "config:0-7"}, {"umask", "config:8-15"},
		{"edge", "config:18"}, {"inv", "config:23"}, {"cmask", "config:24-31"}};

	for (size_t i = 0; !strcmp(pmu, "cpu") && i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i][0], field))
			return formats[i][1];
	return NULL;
}

/* The first line of a file of the PMU's folder; NULL if there is none. The caller frees it. */
static char *read_line(const struct terms *terms, const char *folder, const char *name)
{
	_cleanup_free_ char *path = xasprintf(
		"%s/%s/%s%s%s", terms->devices, terms->pmu, folder, *folder ? "/" : "", name);
	char *text = NULL;

	if (proc_text_read(path, &text))
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* Puts the lowest bits of the value where "config1:0-7,32-35" says. false: they do not fit. */
static bool place_bits(const char *format, uint64_t value, struct event_hardware *event)
{
	size_t word = strcspn(format, ":");
	uint64_t *config = word == 7 && !strncmp(format, "config1", 7)   ? &event->config1
			   : word == 7 && !strncmp(format, "config2", 7) ? &event->config2
			   : word == 6 && !strncmp(format, "config", 6)  ? &event->config
									 : NULL;
	char *end;

	if (!config || format[word] != ':')
		return false;
	for (const char *at = format + word + 1;; at = end + 1) {
		unsigned long first = strtoul(at, &end, 10), last = first;
		if (end == at)
			return false;
		if (*end == '-') {
			at = end + 1;
			last = strtoul(at, &end, 10);
			if (end == at)
				return false;
		}
		if (last < first || last > 63)
			return false;
		unsigned long bits = last - first + 1;
		uint64_t mask = bits == 64 ? UINT64_MAX : (1ULL << bits) - 1;
		*config = (*config & ~(mask << first)) | (value & mask) << first;
		value = bits == 64 ? 0 : value >> bits;
		if (*end != ',')
			return !*end && !value;
	}
}

static int parse_terms(const struct terms *terms, const char *text, struct event_hardware *event);

/* An event that the kernel named: "event=0x2e,umask=0x41", written by the same fields. */
static int parse_named(const struct terms *terms, const char *name, struct event_hardware *event)
{
	_cleanup_free_ char *text = terms->is_inner ? NULL : read_line(terms, "events", name);
	struct terms inner = *terms;

	if (!text || strlen(text) > MAX_TEXT_BYTES)
		return why_set(terms->why, -EINVAL,
			"-e %s: PMU %s has no field and no event %s; see %s/%s", terms->text,
			terms->pmu, name, terms->devices, terms->pmu);
	inner.is_inner = true;
	return parse_terms(&inner, text, event);
}

static int parse_term(const struct terms *terms, char *term, struct event_hardware *event)
{
	static const char *const whole[] = {"config", "config1", "config2"};
	char *value = strchr(term, '='), *end;
	uint64_t number = 1;

	if (value)
		*value++ = '\0';
	if (!is_word(term, strlen(term)))
		return why_set(terms->why, -EINVAL,
			"-e %s: write PMU/FIELD=NUMBER,.../, as cpu/event=0x3c,umask=1/",
			terms->text);
	if (value) {
		errno = 0;
		number = strtoull(value, &end, 0);
		if (errno || end == value || *end || *value == '-')
			return why_set(
				terms->why, -EINVAL, "-e %s: %s is no number", terms->text, value);
	}
	for (size_t i = 0; value && i < ARRAY_SIZE(whole); i++)
		if (!strcmp(term, whole[i])) {
			*(i == 0         ? &event->config
				: i == 1 ? &event->config1
					 : &event->config2) = number;
			return 0;
		}
	_cleanup_free_ char *said = read_line(terms, "format", term);
	const char *format = said ? said : usual_format(terms->pmu, term);
	if (!format)
		return parse_named(terms, term, event);
	if (!place_bits(format, number, event))
		return why_set(terms->why, -EINVAL, "-e %s: %s=%s does not fit into %s",
			terms->text, term, value ? value : "1", format);
	return 0;
}

static int parse_terms(const struct terms *terms, const char *text, struct event_hardware *event)
{
	_cleanup_free_ char *copy = xstrdup(text);
	int error = 0;
	char *next;

	for (char *term = copy; term && !error; term = next) {
		next = strchr(term, ',');
		if (next)
			*next++ = '\0';
		error = parse_term(terms, term, event);
	}
	return error;
}

/* "PMU/TERMS/" */
static int parse_pmu(
	const char *devices, const char *text, struct event_hardware *ret, struct why *why)
{
	struct terms terms = {.devices = devices, .text = text, .why = why};
	struct event_hardware event = {.type = PERF_TYPE_RAW};
	size_t name = strcspn(text, "/");
	size_t length = strlen(text);

	if (!is_word(text, name) || length > MAX_TEXT_BYTES || length < name + 3 ||
		text[length - 1] != '/' || strchr(text + name + 1, '/') != text + length - 1)
		return why_set(why, -EINVAL,
			"-e %s: write PMU/FIELD=NUMBER,.../, as cpu/event=0x3c,umask=1/", text);
	memcpy(terms.pmu, text, name);
	_cleanup_free_ char *type = read_line(&terms, "", "type");
	if (type)
		event.type = (uint32_t)strtoul(type, NULL, 10);
	else if (strcmp(terms.pmu, "cpu"))
		return why_set(why, -ENODEV, "-e %s: this machine has no PMU %s; see %s", text,
			terms.pmu, devices);
	_cleanup_free_ char *inside = xstrndup(text + name + 1, length - name - 2);
	int error = parse_terms(&terms, inside, &event);
	if (!error)
		*ret = event;
	return error;
}

int event_hardware_parse_in(
	const char *devices, const char *text, struct event_hardware *ret, struct why *why)
{
	struct event_hardware event = {0};

	if (strchr(text, '/'))
		return parse_pmu(devices, text, ret, why);
	if (!event_hardware_find(text, &event.type, &event.config)) {
		event.type = PERF_TYPE_RAW;
		if (!parse_raw(text, &event.config))
			return why_set(why, -EINVAL, "-e %s: no event of the hardware", text);
	}
	*ret = event;
	return 0;
}

int event_hardware_parse(const char *text, struct event_hardware *ret, struct why *why)
{
	return event_hardware_parse_in(DEVICES, text, ret, why);
}

int event_hardware_try(const struct event_hardware *event)
{
	/* Of this process, outside the kernel, and not running: the least that can be asked for. */
	struct perf_event_attr attr = {.size = sizeof(attr),
		.type = event->type,
		.config = event->config,
		.config1 = event->config1,
		.config2 = event->config2,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1};
	_cleanup_close_ int fd =
		(int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : 0;
}
