/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shared library of preload/, which samples the allocations of a process that has it in
 * LD_PRELOAD: a whole ELF file, to be written somewhere. What dwell hears of it is in
 * preload/hooks.h.
 */
#ifndef DWELL_HOST_PRELOAD_IMAGE_H
#define DWELL_HOST_PRELOAD_IMAGE_H

extern const char preload_image[], preload_image_end[];

#endif
