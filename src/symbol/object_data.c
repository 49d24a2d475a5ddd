// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Variables of code objects. Few recordings ask for them, and those that do for a few objects, so
 * they are not read with the functions. By the time of the first question the fds of an object may
 * be closed: its file is then found again, among those that the table holds or through the process
 * that is asked about, and counts only if it is the same one.
 */
#include <errno.h>
#include <string.h>

#include "elf/symbols.h"
#include "symbol/debug_file.h"
#include "symbol/object_private.h"
#include "symbol/outside/errand.h"
#include "symbol/outside/parser.h"

bool code_object_data_address(
	const struct code_object *public, uint64_t code_offset, uint64_t distance, uint64_t *ret)
{
	const struct object *object = (const struct object *)public;
	uint64_t address;

	if (!elf_segments_vaddr(object->segments.at, object->segments.count, code_offset, &address))
		return false;
	address += distance;
	if (address < object->extent.start || address >= object->extent.end)
		return false;
	*ret = address;
	return true;
}

/* An fd of the object's file, as it is now. -ENOENT: there is no way to it from here. */
static int open_again(const struct object *object, uint32_t pid, const struct data_place *place,
	struct file_stamp *ret)
{
	struct errands *errands = object->table->outside->errands;
	const struct map_line line = {
		.start = place->code_start, .end = place->code_end, .path = object->path};

	vec_each (held, &object->table->held) {
		if (held->object == object) {
			*ret = held->stamp;
			return errand_open(errands, pid, held->path_fd, LOCATE_FOR_NAMES);
		}
	}
	_cleanup_close_ int path_fd = errand_mapped_file(errands, pid, &line, ret);
	return path_fd < 0 ? -ENOENT : errand_open(errands, pid, path_fd, LOCATE_FOR_NAMES);
}

/* Without a build-id, that nobody has written to the file must do. */
static bool is_same_file(
	const struct object *object, const struct elf_facts *facts, const struct file_stamp *stamp)
{
	size_t bytes = facts->segment_count * sizeof(*facts->segments);

	return stamp->bytes == object->stamp.bytes && !strcmp(facts->build_id, object->build_id) &&
	       (facts->build_id[0] || stamp->mtime_ns == object->stamp.mtime_ns) &&
	       !memcmp(&facts->extent, &object->extent, sizeof(facts->extent)) &&
	       facts->segment_count == object->segments.count &&
	       (!bytes || !memcmp(facts->segments, object->segments.at, bytes));
}

static int read_again(const struct object *object, uint32_t pid, const struct data_place *place,
	struct object_names **ret)
{
	struct outside *outside = object->table->outside;
	struct file_stamp stamp = {0};
	struct elf_facts facts;
	_cleanup_close_ int fd = open_again(object, pid, place, &stamp);
	int error = fd < 0 ? fd : parser_facts(outside->parsers, fd, &facts);

	if (error)
		return error;
	if (!is_same_file(object, &facts, &stamp))
		return -ENOENT;
	_cleanup_close_ int debug_fd = debug_file_open(outside, pid, object->path, &facts);
	return parser_variables(outside->parsers, fd, debug_fd, ret);
}

static void load_variables(struct object *object, uint32_t pid, const struct data_place *place)
{
	struct outside *outside = object->table->outside;
	struct object_names *variables;
	int error;

	if (object->has_sought_variables || (object->sought_by && object->sought_by == pid))
		return;
	if (object->pending_fd >= 0)
		error = parser_variables(
			outside->parsers, object->pending_fd, object->debug_fd, &variables);
	else
		error = read_again(object, pid, place, &variables);
	/* Another process may still have the file. */
	if (error == -ENOENT) {
		object->sought_by = pid;
		return;
	}
	object->has_sought_variables = true;
	if (error)
		return;
	if (budget_take(&outside->names, object_names_bytes(variables)))
		object->variables = variables;
	else
		object_names_free(variables);
}

const char *code_object_variable(
	const struct data_place *place, uint32_t pid, uint64_t *ret_offset, uint64_t *ret_bytes)
{
	struct object *object = (struct object *)place->object;
	struct elf_symbol symbol;

	load_variables(object, pid, place);
	if (!object->variables || !object_names_symbol(object->variables, place->address, &symbol))
		return NULL;
	*ret_offset = place->address - symbol.start;
	*ret_bytes = symbol.end - symbol.start;
	return symbol.name;
}
