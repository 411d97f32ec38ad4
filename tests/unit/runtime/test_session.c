/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_session.c - models as lists of steps compute what the interpreter computes, from
 * whatever memory and however many threads call them. */
#include "tests/fixture/session_fixture.h"

#include <pthread.h>

#include "graph/pass/pass.h"

enum { KERNEL_THREADS = 2, CALLERS = 4, RUNS = 20 };

struct compiled_model {
	struct arena *a;
	struct graph *g;
	const struct model_code *code;
};

static struct compiled_model compile(const char *functions)
{
	struct compiled_model m = { .a = arena_new() };
	struct model_task_vec *tasks = arena_one(m.a, struct model_task_vec);
	struct device *device = device_synthetic(m.a, DEVICE);
	struct choice_plan plan = { .device = device, .now = calibration_of(device),
				    .threads = KERNEL_THREADS };
	int built;

	m.g = graph_passes(m.a, parsed(m.a, functions), NULL);
	if (!m.g)
		fail_msg("%s", err_get());
	*tasks = graph_tasks(m.a, m.g);
	const struct choice *choices = choose(m.a, m.g, tasks, &plan, &built);

	if (!choices)
		fail_msg("%s", err_get());
	m.code = model_code_new(m.a, m.g, tasks, choices, NULL);
	return m;
}

/* The functions as they stand, without passes and kernels, and as lists. */
static void check_model(const char *functions)
{
	struct compiled_model m = compile(functions);
	struct model_task_vec none = { 0 };
	const struct model_code *plain = model_code_new(m.a, parsed(m.a, functions), &none, NULL, NULL);
	int n = graph_main(m.g)->nresults;

	for (size_t offset = 0; offset <= 1; offset++) {
		struct value *args = arguments(m.a, graph_main(m.g), offset);
		struct value *want = run(plain, args);
		struct value *got = run(m.code, args);

		assert_agree(m.a, got, want, n);
		values_release(got, n);
		values_release(want, n);
		free(got);
		free(want);
	}
	arena_free(m.a);
}

#define RESIDUAL                                                                                   \
	"fn @main(%x: f32[1, 8, 6, 6], %w: f32[8, 8, 3, 3]) {\n"                                   \
	"\t%a = conv(%x, %w) {pads = [1, 1, 1, 1]}\n"                                              \
	"\t%b = relu(%a)\n"                                                                        \
	"\t%c = conv(%b, %w) {pads = [1, 1, 1, 1]}\n"                                              \
	"\t%d = add(%c, %b)\n"                                                                     \
	"\t%s = softmax(%d) {axis = 1}\n"                                                          \
	"\treturn %s\n}\n"

static void chains_and_sums(void **state)
{
	(void)state;
	check_model(RESIDUAL);
}

/* A parameter, a constant, the same twice, a value and its view: all are the caller's own. */
static void results_of_all_kinds(void **state)
{
	(void)state;
	check_model("fn @main(%x: f32[4, 6]) {\n"
		    "\t%k = const f32[3] [1, 2, 3]\n"
		    "\t%flat = const i64[1] [24]\n"
		    "\t%a = tanh(%x)\n"
		    "\t%v = reshape(%a, %flat)\n"
		    "\t%b = softmax(%a) {axis = 1}\n"
		    "\treturn %x, %k, %b, %b, %a, %v\n}\n");
}

static void what_only_the_interpreter_runs(void **state)
{
	(void)state;
	check_model("fn @main(%x: f32[4, 8]) {\n"
		    "\t%zero = const i64[] [0]\n"
		    "\t%a = sigmoid(%x)\n"
		    "\t%b = cumsum(%a, %zero)\n"
		    "\t%c = softmax(%b) {axis = 1}\n"
		    "\t%d = mul(%c, %a)\n"
		    "\treturn %d, %b\n}\n");
}

/* What lies together already is joined and cut without a call. */
static void parts_in_place(void **state)
{
	(void)state;
	check_model("fn @main(%x: f32[1, 8, 4, 4], %w: f32[8, 8, 1, 1]) {\n"
		    "\t%start = const i64[1] [4]\n"
		    "\t%end = const i64[1] [12]\n"
		    "\t%axis = const i64[1] [1]\n"
		    "\t%a = conv(%x, %w)\n"
		    "\t%b = softmax(%x) {axis = 1}\n"
		    "\t%c = concat(%a, %b) {axis = 1}\n"
		    "\t%d = slice(%c, %start, %end, %axis)\n"
		    "\t%e = conv(%d, %w)\n"
		    "\treturn %e, %c\n}\n");
}

/* A fused function that no kernel is for: its index is data. */
#define PICK                                                                                       \
	"fn @main(%x: f32[64], %i: i64[2]) {\n"                                                    \
	"\t%a = relu(%x)\n"                                                                        \
	"\t%b = call @pick(%a, %i)\n"                                                              \
	"\t%c = tanh(%b)\n"                                                                        \
	"\treturn %c\n}\n"                                                                         \
	"fn @pick(%x: f32[64], %i: i64[2]) -> f32[2] attrs {fused = 1} {\n"                        \
	"\t%y: f32[2] = gather(%x, %i)\n"                                                          \
	"\treturn %y\n}\n"

static void steps_of_the_interpreter(void **state)
{
	(void)state;
	check_model(PICK);
}

/* A step that fails ends the run in all threads, and the next run is none the worse. */
static void a_step_that_fails(void **state)
{
	(void)state;
	struct compiled_model m = compile(PICK);
	struct value *args = arguments(m.a, graph_main(m.g), 0);
	int64_t *index = args[1].array->data;
	struct session *s = session_new(m.code, interp_usual_limits);
	struct value result;

	index[1] = 64;
	assert_int_equal(session_run(s, args, &result), -1);
	assert_non_null(strstr(err_get(), "gather"));
	index[1] = 63;
	assert_int_equal(session_run(s, args, &result), 0);
	value_release(result);
	session_free(s);
	arena_free(m.a);
}

static void branches_and_loops(void **state)
{
	(void)state;
	check_model("fn @main(%x: f32[8, 8], %many: i64[], %go: bool[]) {\n"
		    "\t%s = softmax(%x) {axis = 1}\n"
		    "\t%l = loop @body trips %many while _ state (%s) with (%x)\n"
		    "\t%y = %l[0]\n"
		    "\t%i = if %go then @yes else @no (%y)\n"
		    "\treturn %i\n}\n"
		    "fn @body(%n: i64[], %s: f32[8, 8], %x: f32[8, 8]) {\n"
		    "\t%true = const bool[] [true]\n"
		    "\t%p = matmul(%s, %x)\n"
		    "\t%q = softmax(%p) {axis = 1}\n"
		    "\treturn %true, %q\n}\n"
		    "fn @yes(%x: f32[8, 8]) {\n\t%y = relu(%x)\n\treturn %y\n}\n"
		    "fn @no(%x: f32[8, 8]) {\n\t%y = neg(%x)\n\treturn %y\n}\n");
}

/* A caller with a session of its own. */
struct session_caller {
	const struct model_code *code;
	const struct value *args;
	float *got;	/* the first result of each run */
	size_t count;	/* elements of one */
	bool failed;
};

static void *call(void *user)
{
	struct session_caller *c = user;
	struct session *s = session_new(c->code, interp_usual_limits);

	for (int i = 0; i < RUNS && !c->failed; i++) {
		struct value result;

		c->failed = session_run(s, c->args, &result) < 0;
		if (c->failed)
			break;
		memcpy(&c->got[(size_t)i * c->count], result.array->data, c->count * sizeof(float));
		value_release(result);
	}
	session_free(s);
	return NULL;
}

static void several_at_once(void **state)
{
	(void)state;
	struct compiled_model m = compile(RESIDUAL);
	struct value *args = arguments(m.a, graph_main(m.g), 0);
	struct value *want = run(m.code, args);
	size_t count = (size_t)want[0].array->count;
	struct session_caller callers[CALLERS];
	pthread_t threads[CALLERS];

	for (int i = 0; i < CALLERS; i++) {
		callers[i] = (struct session_caller){ m.code, args, arena_many(m.a, float, RUNS * count),
					      count, false };
		assert_int_equal(pthread_create(&threads[i], NULL, call, &callers[i]), 0);
	}
	for (int i = 0; i < CALLERS; i++) {
		pthread_join(threads[i], NULL);
		assert_false(callers[i].failed);
		for (int j = 0; j < RUNS; j++)
			assert_memory_equal(&callers[i].got[(size_t)j * count], want[0].array->data,
					    count * sizeof(float));
	}
	values_release(want, 1);
	free(want);
	arena_free(m.a);
}

/* Each of two runs has its steps, in both threads, before it and within its time. */
static void check_events(const struct session_event_vec *events)
{
	enum { STEPS = 3, EACH = STEPS * KERNEL_THREADS + 1 };

	assert_int_equal(events->n, 2 * EACH);
	for (int i = 0; i < events->n; i++) {
		const struct session_event *run = &events->at[i / EACH * EACH + EACH - 1];
		const struct session_event *e = &events->at[i];

		assert_string_equal(run->what, "run");
		assert_true(run->begin <= e->begin && e->begin <= e->end && e->end <= run->end);
	}
}

/* Each kernel, once for each run. */
static void costs_are_noted(void **state)
{
	(void)state;
	struct compiled_model m = compile(RESIDUAL);
	struct value *args = arguments(m.a, graph_main(m.g), 0);
	struct session *s = session_new(m.code, interp_usual_limits);
	struct value result;

	session_watch(s, true);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(session_run(s, args, &result), 0);
		value_release(result);
	}
	const struct session_cost_vec *costs = session_costs(s);

	assert_int_equal(costs->n, 3);
	for (int i = 0; i < costs->n; i++) {
		assert_int_equal(costs->at[i].runs, 2);
		assert_string_equal(costs->at[i].by, "guess");
		assert_true(costs->at[i].seconds > 0);
	}
	check_events(session_events(s));
	session_free(s);
	arena_free(m.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_and_sums),
		cmocka_unit_test(results_of_all_kinds),
		cmocka_unit_test(what_only_the_interpreter_runs),
		cmocka_unit_test(parts_in_place),
		cmocka_unit_test(steps_of_the_interpreter),
		cmocka_unit_test(a_step_that_fails),
		cmocka_unit_test(branches_and_loops),
		cmocka_unit_test(several_at_once),
		cmocka_unit_test(costs_are_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
