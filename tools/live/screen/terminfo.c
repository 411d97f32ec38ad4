/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/screen/terminfo.c - a file of its own, for term.h has macros for common words. */
#include "config.h"
#include "tools/live/screen/terminfo.h"

#ifdef HAVE_NCURSESW

#include <curses.h>
#include <unistd.h>

#include <term.h>

bool terminfo_is_screen(void)
{
	int err;

	return setupterm(NULL, STDOUT_FILENO, &err) == OK && cursor_address && clear_screen;
}

static void add(struct text *out, const char *escape)
{
	if (escape)
		text_puts(out, escape);
}

void terminfo_leave(struct text *out)
{
	add(out, exit_attribute_mode);
	add(out, cursor_normal);
	add(out, keypad_local);
	add(out, exit_ca_mode);
}

#endif
