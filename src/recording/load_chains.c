// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chains and their hops as arrays. Hops of a chain are written together and in order, and are taken
 * only so; a chain is a list of positions, so it cannot lead back into itself.
 */
#include <inttypes.h>

#include "recording/reader_private.h"
#include "recording/schema.h"

/* The hops of a chain begin with the first one that is met. */
#define NOT_MET REC_NONE

static int load_chain_rows(struct recording *recording, struct why *why)
{
	struct cursor cursor;

	cursor_open(recording, "chains",
		"SELECT id, hop_count, chain_end FROM chains ORDER BY rowid", why, &cursor);
	while (cursor_next(&cursor)) {
		struct rec_linked_chain chain = {
			.id = cursor_id(&cursor, 0),
			.first_hop = NOT_MET,
			.hop_count = (uint32_t)cursor_number(&cursor, 1, CONTRACT_MAX_HOPS),
			.end = (enum chain_end)cursor_word(&cursor, 2, WORD_CHAIN_END),
		};
		cursor_check_room(&cursor, recording->chains.count);
		if (!chain.id)
			cursor_fail(&cursor, "chain id 0 is reserved");
		*map64_put(&recording->chain_by_id, chain.id, NULL) = recording->chains.count;
		vec_push(&recording->chains, chain);
	}
	return cursor_close(&cursor);
}

static void load_hop(struct cursor *cursor)
{
	struct recording *recording = cursor->recording;
	const uint64_t *index = map64_find(&recording->chain_by_id, cursor_id(cursor, 1));
	uint64_t position = cursor_number(cursor, 2, CONTRACT_MAX_HOPS - 1);
	struct rec_chain_hop hop = {
		.kind = (enum hop_kind)cursor_word(cursor, 3, WORD_HOP_KIND),
		.name = cursor_text(cursor, 4),
	};

	cursor_check_room(cursor, recording->hops.count);
	cursor_resolve_stack(cursor, cursor_id(cursor, 5), &hop.kernel_node, &hop.kernel_end);
	cursor_resolve_stack(cursor, cursor_id(cursor, 6), &hop.user_node, &hop.user_end);
	cursor_resolve_stack(cursor, cursor_id(cursor, 7), &hop.waited_node, &hop.waited_end);
	cursor_resolve_stack(
		cursor, cursor_id(cursor, 8), &hop.waited_user_node, &hop.waited_user_end);
	hop.waited_for = cursor_resolve_awaited(cursor, cursor_id(cursor, 9));
	if (!index) {
		cursor_fail(cursor, "hop %" PRIu64 " is of an unknown chain", cursor->row);
		return;
	}
	struct rec_linked_chain *chain = &recording->chains.at[*index];
	if (!position && chain->first_hop == NOT_MET)
		chain->first_hop = (uint32_t)recording->hops.count;
	if (chain->first_hop == NOT_MET || position >= chain->hop_count ||
		chain->first_hop + position != recording->hops.count)
		cursor_fail(
			cursor, "hops of chain %" PRId64 " are out of order", (int64_t)chain->id);
	vec_push(&recording->hops, hop);
}

/* Are its hops of kinds that can follow each other? What a newer dwell joins is not judged. */
static bool is_sound(const struct recording *recording, const struct rec_linked_chain *linked)
{
	struct rec_hop hops[CONTRACT_MAX_HOPS];
	struct rec_chain chain = {.hop_count = linked->hop_count, .end = linked->end, .hops = hops};
	bool is_known = words_is_own(WORD_CHAIN_END, linked->end);

	for (uint32_t i = 0; i < linked->hop_count; i++) {
		hops[i].kind = recording->hops.at[linked->first_hop + i].kind;
		is_known = is_known && words_is_own(WORD_HOP_KIND, hops[i].kind);
	}
	return !is_known || recording_chain_is_sound(&chain);
}

static int check_chains(struct recording *recording, struct why *why)
{
	uint64_t wanted = 0;

	/* Each hop has a place of its own in its chain, so equal numbers mean that all are there.
	 */
	vec_each (chain, &recording->chains)
		wanted += chain->hop_count;
	if (wanted != recording->hops.count)
		return recording_damaged(recording, why, "hops are missing");
	vec_each (chain, &recording->chains)
		if (!is_sound(recording, chain))
			return recording_damaged(
				recording, why, "chain %" PRId64 " cannot be", (int64_t)chain->id);
	return 0;
}

int recording_load_chains(struct recording *recording, struct why *why)
{
	uint32_t version = recording->database.version;
	const char *columns =
		version >= RECORDING_VERSION_OF_AWAITED ? "waited_user_stack, waited_for"
		: version >= RECORDING_VERSION_OF_WAITED_USER_STACKS ? "waited_user_stack, 0"
								     : "0, 0";
	_cleanup_free_ char *sql =
		xasprintf("SELECT rowid, chain, position, kind, name, kernel_stack, user_stack,"
			  " waited_stack, %s FROM hops ORDER BY rowid",
			columns);
	struct cursor cursor;
	int error;

	if (recording->database.version < 2)
		return 0;
	error = load_chain_rows(recording, why);
	if (error)
		return error;
	cursor_open(recording, "hops", sql, why, &cursor);
	while (cursor_next(&cursor))
		load_hop(&cursor);
	error = cursor_close(&cursor);
	return error ? error : check_chains(recording, why);
}
