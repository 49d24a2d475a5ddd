/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording does for calls, at each moment of its life. Does nothing if none are watched. */
#ifndef DWELL_CAPTURE_CAPTURE_CALLS_H
#define DWELL_CAPTURE_CAPTURE_CALLS_H

#include "capture/capture_private.h"

/* Before any batch is booked. */
void capture_begin_calls(struct capture *capture);
/* Watches them, and looks what that costs; -EDQUOT with why: more than is allowed. */
int capture_attach_calls(struct capture *capture, struct why *why);
/* After batches were booked: which calls are slow from now on; and what is known of functions. */
void capture_follow_calls(struct capture *capture);
/* The window is over: calls that have not ended. `last` has what was open then. */
int capture_end_calls(struct capture *capture, const struct batch *last);
void capture_free_calls(struct capture *capture);

#endif
