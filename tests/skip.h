/* SPDX-License-Identifier: Apache-2.0 */
/* tests/skip.h - what a test leaves out, and why: the lines that tests/summary lists.
 *
 * Holds: nothing is left out without one; tests/summary fails where a test of cmocka was. */
#ifndef HONE_TESTS_SKIP_H
#define HONE_TESTS_SKIP_H

#include <cmocka.h>

/* NAME was not tested; the test goes on. WHY says what is absent and how to get it. */
static inline void skip_part(const char *name, const char *why)
{
	print_message("SKIP: %s: %s\n", name, why);
}

/* Ends the test that calls it. */
#define skip_test(why)                                                                             \
	do {                                                                                       \
		skip_part(__func__, why);                                                          \
		skip();                                                                            \
	} while (0)

#endif
