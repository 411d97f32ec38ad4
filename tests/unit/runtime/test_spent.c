/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_spent.c - the parts of a run are disjoint, whatever runs inside of what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "graph/pass/pass.h"
#include "graph/text/text.h"
#include "measure/device/calibration.h"
#include "runtime/offload/spent.h"
#include "runtime/values/inputs.h"

/* Kernels run here; what they are guessed for has fixed figures. */
#define DEVICE "synthetic:l2:2(size=1MiB) core:1 pu:1 isa=avx2"

static struct session *session_of(struct arena *a, const char *functions, const struct model_code **code)
{
	struct graph *g = graph_parse(a, "test", arena_printf(a, "graph \"t\" @main\n%s", functions));
	struct model_task_vec *tasks = arena_one(a, struct model_task_vec);
	struct device *device = device_synthetic(a, DEVICE);
	struct choice_plan plan = { .device = device, .now = calibration_of(device), .threads = 1 };
	int built;

	g = g ? graph_passes(a, g, NULL) : NULL;
	if (!g)
		fail_msg("%s", err_get());
	*tasks = graph_tasks(a, g);
	const struct choice *choices = choose(a, g, tasks, &plan, &built);

	if (!choices)
		fail_msg("%s", err_get());
	*code = model_code_new(a, g, tasks, choices, NULL);
	return session_new(*code, interp_usual_limits);
}

/* The second run of FUNCTIONS. */
static struct run_spent second_run(const char *functions)
{
	struct arena *a = arena_new();
	const struct model_code *code;
	struct session *s = session_of(a, functions, &code);
	struct value *args = inputs_random(a, graph_main(code->graph), 1);
	struct run_spent spent = { 0 };

	assert_non_null(args);
	session_watch(s, false);
	struct spending *x = spending_new(a, code, s);

	for (int i = 0; i < 2; i++) {
		int64_t begin = clock_ns();

		if (session_exercise(s, args) < 0)
			fail_msg("%s", err_get());
		spent = spending_next(x, us_since(begin));
	}
	const struct run_spent nothing = spending_next(x, 0);

	assert_true(nothing.host == 0 && nothing.moves == 0 && nothing.interpreter == 0);
	session_free(s);
	arena_free(a);
	return spent;
}

static void kernels_and_moves(void **state)
{
	(void)state;
	const struct run_spent kernels = second_run("fn @main(%x: f32[64, 64], %w: f32[64, 64]) {\n"
						    "\t%a = matmul(%x, %w)\n"
						    "\t%b = relu(%a)\n"
						    "\treturn %b\n}\n");
	const struct run_spent moves = second_run("fn @main(%x: f32[64, 32, 16]) {\n"
						  "\t%a = transpose(%x) {perm = [2, 0, 1]}\n"
						  "\treturn %a\n}\n");

	assert_true(kernels.host > 0 && kernels.moves == 0 && kernels.interpreter == 0);
	assert_true(run_spent_rest(&kernels) >= 0);
	assert_true(moves.moves > 0 && moves.host == 0 && moves.interpreter == 0);
	assert_true(run_spent_rest(&moves) >= 0);
}

/* A fused function that the interpreter runs as a step of a list: the time of its call counts, not both. */
static void steps_of_the_interpreter(void **state)
{
	(void)state;
	const struct run_spent x = second_run("fn @main(%x: f32[64], %i: i64[2]) {\n"
					      "\t%a = relu(%x)\n"
					      "\t%b = call @pick(%a, %i)\n"
					      "\treturn %b\n}\n"
					      "fn @pick(%x: f32[64], %i: i64[2]) -> f32[2] attrs {fused = 1} {\n"
					      "\t%y: f32[2] = gather(%x, %i)\n"
					      "\treturn %y\n}\n");

	assert_true(x.host > 0 && x.interpreter > 0 && x.generators == 0);
	assert_true(run_spent_rest(&x) >= 0);
}

/* Kernels inside of a loop count as kernels, not again as a loop. */
static void loops(void **state)
{
	(void)state;
	const struct run_spent x = second_run("fn @main(%x: f32[64, 64]) {\n"
					      "\t%many = const i64[] [8]\n"
					      "\t%true = const bool[] [true]\n"
					      "\t%l = loop @body trips %many while %true state (%x) with (%x)\n"
					      "\t%y = %l[0]\n"
					      "\treturn %y\n}\n"
					      "fn @body(%n: i64[], %s: f32[64, 64], %x: f32[64, 64]) {\n"
					      "\t%true = const bool[] [true]\n"
					      "\t%p = matmul(%s, %x)\n"
					      "\t%q = softmax(%p) {axis = 1}\n"
					      "\treturn %true, %q\n}\n");

	assert_true(x.host > 0);
	assert_true(run_spent_rest(&x) >= 0);
}

static void the_middle_half(void **state)
{
	(void)state;
	struct run_spent at[] = {
		{ .run = 900, .host = 890 }, { .run = 12, .host = 6, .generators = 3, .moves = 1, .interpreter = 1 },
		{ .run = 10, .host = 4, .generators = 3, .moves = 1, .interpreter = 1 }, { .run = 1, .host = 1 },
	};
	const struct run_spent x = run_spent_middle(at, 4), none = run_spent_middle(at, 0);

	assert_float_equal(x.run, 11, 1e-12);
	assert_float_equal(x.host, 5, 1e-12);
	assert_float_equal(x.generators, 3, 1e-12);
	assert_float_equal(x.moves, 1, 1e-12);
	assert_float_equal(x.interpreter, 1, 1e-12);
	assert_float_equal(run_spent_rest(&x), 1, 1e-12);
	assert_float_equal(none.run, 0, 0);
	/* of one and of two all count */
	assert_float_equal(run_spent_middle(at, 1).run, 1, 1e-12);
	assert_float_equal(run_spent_middle(at, 2).run, 5.5, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_and_moves),
		cmocka_unit_test(steps_of_the_interpreter),
		cmocka_unit_test(loops),
		cmocka_unit_test(the_middle_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
