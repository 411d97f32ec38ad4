/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_settle.c - models that are shared by what their kernels took: who computes what is
 * asserted, of generators between which and hone there is no doubt; never a time. */
#include "tests/fake/fake_object.h"

#include <math.h>

#include "runtime/explain.h"
#include "runtime/offload/shares.h"
#include "runtime/offload/told.h"

/* Three kernels of N by N. At 512 hone's product takes far longer than to clear its result. */
#define MODEL(n)                                                                                   \
	"graph \"t\" @main\n"                                                                      \
	"fn @main(%x: f32[" n ", " n "], %w: f32[" n ", " n "]) {\n"                               \
	"\t%0 = relu(%x)\n"                                                                        \
	"\t%1 = tanh(%w)\n"                                                                        \
	"\t%2 = matmul(%x, %w)\n"                                                                  \
	"\treturn %0, %1, %2\n}\n"

/* The rounds that a verdict needs are run in any case. */
#define SECONDS 0.01

/* One for all tests: the device is probed once. */
static int folder_new(void **state)
{
	if (fixture_new(state) < 0)
		return -1;
	return setenv("XDG_CACHE_HOME", ((struct fixture *)*state)->folder, 1);
}

/* How TEXT is opened, with the generator at PATH, and a database of its own by NAME. */
static struct open_options options_of(struct fixture *f, const char *text, const char *name, const char *path)
{
	const char *model = arena_printf(f->a, "%s/%s.graph", f->folder, name);

	assert_ok(file_write(model, text, strlen(text)));
	return (struct open_options){
		.model = model, .db = arena_printf(f->a, "%s/%s.db", f->folder, name),
		.threads = 1, .offers_to_db = true,
		.offload = { .backends = arena_memdup(f->a, &path, sizeof(path)), .nbackends = 1 },
	};
}

static struct settled *settle_all(struct fixture *f, const struct open_options *o)
{
	struct settled *s = arena_one(f->a, struct settled);

	assert_ok(settle(f->a, o, SECONDS, s));
	return s;
}

/* Who computes the kernels of M that begin with WHAT, a function's name, and the applications of regions. */
static const char *who(struct arena *a, const struct opened *m, const char *what)
{
	const struct explanation e = explain(a, m->code, m->tasks, m->choices);

	for (int i = 0; i < e.stretches.n; i++)
		for (int k = 0; k < e.stretches.at[i].calls.n; k++)
			if (strncmp(e.stretches.at[i].calls.at[k].what, what, strlen(what)) == 0)
				return e.stretches.at[i].calls.at[k].by;
	return "nobody";
}

static const char *who_in(struct fixture *f, const struct settled *s, int plan, const char *what)
{
	return who(f->a, &s->plans[plan].model, what);
}

/* Who computes relu, tanh and matmul, in the plans of S. */
static void assert_plans(struct fixture *f, const struct settled *s, const char *relu, const char *matmul)
{
	assert_string_equal(who_in(f, s, SETTLED_COST, "relu"), relu);
	assert_string_equal(who_in(f, s, SETTLED_COST, "tanh"), "guess");
	assert_string_equal(who_in(f, s, SETTLED_COST, "matmul"), matmul);
	assert_string_equal(who_in(f, s, SETTLED_HOST, "relu"), "guess");
	assert_string_equal(who_in(f, s, SETTLED_HOST, "matmul"), "guess");
	assert_string_equal(who_in(f, s, SETTLED_ALL, "relu"), "fake");
	assert_string_equal(who_in(f, s, SETTLED_ALL, "matmul"), "fake");
}

static void assert_db_sound(const char *path)
{
	struct db *db = db_open(path, DB_READ);

	assert_non_null(db);
	assert_sound(db);
	assert_true(count_of(db, "records") > 0);
	db_close(db);
}

/* The plan by cost takes what is fast and leaves what is slow; that the fast one is wrong is told. */
static void test_kernels(void **state)
{
	struct fixture *f = *state;
	const struct fake_object fake = { "HONE_KERNELS", "(matmul | relu)", .haste = 1, .sleep_us = 3000 };
	struct open_options o = options_of(f, MODEL("512"), "kernels", fake_object(f, "kernels", &fake));
	struct settled *s = settle_all(f, &o);
	struct opened m;

	assert_plans(f, s, "guess", "fake");
	assert_true(s->plans[SETTLED_HOST].agrees);
	assert_false(s->plans[SETTLED_COST].agrees);
	assert_false(s->plans[SETTLED_ALL].agrees);
	assert_true(s->plans[SETTLED_COST].error > 0.5);
	for (int i = 0; i < SETTLED_PLANS; i++)
		assert_int_equal(s->plans[i].unknown, 0);
	settled_end(s);
	assert_db_sound(o.db);
	/* whoever opens it next gets the plan that was found */
	o.offers_to_db = false;
	assert_ok(open_model(f->a, &o, &m));
	assert_string_equal(who(f->a, &m, "relu"), "guess");
	assert_string_equal(who(f->a, &m, "matmul"), "fake");
}

/* All that the generator of S offers is what it tells. */
static void assert_told(const struct settled *s, double us)
{
	const struct model_task_vec *tasks = s->plans[SETTLED_ALL].model.tasks;
	int offered = 0;

	for (int i = 0; i < tasks->n; i++) {
		struct offer x;

		if (!offers_get(s->offers, tasks->at[i].key, 0, &x))
			continue;
		assert_true(x.told);
		assert_float_equal(x.us, us, 0);
		offered++;
	}
	assert_int_equal(offered, 2);
}

static void assert_near(double x, double right)
{
	assert_true(fabs(x - right) <= right * 1e-6);
}

/* Of PLAN, US are told: half of it kernels. They are part of all its times, and its generator's share. */
static void assert_told_parts(struct arena *a, const struct settled *s, int plan, double us)
{
	const struct settled_plan *p = &s->plans[plan];
	const struct plan_share share = plan_share_of(a, s, plan, 0);
	const struct hone_cost once = told_cost(&p->model, NULL);

	assert_int_equal(told_any(&p->model, NULL), us > 0);
	assert_near(once.kernels_us, us / 2);
	assert_near(once.launches_us, us / 4);
	assert_near(once.transfers_us, us / 4);
	assert_near(cost_us(share.told), us);
	assert_near(share.us, us);
	assert_near(cost_us(p->spent.told), us);
	assert_true(p->spent.generators >= us * (1 - 1e-6));
	assert_true(p->spent.run >= us && p->us >= us && p->predicted_us >= us);
	assert_true(run_spent_rest(&p->spent) >= -us * 1e-6);
}

/* No record of the database at PATH is of the generator, or of a model that it has a share in. */
static void assert_not_measured(const char *path)
{
	struct db *db = db_open(path, DB_READ);

	assert_non_null(db);
	assert_int_equal(count_of(db, "toolchains WHERE text = '" DB_OFFLOAD "fake: fake 1'"), 0);
	assert_int_equal(count_of(db, "toolchains WHERE text LIKE '" DB_OFFLOAD "plan, %'"), 0);
	assert_int_equal(count_of(db, "toolchains WHERE text = '" DB_OFFLOAD "hone'"), 1);
	assert_true(count_of(db, "records") > 0);	/* of hone's kernels */
	db_close(db);
}

/* Of a device that takes microseconds; the median run of a few small kernels is far from it. */
enum { SLEEP_US = 20000 };

/* What a generator says of itself counts, whatever the clock says. */
static void test_told_costs(void **state)
{
	static const char *const cost[] = { "1e-3", "1e9" };
	struct fixture *f = *state;

	for (int i = 0; i < 2; i++) {
		const struct fake_object fake = { "HONE_KERNELS", "(matmul | relu)", .cost = cost[i],
						  .sleep_us = i ? 0 : SLEEP_US };
		const char *name = arena_printf(f->a, "told%d", i);
		struct open_options o = options_of(f, MODEL("8"), name, fake_object(f, name, &fake));

		struct settled *s = settle_all(f, &o);

		assert_plans(f, s, i ? "guess" : "fake", i ? "guess" : "fake");
		for (int k = 0; k < SETTLED_PLANS; k++)
			assert_true(s->plans[k].agrees);
		assert_told(s, atof(cost[i]));
		assert_told_parts(f->a, s, SETTLED_ALL, 2 * atof(cost[i]));
		assert_told_parts(f->a, s, SETTLED_HOST, 0);
		assert_told_parts(f->a, s, SETTLED_COST, i ? 0 : 2 * atof(cost[i]));
		/* a device that is slow to simulate is not slow */
		assert_true(i || s->plans[SETTLED_ALL].us < SLEEP_US);
		settled_end(s);
		assert_not_measured(o.db);
	}
}

/* The reason why the host computes a call of operator OP in PLAN; NULL: it does not. */
static const char *why_host(const struct settled *s, int plan, const char *op)
{
	const struct offloaded *m = &s->plans[plan].model.offloaded;

	for (int i = 0; i < m->cut.calls.n; i++) {
		const struct offload_call *c = &m->cut.calls.at[i];

		if (strcmp(function_at(m->from->functions.at[c->function], c->value)->op->name, op) == 0)
			return c->why;
	}
	fail_msg("no call of %s", op);
	return NULL;
}

/* The same of regions that are told. */
static void test_told_regions(void **state)
{
	static const char *const cost[] = { "1e-3", "1e9" };
	struct fixture *f = *state;

	for (int i = 0; i < 2; i++) {
		const struct fake_object fake = { "HONE_REGIONS", "(matmul | relu)", .cost = cost[i],
						  .sleep_us = i ? 0 : SLEEP_US };
		const char *name = arena_printf(f->a, "told_region%d", i);
		struct open_options o = options_of(f, MODEL("256"), name, fake_object(f, name, &fake));
		struct settled *s = settle_all(f, &o);

		assert_int_equal(settled_wrong(s), -1);
		assert_int_equal(s->plans[SETTLED_ALL].model.offloaded.cut.regions.n, 2);
		assert_int_equal(s->plans[SETTLED_COST].model.offloaded.cut.regions.n, i ? 0 : 2);
		assert_told_parts(f->a, s, SETTLED_ALL, 2 * atof(cost[i]));
		assert_told_parts(f->a, s, SETTLED_COST, i ? 0 : 2 * atof(cost[i]));
		assert_true(i || s->plans[SETTLED_ALL].us < SLEEP_US);
		settled_end(s);
		assert_not_measured(o.db);
	}
}

/* Regions are shared as kernels are. */
static void test_regions(void **state)
{
	struct fixture *f = *state;
	const struct fake_object fake = { "HONE_REGIONS", "(matmul | relu)", .haste = 1, .sleep_us = 3000 };
	struct open_options o = options_of(f, MODEL("512"), "regions", fake_object(f, "regions", &fake));
	struct settled *s = settle_all(f, &o);

	assert_null(why_host(s, SETTLED_ALL, "relu"));
	assert_null(why_host(s, SETTLED_ALL, "matmul"));
	assert_null(why_host(s, SETTLED_COST, "matmul"));
	assert_non_null(strstr(why_host(s, SETTLED_COST, "relu"), "hone is no slower"));
	assert_int_equal(s->plans[SETTLED_ALL].model.offloaded.cut.regions.n, 2);
	assert_int_equal(s->plans[SETTLED_COST].model.offloaded.cut.regions.n, 1);
	assert_true(s->plans[SETTLED_HOST].agrees);
	assert_int_equal(settled_wrong(s), SETTLED_COST);	/* so nothing of it is kept */
	assert_int_equal(s->chosen, SETTLED_HOST);
	settled_end(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_told_costs),
		cmocka_unit_test(test_told_regions),
		cmocka_unit_test(test_regions),
	};

	return cmocka_run_group_tests(tests, folder_new, fixture_free);
}
