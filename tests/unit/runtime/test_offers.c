/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_offers.c - times of generators' kernels, beside hone's own: learned, compared, kept. */
#include "tests/command.h"
#include "tests/fixture/offers_fixture.h"

#include <unistd.h>

#include "te/operator.h"

enum { SLOW, FAST, BACKENDS, THREADS = 2 };

#define SPEC "dense:m=8,n=16,k=32"

static const struct hone_pattern any[] = { { "any", "any" }, { NULL, NULL } };

/* Two generators, on DEVICE. */
static struct offers_options *two(struct arena *a, const struct device *d)
{
	struct backend *b = arena_many(a, struct backend, BACKENDS);

	b[SLOW] = fake_computer(a, "slow", HONE_KERNELS, any)->backend;
	b[FAST] = fake_computer(a, "fast", HONE_KERNELS, any)->backend;
	return offers_options_of(a, d, b, BACKENDS, THREADS);
}

static struct model_task task_of(struct arena *a, const char *spec)
{
	const struct dag *dag = operator_build(a, spec);

	if (!dag)
		fail_msg("%s", err_get());
	return (struct model_task){ .op = "dense", .dag = dag, .key = dag_key(dag), .flop = 8192 };
}

static bool best(const struct offers *o, struct hash128 key, struct offer *out)
{
	return offers_best(o, key, (struct demand){ DEMAND_NONE, NULL }, out);
}

static double us_of(const struct offers *o, struct hash128 key, int backend)
{
	struct offer x;

	return offers_get(o, key, backend, &x) ? x.us : 0;
}

/* --- in memory */

static void test_least_wins(void **state)
{
	struct fixture *f = *state;
	struct offers *o = offers_begin(f->a, two(f->a, offers_device(f->a)));
	const struct model_task t = task_of(f->a, SPEC), other = task_of(f->a, "dense:m=8,n=16,k=64");
	struct offer x;

	assert_false(best(o, t.key, &x));
	offers_plant(o, &t, SLOW, 20, false);
	assert_true(best(o, t.key, &x));
	assert_int_equal(x.backend, SLOW);
	offers_plant(o, &t, FAST, 10, false);
	offers_plant(o, &t, OFFER_HOST, 1, false);	/* hone is no generator */
	assert_true(best(o, t.key, &x));
	assert_int_equal(x.backend, FAST);
	assert_float_equal(x.us, 10, 0);
	assert_false(offers_get(o, other.key, FAST, &x));
	assert_false(best(o, other.key, &x));
}

/* What ran as a step of a model counts, whichever is less and whichever came first. */
static void test_in_model_first(void **state)
{
	struct fixture *f = *state;
	struct offers *o = offers_begin(f->a, two(f->a, offers_device(f->a)));
	const struct model_task t = task_of(f->a, SPEC);
	struct offer x;

	offers_plant(o, &t, FAST, 10, false);
	offers_plant(o, &t, FAST, 30, true);
	offers_plant(o, &t, FAST, 9, false);
	assert_true(offers_get(o, t.key, FAST, &x));
	assert_true(x.in_model);
	assert_float_equal(x.us, 30, 0);
	offers_plant(o, &t, SLOW, 20, false);
	assert_true(best(o, t.key, &x));
	assert_int_equal(x.backend, SLOW);
	offers_plant(o, &t, FAST, 15, true);	/* later ones replace earlier ones */
	assert_true(best(o, t.key, &x));
	assert_int_equal(x.backend, FAST);
}

static void test_policies(void **state)
{
	struct fixture *f = *state;
	struct offers *o = offers_begin(f->a, two(f->a, offers_device(f->a)));
	const struct model_task t = task_of(f->a, SPEC);
	const struct offer ten = { .backend = FAST, .us = 10 };
	const struct cut_from from = { 0 };
	struct offer x;

	offers_plant(o, &t, FAST, 10, true);
	assert_int_equal(offers_policy(o), OFFLOAD_FASTEST);
	assert_true(offer_wins(o, &from, &ten, 20));
	assert_true(offer_wins(o, &from, &ten, 0));		/* nobody knows hone's */
	assert_false(offer_wins(o, &from, &ten, 5));
	assert_false(offer_wins(o, &from, &ten, 10));		/* of equals hone keeps what it has */
	offers_set_policy(o, OFFLOAD_ALL);
	assert_true(offer_wins(o, &from, &ten, 5));
	assert_true(best(o, t.key, &x));
	offers_set_policy(o, OFFLOAD_NONE);
	assert_false(best(o, t.key, &x));
	assert_true(offers_get(o, t.key, FAST, &x));	/* it is known all the same */
}

/* --- kept */

enum { LEARNED = 7 };

/* Learns one of each kind with O, and keeps it. */
static void learn_all(const struct fixture *f, struct offers *o)
{
	const struct model_task t = task_of(f->a, SPEC);
	const struct hash128 region = hash_bytes("region", 6), model = hash_bytes("model", 5);
	const double us[] = { 40, 30, 50 };	/* whose median counts */
	const struct offer host = { .backend = OFFER_HOST, .us = 40, .in_model = true,
				    .source = hash_bytes("c", 1) };

	offers_plant(o, &t, FAST, 10, false);
	offers_plant(o, &t, FAST, 11, true);
	offers_plant(o, &t, SLOW, 20, false);
	offers_learn(o, &t, &host, us, 3);
	offers_learn_region(o, region, "slow_1", &(struct offer){ .backend = SLOW, .us = 40 }, us, 3);
	offers_learn_plan(o, model, OFFLOAD_FASTEST, 40, us, 3);
	offers_learn_plan(o, model, OFFLOAD_NONE, 40, us, 3);
	assert_ok(offers_keep(o));
	assert_ok(offers_keep(o));	/* nothing is left to save */
}

/* All that learn_all() learned is in O. */
static void assert_all(const struct fixture *f, const struct offers *o)
{
	const struct model_task t = task_of(f->a, SPEC);
	const struct hash128 region = hash_bytes("region", 6), model = hash_bytes("model", 5);
	struct offer x;

	assert_true(offers_get(o, t.key, FAST, &x));
	assert_true(x.in_model);
	assert_float_equal(x.us, 11, 0);
	assert_float_equal(us_of(o, t.key, SLOW), 20, 0);
	assert_true(offers_get(o, t.key, OFFER_HOST, &x));
	assert_float_equal(x.us, 40, 0);
	assert_true(hash_equal(x.source, hash_bytes("c", 1)));
	assert_float_equal(us_of(o, region, SLOW), 40, 0);
	assert_float_equal(us_of(o, region, FAST), 0, 0);
	assert_float_equal(offers_plan_us(o, model, OFFLOAD_FASTEST), 40, 0);
	assert_float_equal(offers_plan_us(o, model, OFFLOAD_NONE), 40, 0);
	assert_float_equal(offers_plan_us(o, model, OFFLOAD_ALL), 0, 0);
	assert_float_equal(offers_plan_us(o, region, OFFLOAD_NONE), 0, 0);
}

static void test_kept_in_cache(void **state)
{
	struct fixture *f = *state;
	struct offers_options *o = two(f->a, offers_device(f->a));

	learn_all(f, offers_begin(f->a, o));
	assert_all(f, offers_begin(f->a, o));
	o->db = f->path;		/* is not there: nothing is made by reading */
	assert_all(f, offers_begin(f->a, o));
	assert_int_not_equal(access(f->path, F_OK), 0);
}

/* Into the user's database where it may be written to; it is asked after the cache folder. */
static void test_kept_in_database(void **state)
{
	struct fixture *f = *state;
	struct offers_options *o = two(f->a, offers_device(f->a));
	const struct model_task t = task_of(f->a, SPEC);
	struct offers *cached = offers_begin(f->a, o);

	offers_plant(cached, &t, SLOW, 19, false);
	assert_ok(offers_keep(cached));
	o->db = f->path;
	o->writes = true;
	learn_all(f, offers_begin(f->a, o));
	assert_all(f, offers_begin(f->a, o));
	o->db = NULL;
	assert_float_equal(us_of(offers_begin(f->a, o), t.key, SLOW), 19, 0);
}

static void assert_records(const char *path, int64_t n)
{
	struct db *db = db_open(path, DB_READ);

	assert_non_null(db);
	assert_sound(db);
	assert_int_equal(count_of(db, "records"), n);
	db_close(db);
}

/* What was measured again replaces what was, in the cache folder; a user's database keeps all. */
static void test_superseded(void **state)
{
	struct fixture *f = *state;
	struct offers_options *o = two(f->a, offers_device(f->a));

	for (int own = 0; own < 2; own++) {
		for (int i = 0; i < 3; i++)
			learn_all(f, offers_begin(f->a, o));
		assert_all(f, offers_begin(f->a, o));
		assert_records(own ? f->path : offers_kept_db(f->a), own ? 3 * LEARNED : LEARNED);
		o->db = f->path;
		o->writes = true;
	}
}

static const char *version_two(void)
{
	return "2";
}

/* Another version of the library, another number of threads, another device: nobody knows. */
static void test_others_times(void **state)
{
	struct fixture *f = *state;
	struct device *d = offers_device(f->a);
	struct offers_options *o = two(f->a, d);
	const struct model_task t = task_of(f->a, SPEC);
	const struct hash128 model = hash_bytes("model", 5);

	learn_all(f, offers_begin(f->a, o));
	struct backend *newer = arena_memdup(f->a, o->backends, BACKENDS * sizeof(*newer));

	newer[FAST].version = version_two();
	o->backends = newer;
	assert_float_equal(us_of(offers_begin(f->a, o), t.key, FAST), 0, 0);
	assert_float_equal(us_of(offers_begin(f->a, o), t.key, SLOW), 20, 0);
	assert_float_equal(offers_plan_us(offers_begin(f->a, o), model, OFFLOAD_FASTEST), 0, 0);
	o = two(f->a, d);
	o->threads = 1;
	assert_float_equal(us_of(offers_begin(f->a, o), t.key, FAST), 0, 0);
	assert_float_equal(offers_plan_us(offers_begin(f->a, o), model, OFFLOAD_FASTEST), 0, 0);
	o = two(f->a, device_synthetic(f->a, "synthetic:l2:2(size=2MiB) core:1 pu:1 isa=avx512"));
	assert_float_equal(us_of(offers_begin(f->a, o), t.key, FAST), 0, 0);
}

/* In another order, or beside another generator, each has its own times; plans are of all of them. */
static void test_order_of_generators(void **state)
{
	struct fixture *f = *state;
	struct offers_options *o = two(f->a, offers_device(f->a));
	const struct model_task t = task_of(f->a, SPEC);

	learn_all(f, offers_begin(f->a, o));
	o->backends = &o->backends[FAST];
	o->n = 1;
	struct offers *x = offers_begin(f->a, o);

	assert_float_equal(us_of(x, t.key, 0), 11, 0);
	assert_float_equal(us_of(x, t.key, 1), 0, 0);
	assert_float_equal(offers_plan_us(x, hash_bytes("model", 5), OFFLOAD_FASTEST), 0, 0);
}

/* What is kept is sound, and no search takes it for a record of a kernel. */
static void test_no_records(void **state)
{
	struct fixture *f = *state;
	struct device *d = device_describe(f->a, NULL);		/* this one, as `hone best` has it */
	struct offers_options *o = two(f->a, d);
	const struct model_task t = task_of(f->a, SPEC);
	char key[HASH_TEXT], *out;
	const struct db_want want = { .fingerprint = d->fingerprint, .threads = THREADS,
				      .task_key = hash_text(t.key, key) };
	struct db_record_vec top;
	struct db_record best;

	o->db = f->path;
	o->writes = true;
	learn_all(f, offers_begin(f->a, o));
	struct db *db = db_open(f->path, DB_READ);

	assert_non_null(db);
	assert_sound(db);
	assert_int_equal(count_of(db, "records"), LEARNED);
	assert_int_equal(db_best(db, f->a, &want, &best), 0);
	assert_int_equal(db_top(db, f->a, &want, DB_SUREST, 10, &top), 0);
	assert_int_equal(top.n, 0);
	db_close(db);
	assert_int_equal(hone(f, &out, arena_printf(f->a, "db check %s", f->path)), 0);
	assert_non_null(strstr(out, "sound"));
	hone(f, &out, arena_printf(f->a, "best %s --db %s", SPEC, f->path));
	assert_non_null(strstr(out, "no record of it"));
	assert_int_equal(hone(f, &out, arena_printf(f->a, "db merge %s.new %s", f->path, f->path)), 0);
	o->db = arena_printf(f->a, "%s.new", f->path);
	assert_all(f, offers_begin(f->a, o));
}

/* A database that cannot be read is said, not passed over. */
static void test_bad_database(void **state)
{
	struct fixture *f = *state;
	struct offers_options *o = two(f->a, offers_device(f->a));

	assert_ok(file_write(f->path, "no database", 11));
	o->db = f->path;
	assert_null(offers_new(f->a, o));
	assert_err(f->path);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, offers_fixture_new, fixture_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_least_wins),
		TEST(test_in_model_first),
		TEST(test_policies),
		TEST(test_kept_in_cache),
		TEST(test_kept_in_database),
		TEST(test_superseded),
		TEST(test_others_times),
		TEST(test_order_of_generators),
		TEST(test_no_records),
		TEST(test_bad_database),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
