// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An address is looked for in the data of the objects whose code is mapped, which needs no look at
 * the process and holds for one that is gone. Only what is not found there asks /proc.
 */
#include "capture/namer_data.h"

#include <inttypes.h>
#include <string.h>

#include "capture/namer_private.h"

static char *symbol_at(const struct data_place *place, uint32_t pid)
{
	uint64_t offset, bytes;
	const char *name = code_object_variable(place, pid, &offset, &bytes);

	if (!name)
		return xstrdup("");
	if (!offset || bytes <= NAMER_WHOLE_BYTES)
		return xstrdup(name);
	return xasprintf("%s+0x%" PRIx64, name, offset);
}

static const char *without_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static struct data_name name_region(const struct region *region)
{
	static const struct {
		enum data_kind kind;
		const char *place; /* where there is no text */
	} kinds[] = {[REGION_HEAP] = {DATA_HEAP, "heap"},
		[REGION_STACK] = {DATA_STACK, "stack"},
		[REGION_ANONYMOUS] = {DATA_ANONYMOUS, "anonymous memory"},
		[REGION_SHARED] = {DATA_SHARED, "shared memory"},
		[REGION_FILE] = {DATA_OBJECT, "a file"}};

	return (struct data_name){.kind = kinds[region->kind].kind,
		.symbol = xstrdup(""),
		.place = xstrdup(region->text[0] ? region->text : kinds[region->kind].place)};
}

void namer_data(struct namer *namer, uint32_t number, uint64_t address, struct data_name *ret)
{
	struct image *image = namer_image(namer, number);
	struct data_place data;
	struct region region;

	if (image && space_find_data(namer->spaces, image->space, address, &data))
		*ret = (struct data_name){.kind = DATA_OBJECT,
			.symbol = symbol_at(&data, space_pid(image->space)),
			.place = xstrdup(without_folder(data.object->path))};
	else if (image && space_find_region(namer->spaces, image->space, address, &region))
		*ret = name_region(&region);
	else
		*ret = (struct data_name){
			.kind = DATA_UNKNOWN, .symbol = xstrdup(""), .place = xstrdup("")};
}

void data_name_clear(struct data_name *name)
{
	free(name->symbol);
	free(name->place);
	*name = (struct data_name){0};
}
