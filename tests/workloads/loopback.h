/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The network of a machine with itself, for workloads that use it. */
#ifndef DWELL_TESTS_LOOPBACK_H
#define DWELL_TESTS_LOOPBACK_H

#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Small machines boot without it. */
static inline void raise_loopback(void)
{
	struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	ioctl(fd, SIOCSIFFLAGS, &lo);
	close(fd);
}

#endif
