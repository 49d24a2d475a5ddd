// SPDX-License-Identifier: GPL-2.0-or-later
/* Asks the environment and the terminal. */
#include "cli/terminal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool get_size(struct winsize *size)
{
	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, size);
}

size_t terminal_columns(size_t otherwise)
{
	const char *columns = getenv("COLUMNS");
	unsigned long number = columns ? strtoul(columns, NULL, 10) : 0;
	struct winsize size;

	if (!number && get_size(&size))
		number = size.ws_col;
	if (!number)
		return otherwise;
	if (number < TERMINAL_NARROWEST)
		return TERMINAL_NARROWEST;
	return number < TERMINAL_WIDEST ? number : TERMINAL_WIDEST;
}

size_t terminal_live_columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col < 2)
		return 79;
	return (size_t)size.ws_col - 1;
}

size_t terminal_live_rows(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_row < 3)
		return 0;
	return (size_t)size.ws_row - 2;
}

size_t terminal_rows(void)
{
	struct winsize size;

	return get_size(&size) ? size.ws_row : 0;
}
