/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is left of our rights once the programs are attached. */
#ifndef DWELL_HOST_RIGHTS_H
#define DWELL_HOST_RIGHTS_H

/*
 * Gives up, for the calling thread, all capabilities that loading and attaching took, those to
 * administrate the system, its network and its modules among them. Kept are those to look into
 * processes (for errands that have to be started anew), to name kernel addresses, to be quick, and
 * to write files that belong to the user behind sudo.
 */
void rights_settle(void);

#endif
