/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_kept_generators.c - what a start with generators made of a model answers the next: the same bits,
 * and generators are asked nothing but init. */
#include "tests/fake/fake_object.h"

#include <unistd.h>

#include "base/build_id.h"
#include "measure/device/calibration.h"
#include "runtime/kept/kept.h"
#include "runtime/open.h"
#include "tests/skip.h"

/* Two kernels for the generator, one with a constant, and one for hone. */
#define MODEL                                                                                      \
	"graph \"t\" @main\n"                                                                      \
	"fn @main(%x: f32[2, 2]) {\n"                                                              \
	"\t%w = const f32[2, 2] [1, 0.25, -3, 7]\n"                                                \
	"\t%0 = matmul(%x, %w) @\"product\"\n"                                                     \
	"\t%1 = tanh(%x)\n"                                                                        \
	"\t%2 = relu(%x)\n"                                                                        \
	"\treturn %0, %1, %2\n}\n"
#define PATTERN "(matmul | relu)"

enum { RESULTS = 3 };

struct kept_generators {
	struct fixture *f;
	struct open_options o;
	const char *log;
};

/* How MODEL is opened with the generator X. */
static struct kept_generators begin(struct fixture *f, const struct fake_object *x)
{
	struct kept_generators k = { .f = f, .log = arena_printf(f->a, "%s/log", f->folder) };
	const char *model = arena_printf(f->a, "%s/m.graph", f->folder);
	const char *path = fake_object(f, x->grain, x);

	assert_ok(file_write(model, MODEL, strlen(MODEL)));
	setenv("FAKE_LOG", k.log, 1);
	k.o = (struct open_options){
		.model = model, .threads = 1, .recall = true,
		.offload = { .backends = arena_memdup(f->a, &path, sizeof(path)), .nbackends = 1 },
	};
	if (!build_id(f->a))
		skip_test("the linker made no build id (give LDFLAGS=-Wl,--build-id)");
	return k;
}

/* Opens the model, whether RECALLED or not; what the generator was asked is the log. */
static struct opened open_it(const struct kept_generators *k, bool recalled)
{
	struct opened m;

	unlink(k->log);
	assert_ok(open_model(k->f->a, &k->o, &m));
	assert_int_equal(m.tasks->n > 0 && m.tasks->at[0].dag == NULL, recalled);
	return m;
}

/* The lines of the log that begin with WHAT, sorted. */
static const char *asked(const struct kept_generators *k, const char *what)
{
	struct arena *a = k->f->a;
	size_t n;
	char out[4096];
	FILE *f = access(k->log, F_OK) < 0 ? NULL
		  : popen(arena_printf(a, "grep '^%s' %s | sort", what, k->log), "r");

	n = f ? fread(out, 1, sizeof(out) - 1, f) : 0;
	out[n] = 0;
	if (f)
		pclose(f);
	return arena_strdup(a, out);
}

static void assert_same_results(const struct opened *m, const struct opened *n)
{
	float x[4] = { -1.5F, 0.3F, 2, 1e-3F };

	assert_true(assert_same_runs(m, n, 2, x, RESULTS) == -1.5F - 0.9F);
}

static int count(const struct opened *m, enum choice_origin origin)
{
	int n = 0;

	for (int i = 0; i < m->tasks->n; i++)
		n += m->choices[i].origin == origin;
	return n;
}

static const struct fake_object kernels = { "HONE_KERNELS", PATTERN, .cost = "1e-3", .compiles = true };
static const struct fake_object regions = { "HONE_REGIONS", PATTERN, .cost = "1e-3", .compiles = true };

static void test_kernels(void **state)
{
	struct kept_generators k = begin(*state, &kernels);
	struct opened made = open_it(&k, false);

	assert_int_equal(count(&made, CHOICE_GENERATOR), 2);
	assert_string_not_equal(asked(&k, "claims"), "");
	struct opened kept = open_it(&k, true);

	assert_int_equal(count(&kept, CHOICE_GENERATOR), 2);
	assert_int_equal(count(&kept, CHOICE_GUESS), 1);
	for (int i = 0; i < made.tasks->n; i++) {
		assert_int_equal(kept.choices[i].nforeign, made.choices[i].nforeign);
		assert_float_equal(kept.choices[i].foreign_us, made.choices[i].foreign_us, 0);
	}
	assert_string_equal(asked(&k, "claims"), "");
	assert_string_equal(asked(&k, "compile"), "");
	assert_string_not_equal(asked(&k, "init"), "");
	assert_same_results(&made, &kept);
}

static void test_regions(void **state)
{
	struct kept_generators k = begin(*state, &regions);
	struct opened made = open_it(&k, false), kept = open_it(&k, true);

	assert_int_equal(made.offloaded.cut.regions.n, 2);
	assert_int_equal(kept.offloaded.cut.regions.n, 2);
	for (int i = 0; i < 2; i++) {
		assert_string_equal(kept.offloaded.cut.regions.at[i].function,
				    made.offloaded.cut.regions.at[i].function);
		assert_int_equal(foreign_region(kept.offloaded.ready[i])->ncalls,
				 foreign_region(made.offloaded.ready[i])->ncalls);
	}
	assert_string_equal(asked(&k, "c"), "");
	assert_same_results(&made, &kept);
}

/* What was compiled once is what regions are made ready of, byte by byte. */
static void test_artifacts(void **state)
{
	struct kept_generators k = begin(*state, &regions);

	open_it(&k, false);
	const char *compiled = asked(&k, "compile"), *ready = asked(&k, "init");

	assert_int_equal(strlen(ready), strlen(compiled) - 2 * (strlen("compile") - strlen("init")));
	for (int i = 0; i < 2; i++) {
		open_it(&k, true);
		assert_string_equal(asked(&k, "init"), ready);
	}
}

/* Without artifacts, as most libraries are. */
static void test_no_artifacts(void **state)
{
	struct fake_object x = kernels;

	x.compiles = false;
	struct kept_generators k = begin(*state, &x);
	struct opened made = open_it(&k, false), kept = open_it(&k, true);

	assert_string_equal(asked(&k, "init"), "init\ninit\n");
	assert_same_results(&made, &kept);
}

/* What K's start would look for, where its generator's version is VERSION. */
static const char *place_of(const struct kept_generators *k, const struct open_options *o, const char *version)
{
	struct device *d = device_describe(k->f->a, NULL);

	assert_ok(device_recall_or_probe(d));
	struct choice_plan plan = { .device = d, .now = calibration_of(d), .threads = 1 };

	assert_ok(offload_generators_load(k->f->a, &o->offload, &plan.generators));
	if (version)
		plan.generators.kernels.at[0].version = version;
	const char *place = kept_place(k->f->a, o, &plan);

	assert_non_null(place);
	return place;
}

static void test_another_question(void **state)
{
	struct fixture *f = *state;
	struct kept_generators k = begin(f, &kernels);
	struct open_options o = k.o;
	const char *label = "product";

	open_it(&k, false);
	const char *place = place_of(&k, &k.o, NULL);

	assert_string_equal(place_of(&k, &o, NULL), place);
	assert_string_equal(place_of(&k, &o, "fake 1"), place);
	assert_string_not_equal(place_of(&k, &o, "fake 2"), place);
	o.offload.keep = &label;
	o.offload.nkeep = 1;
	assert_string_not_equal(place_of(&k, &o, NULL), place);
	o = k.o;
	o.offload.offload = &label;
	o.offload.noffload = 1;
	assert_string_not_equal(place_of(&k, &o, NULL), place);
	o = k.o;
	o.offload.nbackends = 0;
	assert_string_not_equal(place_of(&k, &o, NULL), place);

	/* what is kept by hone is not what is kept with a label */
	k.o.offload.keep = &label;
	k.o.offload.nkeep = 1;
	struct opened m = open_it(&k, false);

	assert_int_equal(count(&m, CHOICE_GENERATOR), 1);
	m = open_it(&k, true);
	assert_int_equal(count(&m, CHOICE_GENERATOR), 1);
}

/* Another object under the same name, of the same version: its claims may be others. */
static void test_another_object(void **state)
{
	struct fixture *f = *state;
	struct kept_generators k = begin(f, &kernels);
	struct fake_object x = kernels;

	open_it(&k, false);
	open_it(&k, true);
	const char *place = place_of(&k, &k.o, NULL);

	/* not over the one that is loaded */
	assert_int_equal(rename(k.o.offload.backends[0], arena_printf(f->a, "%s/old.so", f->folder)), 0);
	x.sleep_us = 1;
	fake_object(f, x.grain, &x);
	assert_string_not_equal(place_of(&k, &k.o, NULL), place);
	open_it(&k, false);
}

/* Times that were measured since may decide otherwise. */
static void test_other_times(void **state)
{
	struct fixture *f = *state;
	struct fake_object x = kernels;

	x.cost = NULL;		/* it is timed */
	struct kept_generators k = begin(f, &x);
	struct open_options o = k.o;
	const char *other = arena_printf(f->a, "%s/other.graph", f->folder);
	const char *text = "graph \"o\" @main\nfn @main(%x: f32[3, 5]) {\n\t%0 = relu(%x)\n\treturn %0\n}\n";

	open_it(&k, false);
	open_it(&k, true);
	o.model = other;
	assert_ok(file_write(other, text, strlen(text)));
	struct opened m;

	assert_ok(open_model(f->a, &o, &m));
	open_it(&k, false);
	open_it(&k, true);
}

/* How it is configured is part of the question. */
static void test_another_configuration(void **state)
{
	const struct fake_object x = { "HONE_KERNELS", PATTERN, .cost = "1e-3", .configured = true };
	struct kept_generators k = begin(*state, &x);
	struct open_options o = k.o;
	const char *twice = arena_printf(k.f->a, "%s=2", k.o.offload.backends[0]);

	o.offload.backends = &twice;
	open_it(&k, false);
	assert_string_not_equal(place_of(&k, &o, "fake 1"), place_of(&k, &k.o, "fake 1"));
	k.o = o;
	open_it(&k, false);
	open_it(&k, true);
}

static void test_damage(void **state)
{
	struct fixture *f = *state;
	struct kept_generators k = begin(f, &regions);
	struct opened made = open_it(&k, false), again;
	const char *place = place_of(&k, &k.o, NULL);
	size_t size;
	char *data = file_read(f->a, place, 1 << 20, &size);

	assert_non_null(data);
	for (size_t n = 0; n < size; n += 1 + size / 8) {
		assert_ok(file_write(place, data, n));
		again = open_it(&k, false);
		assert_same_results(&made, &again);
	}
	again = open_it(&k, true);
	assert_same_results(&made, &again);
}

/* A generator that makes nothing ready any more: hone computes all of it. */
static void test_refuses(void **state)
{
	const struct fake_object *grains[] = { &kernels, &regions };

	for (int i = 0; i < 2; i++) {
		struct kept_generators k = begin(*state, grains[i]);
		struct opened made = open_it(&k, false);

		assert_int_equal(setenv("FAKE_REFUSE", "1", 1), 0);
		struct opened refused = open_it(&k, false);

		assert_int_equal(unsetenv("FAKE_REFUSE"), 0);
		assert_int_equal(count(&refused, CHOICE_GENERATOR) + refused.offloaded.cut.regions.n, 0);
		assert_same_results(&made, &refused);
	}
}

/* One that M has, a region or a kernel. */
static const struct foreign *first_foreign(const struct opened *m)
{
	if (m->offloaded.cut.regions.n)
		return m->offloaded.ready[0];
	for (int t = 0; t < m->tasks->n; t++)
		if (m->choices[t].nforeign)
			return m->choices[t].foreign[0].foreign;
	fail_msg("no generator computes anything");
	return NULL;
}

static void test_falls_back(void **state)
{
	const struct fake_object *grains[] = { &kernels, &regions };

	for (int i = 0; i < 2; i++) {
		struct kept_generators k = begin(*state, grains[i]);

		open_it(&k, false);
		struct opened m = open_it(&k, true);

		assert_false(foreign_falls_back(first_foreign(&m)));
		k.o.offload.fall_back = true;
		m = open_it(&k, true);
		assert_true(foreign_falls_back(first_foreign(&m)));
	}
}

static int folder_new(void **state)
{
	if (fixture_new(state) < 0)
		return -1;
	return setenv("XDG_CACHE_HOME", ((struct fixture *)*state)->folder, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_kernels, folder_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_regions, folder_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_artifacts, folder_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_no_artifacts, folder_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_another_question, folder_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_another_object, folder_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_other_times, folder_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_another_configuration, folder_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_damage, folder_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_refuses, folder_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_falls_back, folder_new, fixture_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
