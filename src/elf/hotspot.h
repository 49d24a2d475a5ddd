/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What libjvm.so, the Java virtual machine HotSpot, says about the code that it generates. */
#ifndef DWELL_ELF_HOTSPOT_H
#define DWELL_ELF_HOTSPOT_H

#include <stdbool.h>
#include <stdint.h>

struct elf_file;

/*
 * The address of the byte that is 1 in a process whose generated code keeps frame pointers
 * (-XX:+PreserveFramePointer). false: the file is no libjvm.so, or does not have it where it is
 * looked for.
 */
bool hotspot_find_flag(const struct elf_file *file, uint64_t *ret);

#endif
