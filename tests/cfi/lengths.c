// SPDX-License-Identifier: GPL-2.0-or-later
/* How long the instructions at some offsets of a file are: FILE; reads hex offsets, writes lengths,
 * 0 where that is not known, a line each. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "elf/x86_length.h"
#include "util/vec.h"

int main(int argc, char **argv)
{
	VEC(unsigned char) file = {0};
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	unsigned char piece[1 << 16];
	ssize_t got;
	uint64_t offset;

	if (fd < 0) {
		fprintf(stderr, "usage: lengths FILE < OFFSETS\n");
		return 2;
	}
	while ((got = read(fd, piece, sizeof(piece))) > 0)
		vec_append(&file, piece, (size_t)got);
	close(fd);
	while (scanf("%" SCNx64, &offset) == 1)
		printf("%zu\n", offset < file.count
					? x86_length(file.at + offset, file.count - offset)
					: 0);
	vec_clear(&file);
	return 0;
}
