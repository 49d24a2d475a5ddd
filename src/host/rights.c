// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of what is kept. Capabilities belong to threads: each one gives up its own. */
#include "host/rights.h"

#include <linux/capability.h>

#include "util/rights.h"

void rights_settle(void)
{
	rights_keep(RIGHT(CAP_SYS_PTRACE) | RIGHT(CAP_DAC_READ_SEARCH) |
		    RIGHT(CAP_CHECKPOINT_RESTORE) | RIGHT(CAP_SYSLOG) | RIGHT(CAP_SYS_NICE) |
		    RIGHT(CAP_SETUID) | RIGHT(CAP_SETGID) | RIGHT(CAP_DAC_OVERRIDE) |
		    RIGHT(CAP_CHOWN) | RIGHT(CAP_FOWNER) | RIGHT(CAP_KILL));
}
