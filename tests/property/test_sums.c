/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_sums.c - f16 and bf16 lose no more than one rounding at the end costs.
 *
 * Operators on fractions, under no schedule and under sampled ones, by the interpreter and as
 * compiled kernels: the greatest error against the same operator on f64 is at most twice that of
 * the naive evaluation, which sums in f32 and rounds each tensor once. HONE_SEED=n: the first
 * seed. */
#include "schedule/text/step_text.h"
#include "tests/built.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "te/eval.h"
#include "te/operator.h"
#include "tests/property/library.h"

enum { STATES = 3, ARGS_MAX = 8, DEFAULT_SEED = 7 };

/* Sums so long that rounding each term would be seen. */
static const char *const specs[] = {
	"matmul:m=2,n=20,k=4096",
	"dense:m=1,n=18,k=4096,act=relu",
	"conv2d:ic=32,h=4,w=4,oc=18,k=3,p=1",
	"conv2d_transpose:ic=16,h=3,w=3,oc=16,k=4,s=2,p=1",
	"depthwise:c=16,h=9,w=9,k=7,p=3",
	"global_avg_pool:c=24,h=33,w=31",
	"avg_pool:c=4,h=20,w=20,k=9,s=3",
	"max_pool:c=4,h=9,w=9,k=3,s=2,p=1",
	"layer_norm:m=12,n=777",
	"softmax:m=12,n=1000",
	"matrix_norm:b=12,m=40,n=41",
};

struct sum_task {
	struct arena *a;
	const char *spec;
	struct dag *dag;
	int nargs;
	const struct op *op[ARGS_MAX];
	void *args[ARGS_MAX];	/* of dag_eval; outputs: what it computed */
	double *exact[ARGS_MAX];
	double allowed[ARGS_MAX];	/* of outputs: error of an element */
};

static int bind(const struct dag *d, const struct op *op[ARGS_MAX])
{
	int n = dag_arg_count(d);

	assert_in_range(n, 1, ARGS_MAX);
	for (int i = 0; i < d->ops.n; i++)
		if (dag_arg(d, d->ops.at[i]) >= 0)
			op[dag_arg(d, d->ops.at[i])] = d->ops.at[i];
	return n;
}

/* The greatest difference of DATA, of a type T, from EXACT. */
static double worst(enum dtype t, const void *data, const double *exact, int64_t n)
{
	double most = 0;

	for (int64_t i = 0; i < n; i++) {
		double error = fabs(dtype_load(t, data, i) - exact[i]);

		if (!(error <= most))	/* also where it is no number */
			most = error;
	}
	return most;
}

static struct sum_task *task_of(struct arena *a, const char *spec, const char *dtype,
				struct rng *rng)
{
	struct sum_task *t = arena_one(a, struct sum_task);
	struct dag *wide = operator_build(a, arena_printf(a, "%s,dtype=f64", spec));

	t->a = a;
	t->spec = arena_printf(a, "%s,dtype=%s", spec, dtype);
	t->dag = operator_build(a, t->spec);
	if (!t->dag || !wide)
		fail_msg("%s", err_get());
	t->nargs = bind(t->dag, t->op);
	for (int i = 0; i < t->nargs; i++) {
		const struct op *op = t->op[i];
		int64_t n = tensor_count(&op->tensor);

		t->args[i] = arena_alloc(a, tensor_bytes(&op->tensor));
		t->exact[i] = arena_many(a, double, n);
		for (int64_t j = 0; j < n && op->kind != OP_COMPUTE; j++) {
			dtype_store(op->tensor.dtype, t->args[i], j,
				    op->low + (op->high - op->low) * rng_unit(rng));
			t->exact[i][j] = dtype_load(op->tensor.dtype, t->args[i], j);
		}
	}
	dag_eval(t->dag, t->args);
	dag_eval(wide, (void *const *)t->exact);
	for (int i = 0; i < t->nargs; i++)
		t->allowed[i] = 2 * worst(t->op[i]->tensor.dtype, t->args[i], t->exact[i],
					  tensor_count(&t->op[i]->tensor));
	return t;
}

/* The arguments of a kernel: inputs packed, outputs no numbers. */
static void **arguments(const struct sum_task *t, const struct program *p)
{
	void **args = arena_many(t->a, void *, t->nargs);

	for (int i = 0; i < t->nargs; i++) {
		const struct pack *k = program_pack(p, i);
		size_t bytes = tensor_bytes(&p->args.at[i]->tensor);

		args[i] = arena_aligned(t->a, bytes, CALLABLE_ALIGN);
		if (k)
			pack_interpret(k, t->args[i], args[i]);
		else
			memcpy(args[i], t->args[i], bytes);
		if (t->op[i]->kind == OP_COMPUTE)
			memset(args[i], 0xff, bytes);
	}
	return args;
}

static void check(const struct sum_task *t, const struct state *s, void *const *args,
		  const char *what)
{
	for (int i = 0; i < t->nargs; i++) {
		const struct tensor *x = &t->op[i]->tensor;

		if (t->op[i]->kind != OP_COMPUTE)
			continue;
		double error = worst(x->dtype, args[i], t->exact[i], tensor_count(x));

		if (!(error <= t->allowed[i])) {
			struct text steps = { 0 };

			state_print(&steps, s);
			fail_msg("%s, %s: the error is %g, %g is allowed\n%s", t->spec, what, error,
				 t->allowed[i], text_str(&steps));
		}
	}
}

static void check_spec(struct build_pool *b, const char *spec, const char *dtype, uint64_t seed)
{
	struct arena *a = arena_new();
	struct rng rng = rng_seed(seed);
	struct sum_task *t = task_of(a, spec, dtype, &rng);
	const struct state *states[STATES];
	struct program *programs[STATES];
	struct trial trials[STATES];
	int n = 0;

	for (int i = 0; i < STATES; i++) {
		const struct state *s = i == 0 ? state_new(a, t->dag)
					       : sketched_state(a, &rng, t->dag, &target_x86_64_avx512);
		struct program *p = s ? lower(a, s, &target_x86_64_avx512, NULL) : NULL;

		if (!p || !built_trial(a, p, &trials[n]))
			continue;
		void **args = arguments(t, p);

		program_interpret(p, args);
		check(t, s, args, "interpreted");
		states[n] = s;
		programs[n++] = p;
	}
	assert_true(n > 1);
	built_all(a, b, trials, n);
	for (int i = 0; i < n; i++) {
		void **args = arguments(t, programs[i]);

		built_run(a, &trials[i], args);
		check(t, states[i], args, "compiled");
	}
	arena_free(a);
}

static void check_all(const char *dtype)
{
	const char *seed = getenv("HONE_SEED");
	struct build_pool *b = built_by(NULL, NULL);

	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++)
		check_spec(b, specs[i], dtype, (seed ? strtoull(seed, NULL, 0) : DEFAULT_SEED) + i);
	build_pool_free(b);
}

static void test_bf16(void **state)
{
	(void)state;
	check_all("bf16");
}

static void test_f16(void **state)
{
	(void)state;
	check_all("f16");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bf16),
		cmocka_unit_test(test_f16),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
