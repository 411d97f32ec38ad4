/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fake/fake_object.h - compiles tests/fake/fake_object.c; the test is built with TOP_SRCDIR. */
#ifndef HONE_TESTS_FAKE_FAKE_OBJECT_H
#define HONE_TESTS_FAKE_FAKE_OBJECT_H

#include "tests/fixture/db_fixture.h"

#include <stdlib.h>

#include "runtime/open.h"
#include "runtime/session.h"

struct fake_object {
	const char *grain, *pattern;	/* as C has them, without quotes */
	int haste, sleep_us;
	const char *cost;		/* a number; NULL: 0 */
	bool compiles, configured;
};

/* The path of the shared object, a new one in F's folder. */
static inline const char *fake_object(struct fixture *f, const char *name, const struct fake_object *x)
{
	const char *path = arena_printf(f->a, "%s/%s.so", f->folder, name);
	const char *command = arena_printf(f->a,
		"cc -O1 -std=gnu11 -fPIC -shared -I" TOP_SRCDIR " -DFAKE_GRAIN=%s '-DFAKE_PATTERN=\"%s\"' "
		"-DFAKE_HASTE=%d -DFAKE_SLEEP_US=%d -DFAKE_COST=%s %s %s -o %s " TOP_SRCDIR "/tests/fake/fake_object.c",
		x->grain, x->pattern, x->haste, x->sleep_us, x->cost ? x->cost : "0",
		x->compiles ? "-DFAKE_ARTIFACT" : "", x->configured ? "-DFAKE_CONFIGURED" : "", path);

	if (system(command) != 0)
		fail_msg("%s", command);
	return path;
}

/* M and N give the same NRESULTS results of X, f32[SIDE, SIDE], bit for bit; the first element of the first. */
static inline double assert_same_runs(const struct opened *m, const struct opened *n, int side, float *x, int nresults)
{
	const struct opened *both[] = { m, n };
	struct arena *a = arena_new();
	const struct value arg =
		value_of_array(array_around(a, ELEMENT_F32, 2, (int64_t[]){ side, side }, x));
	struct value *results[2];

	for (int i = 0; i < 2; i++) {
		struct session *s = session_new(both[i]->code, interp_usual_limits);

		results[i] = values_new(nresults);
		assert_ok(session_run(s, &arg, results[i]));
		session_free(s);
	}
	for (int i = 0; i < nresults; i++)
		assert_true(array_equal(results[0][i].array, results[1][i].array));
	double first = array_float(results[0][0].array, 0);

	for (int i = 0; i < 2; i++) {
		values_release(results[i], nresults);
		free(results[i]);
	}
	arena_free(a);
	return first;
}

#endif
