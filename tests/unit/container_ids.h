/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Containers, tasks and pods for tests of cgroups, named the way engines name them. */
#ifndef DWELL_TESTS_CONTAINER_IDS_H
#define DWELL_TESTS_CONTAINER_IDS_H

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define TASK "0123456789abcdef0123456789abcdef"
#define UID "1b4c7d0e-89ab-4cde-8f01-23456789abcd"
#define UNIT_UID "1b4c7d0e_89ab_4cde_8f01_23456789abcd"
#define PODS "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UNIT_UID ".slice"

#endif
