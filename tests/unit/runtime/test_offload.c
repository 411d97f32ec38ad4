/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_offload.c - kernels of a generator get their places in a model's lists of steps, and
 * compute there what hone's would; what fails stays with hone, or says so. */
#include "tests/fixture/offers_fixture.h"

#include <pthread.h>
#include <stdatomic.h>

#include "graph/pass/pass.h"
#include "partition/demand.h"
#include "runtime/explain.h"
#include "runtime/kernel/task_times.h"
#include "runtime/offload/alone.h"
#include "runtime/offload/demanded.h"

/* One task at two places, with one weight, and another task behind it. */
#define MODEL                                                                                      \
	"fn @main(%x: f32[4, 4]) {\n"                                                              \
	"\t%w = const f32[4, 4] [1, -2, 3, -1, 2, -3, 1, -2, 3, 1, -2, 3, -1, 2, -3, 1]\n"         \
	"\t%b = const f32[4] [0.5, -0.5, 0.25, 1]\n"                                               \
	"\t%0 = matmul(%x, %w) @\"one\"\n"                                                         \
	"\t%1 = add(%0, %b)\n"                                                                     \
	"\t%2 = relu(%1)\n"                                                                        \
	"\t%3 = matmul(%2, %w) @\"two\"\n"                                                         \
	"\t%4 = add(%3, %b)\n"                                                                     \
	"\t%5 = relu(%4)\n"                                                                        \
	"\t%6 = softmax(%5)\n"                                                                     \
	"\treturn %6\n}\n"

enum { FAKE, PLACES = 2, CALLERS = 4, RUNS = 50 };

/* What no kernel of hone is expected to take: too little, and too much. */
#define FAST_US 1e-4
#define SLOW_US 1e9

static const struct hone_pattern products[] = { { "dense", "matmul[const] add relu" }, { NULL, NULL } };

/* --- what the generator is told, and what it does */

static struct {
	int inits, fails_at;		/* the init that fails, from 1; 0: none */
	int threads;			/* of the last init */
	const void *weight[PLACES];	/* of each init */
	bool run_fails;
	atomic_int runs, inside, released;
} told;

static int init(const struct hone_region *r, const void *artifact, size_t size, int threads, void **handle,
		char *why)
{
	if (told.inits < PLACES)
		told.weight[told.inits] = r->tensors[r->calls[0].inputs[1]].data;
	told.threads = threads;
	if (++told.inits == told.fails_at) {
		strcpy(why, "no memory on the device");
		return -1;
	}
	return fake_init(r, artifact, size, threads, handle, why);
}

static int run_counted(void *handle, const void *const *inputs, void *const *outputs, char *why)
{
	atomic_fetch_add(&told.runs, 1);
	if (told.run_fails) {
		strcpy(why, "the device is gone");
		return -1;
	}
	return fake_run(handle, inputs, outputs, why);
}

static void release(void *handle)
{
	atomic_fetch_add(&told.released, 1);
	fake_release(handle);
}

/* --- a model that is shared */

struct shared {
	struct arena *a;		/* the model's */
	struct backend backend;
	struct choice_plan plan;
	struct opened m;
};

static struct graph *through_passes(struct arena *a, struct graph *read)
{
	struct graph *g = graph_passes(a, read, NULL);

	if (!g)
		fail_msg("%s", err_get());
	return g;
}

static struct graph *whole(struct arena *a)
{
	return through_passes(a, parsed(a, MODEL));
}

/* What the user wants, and what the generator takes for the task that it claims. */
struct wishes {
	int threads;
	const char *model;		/* NULL: MODEL */
	const char *keep, *offload;	/* a node's label; NULL */
	enum offload_policy policy;
	double us;
	bool fall_back;
};

/* MODEL with what W demands of its nodes; behind all passes. */
static struct graph *demanded(struct arena *a, struct wishes w)
{
	const struct demand_labels labels = { &w.keep, w.keep != NULL, &w.offload, w.offload != NULL };
	struct graph *read = parsed(a, w.model ? w.model : MODEL);

	assert_ok(demands_set(read, &labels));
	return through_passes(a, read);
}

/* The model, shared as W has it. */
static struct shared *shared_by(struct wishes w)
{
	struct arena *a = arena_new();
	struct shared *s = arena_one(a, struct shared);
	struct fake *f = fake_computer(a, "fake", HONE_KERNELS, products);
	struct device *d = offers_device(a);
	struct offers_options *o = offers_options_of(a, d, &s->backend, 1, w.threads);
	struct graph *g = demanded(a, w);
	const struct model_task_vec tasks = graph_tasks(a, g);

	told.inits = told.threads = 0;
	atomic_store(&told.runs, 0);
	atomic_store(&told.released, 0);
	f->generator.init = init;
	f->generator.run = run_counted;
	f->generator.release = release;
	*s = (struct shared){ .a = a, .backend = f->backend };
	o->fall_back = w.fall_back;
	s->plan = (struct choice_plan){ .device = d, .now = calibration_of(d), .threads = w.threads,
					.offers = offers_begin(a, o) };
	vec_push(a, &s->plan.generators.kernels, s->backend);
	offers_set_policy(s->plan.offers, w.policy);
	assert_int_equal(tasks.n, w.keep || w.offload || w.model ? 3 : 2);
	offers_plant(s->plan.offers, &tasks.at[0], FAKE, w.us, true);
	assert_ok(open_graph(a, g, &s->plan, &s->m));
	s->m.code = model_code_new(a, s->m.graph, s->m.tasks, s->m.choices, NULL);
	return s;
}

static struct shared *shared_new(int threads, const char *keep, enum offload_policy policy)
{
	const struct wishes w = { .threads = threads, .keep = keep, .policy = policy, .us = FAST_US };

	return shared_by(w);
}

static void shared_free(struct shared *s)
{
	arena_free(s->a);
}

/* Who runs the steps of S's only list, as a word. */
static const char *steps_of(const struct shared *s)
{
	const struct explanation e = explain(s->a, s->m.code, s->m.tasks, s->m.choices);
	const char *by = "";

	assert_int_equal(e.stretches.n, 1);
	for (int i = 0; i < e.stretches.at[0].calls.n; i++)
		by = arena_printf(s->a, "%s%s ", by, e.stretches.at[0].calls.at[i].by);
	return by;
}

/* What the interpreter computes of MODEL as it stands. */
static struct value *wanted(struct arena *a, const struct value *args)
{
	struct model_task_vec *none = arena_one(a, struct model_task_vec);

	return run(model_code_new(a, parsed(a, MODEL), none, NULL, NULL), args);
}

static void assert_right(const struct shared *s)
{
	for (size_t offset = 0; offset <= 1; offset++) {
		struct value *args = arguments(s->a, graph_main(s->m.graph), offset);
		struct value *want = wanted(s->a, args), *got = run(s->m.code, args);

		assert_agree(s->a, got, want, 1);
		values_release(want, 1);
		values_release(got, 1);
		free(want);
		free(got);
	}
}

/* --- places */

static void test_steps(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 2; threads++) {
		struct shared *s = shared_new(threads, NULL, OFFLOAD_FASTEST);

		assert_string_equal(steps_of(s), "fake fake guess ");
		assert_int_equal(s->m.choices[0].origin, CHOICE_GENERATOR);
		assert_int_equal(s->m.choices[0].nforeign, PLACES);
		assert_null(s->m.choices[0].foreign_why);
		assert_int_equal(told.threads, threads);
		assert_right(s);
		assert_int_equal(told.runs, 2 * PLACES);
		shared_free(s);
		assert_int_equal(told.released, PLACES);
	}
}

/* A weight of two places is there once, as the model has it. */
static void test_one_weight(void **state)
{
	struct shared *s = shared_new(1, NULL, OFFLOAD_ALL);

	(void)state;
	assert_int_equal(told.inits, PLACES);
	assert_non_null(told.weight[0]);
	assert_ptr_equal(told.weight[0], told.weight[1]);
	shared_free(s);
}

struct at_once {
	pthread_t thread;
	const struct shared *s;
	const struct value *args;
	const struct value *want;
	int wrong;
};

static void *call_often(void *user)
{
	struct at_once *c = user;
	struct session *session = session_new(c->s->m.code, interp_usual_limits);
	struct arena *a = arena_new();

	for (int i = 0; i < RUNS; i++) {
		struct value *got = values_new(1);

		c->wrong += session_run(session, c->args, got) < 0 ||
			    !results_agree(a, got, c->want, 1, AGREE_BOUND)[0].agrees;
		values_release(got, 1);
		free(got);
	}
	arena_free(a);
	session_free(session);
	return NULL;
}

/* Sessions of one model share what was made ready, and take turns at it. */
static void test_sessions_at_once(void **state)
{
	struct shared *s = shared_new(2, NULL, OFFLOAD_FASTEST);
	struct at_once callers[CALLERS];
	struct value *args = arguments(s->a, graph_main(s->m.graph), 0), *want = wanted(s->a, args);

	(void)state;
	for (int i = 0; i < CALLERS; i++) {
		callers[i] = (struct at_once){ .s = s, .args = args, .want = want };
		assert_int_equal(pthread_create(&callers[i].thread, NULL, call_often, &callers[i]), 0);
	}
	for (int i = 0; i < CALLERS; i++) {
		pthread_join(callers[i].thread, NULL);
		assert_int_equal(callers[i].wrong, 0);
	}
	assert_int_equal(told.runs, CALLERS * RUNS * PLACES);
	values_release(want, 1);
	free(want);
	shared_free(s);
}

/* --- failures */

/* An init that fails leaves its place to hone, with the reason; the other place is not touched by it. */
static void test_init_fails(void **state)
{
	static const char *const by[] = { "guess fake guess ", "fake guess guess " };

	(void)state;
	for (int i = 0; i < PLACES; i++) {
		told.fails_at = i + 1;
		struct shared *s = shared_new(1, NULL, OFFLOAD_ALL);

		assert_string_equal(steps_of(s), by[i]);
		assert_int_equal(s->m.choices[0].origin, CHOICE_GUESS);
		assert_int_equal(s->m.choices[0].nforeign, 1);
		assert_non_null(strstr(s->m.choices[0].foreign_why,
				       "generator fake: no memory on the device"));
		assert_right(s);
		shared_free(s);
		assert_int_equal(told.released, 1);	/* not what was never made */
	}
	told.fails_at = 0;
}

static void test_run_fails(void **state)
{
	struct shared *s = shared_new(2, NULL, OFFLOAD_ALL);
	struct session *session = session_new(s->m.code, interp_usual_limits);
	struct value *args = arguments(s->a, graph_main(s->m.graph), 0), *got = values_new(1);

	(void)state;
	told.run_fails = true;
	assert_int_equal(session_run(session, args, got), -1);
	assert_err("generator fake: the device is gone");
	assert_int_equal(told.runs, 1);		/* nothing behind it runs */
	told.run_fails = false;
	assert_ok(session_run(session, args, got));	/* the session can go on */
	struct value *want = wanted(s->a, args);

	assert_agree(s->a, got, want, 1);
	values_release(want, 1);
	values_release(got, 1);
	free(want);
	free(got);
	session_free(session);
	shared_free(s);
}

/* Where the user wants that, the interpreter does what the generator failed at, and failures are counted. */
static void test_run_falls_back(void **state)
{
	struct shared *s = shared_by((struct wishes){ .threads = 2, .policy = OFFLOAD_ALL, .us = FAST_US,
						      .fall_back = true });
	const char *why;

	(void)state;
	told.run_fails = true;
	assert_right(s);
	told.run_fails = false;
	assert_string_equal(steps_of(s), "fake fake guess ");
	for (int i = 0; i < PLACES; i++) {
		assert_int_equal(foreign_failures(s->m.choices[0].foreign[i].foreign, &why), 2);
		assert_non_null(strstr(why, "generator fake: the device is gone"));
	}
	shared_free(s);
}

/* --- what the user says */

/* A node that has to go goes, whatever it takes; the same task elsewhere is shared by cost. */
static void test_offload(void **state)
{
	(void)state;
	for (int i = 0; i < PLACES; i++) {
		struct shared *s = shared_by((struct wishes){ .threads = 1, .offload = i ? "two" : "one",
							      .us = SLOW_US });

		assert_string_equal(steps_of(s), i ? "guess fake guess " : "fake guess guess ");
		assert_int_equal(s->m.choices[i].origin, CHOICE_GENERATOR);
		assert_null(s->m.choices[i].foreign_why);
		assert_ok(demanded_check(&s->m, &s->plan));
		assert_right(s);
		shared_free(s);
	}
	struct shared *s = shared_by((struct wishes){ .threads = 1, .us = SLOW_US });

	assert_string_equal(steps_of(s), "guess guess guess ");
	shared_free(s);
}

/* A node that is kept is hone's, where the same task is offloaded elsewhere. */
static void test_keep(void **state)
{
	(void)state;
	for (int i = 0; i < PLACES; i++) {
		struct shared *s = shared_new(1, i ? "two" : "one", OFFLOAD_ALL);

		assert_string_equal(steps_of(s), i ? "fake guess guess " : "guess fake guess ");
		assert_string_equal(s->m.choices[i].foreign_why, "the user keeps it");
		assert_null(s->m.choices[!i].foreign_why);
		assert_ok(demanded_check(&s->m, &s->plan));
		assert_right(s);
		shared_free(s);
	}
}

/* MODEL, where the model itself says MORE of the node "two". */
static const char *annotated(struct arena *a, const char *more)
{
	const char *label = "@\"two\"", *at = strstr(MODEL, label) + strlen(label);

	return arena_printf(a, "%.*s %s%s", (int)(at - MODEL), MODEL, more, at);
}

/* What the model says is done as what options say, and options go before it. */
static void test_annotations(void **state)
{
	static const struct {
		const char *says, *keep, *steps;
	} cases[] = {
		{ "offload", NULL, "guess fake guess " },
		{ "offload \"fake\"", NULL, "guess fake guess " },
		{ "keep", NULL, "guess guess guess " },
		{ "offload", "two", "guess guess guess " },
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct shared *s = shared_by((struct wishes){ .threads = 1, .us = SLOW_US, .keep = cases[i].keep,
							      .model = annotated(a, cases[i].says) });

		assert_string_equal(steps_of(s), cases[i].steps);
		assert_ok(demanded_check(&s->m, &s->plan));
		assert_right(s);
		shared_free(s);
	}
	arena_free(a);
}

/* What has to go and does not is told, with the reason. */
static void test_unmet(void **state)
{
	static const struct {
		const char *says;
		int fails_at;
		const char *error;
	} cases[] = {
		{ "offload", 1, "node 'two' (matmul) has to go to a generator: matmul_add_relu_2: generator fake: no "
		  "memory on the device" },
		{ "offload \"other\"", 0, "node 'two' (matmul) has to go to generator other: " },
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		told.fails_at = cases[i].fails_at;
		struct shared *s = shared_by((struct wishes){ .threads = 1, .us = SLOW_US,
							      .model = annotated(a, cases[i].says) });

		told.fails_at = 0;
		assert_int_equal(demanded_check(&s->m, &s->plan), -1);
		assert_err(cases[i].error);
		shared_free(s);
	}
	arena_free(a);
}

/* The price of a task is that of its own place: one that has to go costs what the generator takes, the same
 * elsewhere what is least. */
static void test_prices(void **state)
{
	struct shared *s = shared_by((struct wishes){ .threads = 1, .offload = "two", .us = SLOW_US });
	struct task_times times = { .device = s->plan.device, .now = s->plan.now, .threads = 1,
				    .offers = s->plan.offers };
	const struct kernel_costs *costs = task_times_costs(&times);
	const double *us = costs->times(costs->user, s->a, s->m.tasks, s->m.tasks->n);

	(void)state;
	assert_non_null(us);
	assert_true(hash_equal(s->m.tasks->at[0].key, s->m.tasks->at[1].key));
	assert_true(us[0] < SLOW_US);
	assert_true(us[1] >= SLOW_US);
	shared_free(s);
}

/* --- what the generator says of itself */

static double told_us;

static struct hone_cost tell(const struct hone_region *r, int threads)
{
	(void)r, (void)threads;
	return (struct hone_cost){ .kernels_us = told_us / 2, .launches_us = told_us / 4, .transfers_us = told_us / 4 };
}

/* Offers of FAKE, which would compute TASKS and tells US (0: it does not know), once they were asked for. */
static struct offers *asked(struct arena *a, const struct model_task_vec *tasks, double us)
{
	struct fake *f = fake_computer(a, "fake", HONE_KERNELS, products);
	const struct listener nobody = { 0 };

	f->generator.cost = tell;
	f->generator.init = init;
	f->generator.run = run_counted;
	told.inits = 0;
	atomic_store(&told.runs, 0);
	told_us = us;
	struct offers *o = offers_begin(a, offers_options_of(a, offers_device(a), &f->backend, 1, 1));

	assert_ok(offers_measure(o, tasks, &nobody));
	return o;
}

/* A generator that tells what it takes is not measured, and nothing of that is kept; where it does not know, it
 * is. What it tells later goes before that. */
static void test_told(void **state)
{
	struct arena *a = arena_new();
	const struct model_task_vec tasks = graph_tasks(a, whole(a));
	const struct hash128 key = tasks.at[0].key;
	struct offer x;

	(void)state;
	assert_true(offers_get(asked(a, &tasks, 7), key, FAKE, &x));
	assert_true(x.told);
	assert_float_equal(x.us, 7, 0);
	assert_int_equal(told.inits + told.runs, 0);
	assert_true(offers_get(asked(a, &tasks, 0), key, FAKE, &x));	/* the 7 was not kept */
	assert_false(x.told);
	assert_int_equal(told.inits, 1);
	assert_true(told.runs > 0);
	assert_true(offers_get(asked(a, &tasks, 0), key, FAKE, &x));	/* what was measured is */
	assert_int_equal(told.inits + told.runs, 0);
	assert_true(offers_get(asked(a, &tasks, 9), key, FAKE, &x));
	assert_true(x.told);
	assert_float_equal(x.us, 9, 0);
	arena_free(a);
}

/* Storages are chosen by what is told. */
static void test_told_prices(void **state)
{
	struct arena *a = arena_new();
	struct graph *g = whole(a);
	const struct model_task_vec tasks = graph_tasks(a, g);

	(void)state;
	for (int i = 0; i < 2; i++) {
		double us = i ? SLOW_US : FAST_US;
		struct device *d = offers_device(a);
		struct task_times times = { .device = d, .now = calibration_of(d), .threads = 1,
					    .offers = asked(a, &tasks, us) };
		const struct kernel_costs *costs = task_times_costs(&times);
		const double *priced = costs->times(costs->user, a, &tasks, tasks.n);

		assert_non_null(priced);
		if (i)
			assert_true(priced[0] < us);	/* hone's */
		else
			assert_float_equal(priced[0], us, 0);
		assert_true(priced[1] > FAST_US);	/* nobody offers the softmax */
	}
	arena_free(a);
}

static void assert_same_text(const char *x, const char *y)
{
	assert_int_equal(x == NULL, y == NULL);
	if (x)
		assert_string_equal(x, y);
}

static void assert_same_choice(const struct choice *x, const struct choice *y)
{
	assert_int_equal(x->origin, y->origin);
	assert_same_text(x->object, y->object);
	assert_same_text(x->source, y->source);
	assert_same_text(x->cc, y->cc);
	assert_same_text(x->flags, y->flags);
	assert_same_text(x->why, y->why);
	assert_int_equal(x->replaces, y->replaces);
	assert_float_equal(x->time_us, y->time_us, 0);
	assert_float_equal(x->expected_us, y->expected_us, 0);
	assert_int_equal(x->in_model, y->in_model);
	assert_int_equal(x->nforeign, y->nforeign);
	assert_same_text(x->foreign_why, y->foreign_why);
}

static void assert_same_list(const struct flat *x, const struct flat *y)
{
	assert_int_equal(x->steps.n, y->steps.n);
	for (int i = 0; i < x->steps.n; i++) {
		const struct flat_step *s = &x->steps.at[i], *t = &y->steps.at[i];

		assert_int_equal(s->kind, t->kind);
		assert_int_equal(s->value, t->value);
		assert_int_equal(s->first, t->first);
		assert_int_equal(s->nargs, t->nargs);
		assert_int_equal(s->workspace, t->workspace);
		assert_int_equal(s->bytes, t->bytes);
		assert_null(s->foreign);
		assert_int_equal(s->site ? s->site->task : -1, t->site ? t->site->task : -1);
	}
	assert_int_equal(x->places.n, y->places.n);
	for (int i = 0; i < x->places.n; i++) {
		const struct live_place *p = &x->places.at[i].at, *q = &y->places.at[i].at;

		assert_int_equal(p->room, q->room);
		assert_int_equal(p->index, q->index);
		assert_int_equal(p->offset, q->offset);
	}
	assert_int_equal(x->open.n, y->open.n);
	assert_int_equal(x->memory.bytes, y->memory.bytes);
	assert_int_equal(x->threads, y->threads);
}

/* Whoever loads a generator and lets it have nothing runs what hone runs without. */
static void test_none_changes_nothing(void **state)
{
	struct shared *s = shared_new(2, NULL, OFFLOAD_NONE);
	struct choice_plan plain = s->plan;
	struct opened m;

	(void)state;
	plain.offers = NULL;
	plain.generators = (struct offload_generators){ 0 };
	assert_ok(open_graph(s->a, whole(s->a), &plain, &m));
	m.code = model_code_new(s->a, m.graph, m.tasks, m.choices, NULL);
	assert_int_equal(told.inits, 0);
	assert_int_equal(s->m.tasks->n, m.tasks->n);
	assert_int_equal(s->m.graph->functions.n, m.graph->functions.n);
	for (int i = 0; i < m.tasks->n; i++)
		assert_same_choice(&s->m.choices[i], &m.choices[i]);
	for (int i = 0; i < m.graph->functions.n; i++) {
		assert_int_equal(s->m.code->flats[i] == NULL, m.code->flats[i] == NULL);
		if (m.code->flats[i])
			assert_same_list(s->m.code->flats[i], m.code->flats[i]);
	}
	assert_string_equal(steps_of(s), "guess guess guess ");
	assert_right(s);
	shared_free(s);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, offers_fixture_new, fixture_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_steps),
		TEST(test_one_weight),
		TEST(test_sessions_at_once),
		TEST(test_init_fails),
		TEST(test_run_fails),
		TEST(test_run_falls_back),
		TEST(test_offload),
		TEST(test_keep),
		TEST(test_annotations),
		TEST(test_unmet),
		TEST(test_prices),
		TEST(test_told),
		TEST(test_told_prices),
		TEST(test_none_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
