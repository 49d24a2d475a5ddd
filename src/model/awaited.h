/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words for awaited things: what a wait was for. Numbers are in contract/awaited.h. */
#ifndef DWELL_MODEL_AWAITED_H
#define DWELL_MODEL_AWAITED_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/awaited.h"
#include "model/reason.h"

/* A thing; texts are never NULL. */
struct awaited {
	enum awaited_kind kind;
	/* Things of that kind that were not told apart: the rest says nothing. */
	bool is_folded;
	/* Path, network address, name of a unix socket; of a futex the symbol at its address, or
	 * the path of the memory that it is in. Of anonymous things and kernel locks the kernel's
	 * word. "": none. */
	const char *name;
	/* Of files the file system's device ("vda1"); of futexes the object or region that the
	 * address is in ("libpython3.11.so.1.0", "heap"). */
	const char *place;
	uint32_t port;
	uint64_t address; /* inode, pid, id of System V, or a futex's address */
};

/* "file", "tcp to", "eventfd", ...: as stored in a recording and in JSON. */
const char *awaited_kind_name(enum awaited_kind kind);
/* Can a wait for that reason have been for such a thing? The system call alone does not tell. */
bool awaited_fits(enum awaited_kind kind, enum reason reason);
/*
 * What a person would call it: "/var/lib/db/wal", "TCP to 127.0.0.1:9000", "mutex cache_lock".
 * `primitive` is what a futex is for its program ("mutex", known_wait.h) or NULL. With is_redacted
 * paths, addresses and names of unix sockets stay out: "a file on vda1". The caller frees it.
 */
char *awaited_text(const struct awaited *awaited, const char *primitive, bool is_redacted);

#endif
