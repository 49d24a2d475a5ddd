// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A table from cgroup to container. Ids of cgroups are not used again as long as the machine runs,
 * so an answer stays right; a cgroup that was gone before it was looked up is asked for again, as
 * its processes may still be there to tell.
 */
#include "host/containers.h"

#include "util/hash.h"
#include "util/intern.h"
#include "util/map64.h"

struct containers {
	struct cgroup_mounts mounts;
	struct intern texts;
	struct map64 by_cgroup; /* hash of hierarchy and id -> number of a text + 1 */
	bool has_version_1;
};

struct containers *containers_new(void)
{
	struct containers *containers = xcalloc(1, sizeof(*containers));

	cgroup_mounts_read(&containers->mounts);
	vec_each (mount, &containers->mounts.list)
		if (mount->hierarchy)
			containers->has_version_1 = true;
	return containers;
}

void containers_free(struct containers *containers)
{
	if (!containers)
		return;
	cgroup_mounts_clear(&containers->mounts);
	intern_clear(&containers->texts);
	map64_clear(&containers->by_cgroup);
	free(containers);
}

/* The container that the cgroup is in, "" if in none, NULL if that cannot be told. */
static const char *container_of_cgroup(
	struct containers *containers, const struct cgroup_target *cgroup)
{
	uint64_t key = hash_add(hash_mix((uint64_t)cgroup->hierarchy), cgroup->id);
	const uint64_t *known = map64_find(&containers->by_cgroup, key);
	_cleanup_free_ char *path = NULL;
	char name[CONTAINER_ID_ROOM];

	if (known)
		return intern_text(&containers->texts, (uint32_t)(*known - 1));
	if (cgroup_path(&containers->mounts, cgroup, &path))
		return NULL;
	container_of_path(path, name);
	uint32_t number = intern(&containers->texts, name);
	*map64_put(&containers->by_cgroup, key, NULL) = number + 1ULL;
	return intern_text(&containers->texts, number);
}

const char *containers_find(struct containers *containers, uint32_t pid,
	const struct cgroup_target *cgroups, size_t count)
{
	/* Of version 1 only one hierarchy of many was named. */
	bool is_certain = !containers->has_version_1;
	char name[CONTAINER_ID_ROOM];

	for (size_t i = 0; i < count; i++) {
		if (!cgroups[i].id)
			continue;
		const char *found = container_of_cgroup(containers, &cgroups[i]);
		if (found && found[0])
			return found;
		if (!found)
			is_certain = false;
	}
	if (is_certain || !container_of_process(pid, name))
		return "";
	return intern_text(&containers->texts, intern(&containers->texts, name));
}
