/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words for who had the CPU that a thread was ready for. Numbers are in contract/contract.h. */
#ifndef DWELL_MODEL_QUEUE_H
#define DWELL_MODEL_QUEUE_H

#include "contract/contract.h"

/* "untold", "thread", "idle cpu", "cpu quota": as stored in a recording and in JSON. */
const char *queue_kind_name(enum queue_kind kind);

#endif
