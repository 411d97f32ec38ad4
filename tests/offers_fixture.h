/* SPDX-License-Identifier: Apache-2.0 */
/* tests/offers_fixture.h - a device, and a folder of the test's own where offers are kept. */
#ifndef HONE_TESTS_OFFERS_FIXTURE_H
#define HONE_TESTS_OFFERS_FIXTURE_H

#include "tests/db_fixture.h"
#include "tests/fake_generator.h"
#include "tests/session_fixture.h"

#include "runtime/offload/offers.h"

/* As fixture_new(), with the cache folder in the fixture's own. */
static inline int offers_fixture_new(void **state)
{
	if (fixture_new(state) < 0)
		return -1;
	return setenv("XDG_CACHE_HOME", ((struct fixture *)*state)->folder, 1);
}

static inline struct device *offers_device(struct arena *a)
{
	struct device *d = device_synthetic(a, DEVICE);

	if (!d)
		fail_msg("%s", err_get());
	return d;
}

/* For the N generators BACKENDS, in A. */
static inline struct offers_options *offers_options_of(struct arena *a, const struct device *d,
						       const struct backend *backends, int n, int threads)
{
	struct offers_options *o = arena_one(a, struct offers_options);

	*o = (struct offers_options){ .backends = backends, .n = n, .device = d, .now = calibration_of(d),
				      .threads = threads };
	return o;
}

static inline struct offers *offers_begin(struct arena *a, const struct offers_options *o)
{
	struct offers *x = offers_new(a, o);

	if (!x)
		fail_msg("%s", err_get());
	return x;
}

/* Plants that BACKEND took US for T. */
static inline void offers_plant(struct offers *o, const struct model_task *t, int backend, double us,
				bool in_model)
{
	const struct offer what = { .backend = backend, .us = us, .in_model = in_model };

	offers_learn(o, t, &what, &us, 1);
}

#endif
