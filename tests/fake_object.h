/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fake_object.h - compiles tests/fake_object.c; the test is built with TOP_SRCDIR. */
#ifndef HONE_TESTS_FAKE_OBJECT_H
#define HONE_TESTS_FAKE_OBJECT_H

#include "tests/db_fixture.h"

#include <stdlib.h>

struct fake_object {
	const char *grain, *pattern;	/* as C has them, without quotes */
	int haste, sleep_us;
	const char *cost;		/* a number; NULL: 0 */
	bool compiles;
};

/* The path of the shared object, a new one in F's folder. */
static inline const char *fake_object(struct fixture *f, const char *name, const struct fake_object *x)
{
	const char *path = arena_printf(f->a, "%s/%s.so", f->folder, name);
	const char *command = arena_printf(f->a,
		"cc -O1 -std=gnu11 -fPIC -shared -I" TOP_SRCDIR " -DFAKE_GRAIN=%s '-DFAKE_PATTERN=\"%s\"' "
		"-DFAKE_HASTE=%d -DFAKE_SLEEP_US=%d -DFAKE_COST=%s %s -o %s " TOP_SRCDIR "/tests/fake_object.c",
		x->grain, x->pattern, x->haste, x->sleep_us, x->cost ? x->cost : "0",
		x->compiles ? "-DFAKE_ARTIFACT" : "", path);

	if (system(command) != 0)
		fail_msg("%s", command);
	return path;
}

#endif
