/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/schedule/test_kernel.c - kernels in surroundings that their user chose: little stack, compiler
 * flags that give up IEEE arithmetic. */
#include "schedule/text/step_text.h"
#include "tests/built.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/property/library.h"
#include "tests/te_run.h"

enum { STACK_BYTES = 128 * 1024, PAINT = 0xa5 };

static struct program *program_of(struct run *r, const char *steps)
{
	struct state *s = state_parse(r->a, r->d, "steps", steps);
	const char *why = NULL;

	if (!s)
		fail_msg("%s", err_get());
	struct program *p = lower(r->a, s, &target_x86_64_avx2, &why);

	if (!p)
		fail_msg("%s", why);
	return p;
}

/* --- stack */

enum { THREADS = 2 };

struct stack_run {
	struct callable kernel;
	void *const *args;
	void *workspace;
};

/* The parts of all threads, one after the other. */
static void *run_parts(void *user)
{
	const struct stack_run *r = user;

	for (int phase = 0; phase < r->kernel.phases(); phase++)
		for (int thread = 0; thread < THREADS; thread++)
			r->kernel.part(phase, r->args, r->workspace, thread, THREADS);
	return NULL;
}

static int32_t no_phases(void)
{
	return 0;
}

/* Runs R on a thread with STACK_BYTES of stack; so many of them were written to. */
static size_t run_on_stack(struct stack_run *r)
{
	pthread_attr_t attr;
	pthread_t thread;
	size_t clean = 0;
	unsigned char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(stack != MAP_FAILED);
	memset(stack, PAINT, STACK_BYTES);
	assert_int_equal(pthread_attr_init(&attr), 0);
	assert_int_equal(pthread_attr_setstack(&attr, stack, STACK_BYTES), 0);
	assert_int_equal(pthread_create(&thread, &attr, run_parts, r), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	while (clean < STACK_BYTES && stack[clean] == PAINT)
		clean++;
	assert_int_equal(munmap(stack, STACK_BYTES), 0);
	return STACK_BYTES - clean;
}

static void check_outputs(const struct run *r, void *const *args)
{
	for (int i = 0; i < r->n; i++) {
		const struct tensor *t = &r->op[i]->tensor;

		for (int64_t j = 0; r->op[i]->kind == OP_COMPUTE && j < tensor_count(t); j++)
			check_close(r->d->name, j, dtype_load(t->dtype, args[i], j), at(r, i, j),
				    1e-4);
	}
}

/* The arguments of P: inputs packed, outputs no numbers. */
static void **arguments(const struct run *r, const struct program *p)
{
	void **args = arena_many(r->a, void *, r->n);

	for (int i = 0; i < r->n; i++) {
		const struct pack *k = program_pack(p, i);
		size_t bytes = tensor_bytes(&p->args.at[i]->tensor);

		args[i] = arena_aligned(r->a, bytes, CALLABLE_ALIGN);
		if (k)
			pack_interpret(k, r->args[i], args[i]);
		else
			memcpy(args[i], r->args[i], bytes);
		if (r->op[i]->kind == OP_COMPUTE)
			memset(args[i], 0xff, bytes);
	}
	return args;
}

static void check_stack(struct build_pool *b, struct run *r, const struct program *p)
{
	struct stack_run empty = { .kernel = { .phases = no_phases } };
	struct trial t;

	if (!built_trial(r->a, p, &t))
		return;
	built_all(r->a, b, &t, 1);
	struct callable kernel = built_kernel(&t);
	struct emit_needs needs = emit_needs(p);
	size_t workspace = kernel.workspace_bytes(THREADS), stack = needs.stack;
	struct stack_run full = { kernel, arguments(r, p),
				  arena_aligned(r->a, workspace, CALLABLE_ALIGN) };

	assert_int_equal(workspace, needs.shared + THREADS * needs.thread);
	size_t base = run_on_stack(&empty), used = run_on_stack(&full);

	check_outputs(r, full.args);
	if (stack > 64 * 1024 || used - base > stack)
		fail_msg("%s: %zu bytes of stack, not %zu\n%s", r->d->name, used - base, stack,
			 t.source);
}

/* A row of 80 KB is computed inside the loop over the rows. */
#define ROWS                                                                                       \
	"input X: f32[6, 20000]\n"                                                                 \
	"E[i, j] = exp(X[i, j])\n"                                                                 \
	"S[i] = sum(j < 20000) E[i, j]\n"                                                          \
	"Y[i, j] = E[i, j] / S[i]\n"
#define ATTACHED "compute_at S Y i; compute_at E Y i"

static void check_all_stacks(const char *cc)
{
	static const char *const specs[] = {
		"softmax:m=3,n=30000", "layer_norm:m=3,n=9000", "matmul:m=70,n=90,k=60",
		"conv2d:ic=24,h=20,w=20,oc=40,k=3,p=1", "dense:m=8,n=300,k=100,act=gelu",
		"conv2d_transpose:ic=16,h=9,w=9,oc=24,k=4,s=2,p=1",
	};
	struct build_pool *b = built_by(cc, NULL);
	struct run rows = run_spec(ROWS);
	struct rng rng = rng_seed(5);

	check_stack(b, &rows, program_of(&rows, ATTACHED));
	check_stack(b, &rows, program_of(&rows, ATTACHED "; parallel Y i"));
	arena_free(rows.a);
	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		struct run r = run_spec(specs[i]);

		for (int j = 0; j < 4; j++) {
			struct state *s = sketched_state(r.a, &rng, r.d, &target_x86_64_avx2);
			struct program *p = s ? lower(r.a, s, &target_x86_64_avx2, NULL) : NULL;

			if (p)
				check_stack(b, &r, p);
		}
		arena_free(r.a);
	}
	build_pool_free(b);
}

static void test_stack_gcc(void **state)
{
	(void)state;
	check_all_stacks("gcc");
}

static void test_stack_clang(void **state)
{
	(void)state;
	check_all_stacks("clang");
}

/* --- flags */

#define SOFTMAX "softmax:m=4,n=96"
#define VECTORS "split softmax_exp j 8; vectorize softmax_exp j.1"

static void test_fast_math_is_refused(void **state)
{
	static const char *const compilers[] = { "gcc", "clang" };
	static const char *const flags[] = { "-ffast-math", "-Ofast", "-ffinite-math-only" };
	struct run r = run_spec(SOFTMAX);
	struct trial t;

	(void)state;
	for (int i = 0; i < 6; i++) {
		struct build_pool *b = built_by(compilers[i / 3], flags[i % 3]);

		assert_true(built_trial(r.a, program_of(&r, VECTORS), &t));
		assert_int_equal(build_all(r.a, b, &t, 1), 0);
		assert_int_equal(t.status, TRIAL_BUILD_ERROR);
		assert_non_null(strstr(t.text, "IEEE"));
		build_pool_free(b);
	}
	arena_free(r.a);
}

/* Of exp from end to end: its rounding to a whole exponent is not folded away. */
static void check_exp(const char *cc, const char *flags)
{
	struct run r = run_new("input X: f32[4096]\ninput W: f32[4096]\n"
			       "Y[i] = exp(X[i])\nZ[i] = exp(W[i])\n");
	struct program *p = program_of(&r, "split Y i 8; vectorize Y i.1");
	struct build_pool *b = built_by(cc, flags);
	struct trial t;

	assert_true(built_trial(r.a, p, &t));
	built_all(r.a, b, &t, 1);
	for (int i = 0; i < 4096; i++)
		((float *)r.args[0])[i] = ((float *)r.args[1])[i] = -87 + 175 * (float)i / 4096;
	void **args = arguments(&r, p);

	built_run(r.a, &t, args);
	for (int i = 0; i < 2 * 4096; i++) {
		double got = (double)((const float *)args[2 + i / 4096])[i % 4096];
		double want = exp((double)((const float *)args[0])[i % 4096]);

		if (!(fabs(got / want - 1) <= 1e-5))
			fail_msg("%s %s: exp is %g, not %g", cc, flags, got, want);
	}
	build_pool_free(b);
	arena_free(r.a);
}

/* clang does not tell of these. */
static void test_exp_outlives_reordering(void **state)
{
	(void)state;
	check_exp("clang", "-funsafe-math-optimizations");
	check_exp("clang", "-fassociative-math -fno-signed-zeros -freciprocal-math");
	check_exp("gcc", "-fno-signed-zeros -freciprocal-math");
}

/* X -> Y, in vectors, within 4 units in the last place of f64's, odd, never beyond 1, and NaN where X is. */
static void check_odd(const char *name, double (*want)(double), const char *cc)
{
	enum { N = 4096 };
	struct run r = run_new("input X: f32[4096]\nY[i] = erf(X[i])\nZ[i] = tanh(X[i])\n");
	struct program *p = program_of(&r, "split Y i 8; vectorize Y i.1; split Z i 8; vectorize Z i.1");
	struct build_pool *b = built_by(cc, "");
	struct trial t;
	float *x = r.args[0];

	assert_true(built_trial(r.a, p, &t));
	built_all(r.a, b, &t, 1);
	for (int i = 0; i < N; i++)
		x[i] = (i % 2 ? -1.0f : 1.0f) * exp2f((float)i / 32 - 120);
	x[0] = NAN;
	x[1] = -INFINITY;
	void **args = arguments(&r, p);

	built_run(r.a, &t, args);
	const float *got = args[strcmp(name, "erf") ? 2 : 1];

	assert_true(isnan(got[0]));
	assert_true(got[1] == -1);
	for (int i = 1; i < N; i++) {
		double w = want((double)x[i]);

		if (!(fabs((double)got[i] / w - 1) <= 4 * 0x1p-23) || fabsf(got[i]) > 1)
			fail_msg("%s: %s of %g is %.9g, not %.9g", cc, name, (double)x[i], (double)got[i], w);
	}
	build_pool_free(b);
	arena_free(r.a);
}

static void test_own_functions(void **state)
{
	(void)state;
	check_odd("erf", erf, "clang");
	check_odd("erf", erf, "gcc");
	check_odd("tanh", tanh, "clang");
	check_odd("tanh", tanh, "gcc");
}

/* round, in vectors: half to even, of both signs, of what has no fraction, and NaN where X is. */
static void check_round(const char *cc, const char *flags, int lanes)
{
	enum { N = 4096 };
	struct run r = run_new("input X: f32[4096]\nY[i] = round(X[i])\n");
	struct program *p = program_of(&r, arena_printf(r.a, "split Y i %d; vectorize Y i.1", lanes));
	struct build_pool *b = built_by(cc, flags);
	struct trial t;
	float *x = r.args[0];

	assert_true(built_trial(r.a, p, &t));
	built_all(r.a, b, &t, 1);
	for (int i = 0; i < N; i++)
		x[i] = i < N / 2 ? (float)(i - N / 4) / 8 : (i % 2 ? -1.0f : 1.0f) * exp2f((float)i / 32 - 90);
	x[0] = NAN;
	x[1] = -INFINITY;
	x[2] = 8388607.5f;
	x[3] = -0.0f;
	void **args = arguments(&r, p);

	built_run(r.a, &t, args);
	for (int i = 0; i < N; i++) {
		float got = ((const float *)args[1])[i], want = rintf(x[i]);

		if (!(got == want || (isnan(got) && isnan(want))) || signbit(got) != signbit(want))
			fail_msg("%s %s, %d lanes: %.9g is rounded to %g", cc, flags, lanes, (double)x[i], (double)got);
	}
	build_pool_free(b);
	arena_free(r.a);
}

static void test_round(void **state)
{
	(void)state;
	for (int lanes = 4; lanes <= 8; lanes *= 2) {	/* by arithmetic, by an instruction */
		check_round("clang", "", lanes);
		check_round("gcc", "", lanes);
		check_round("clang", "-fassociative-math -freciprocal-math", lanes);
	}
}

/* Of each min and max, in vectors, in their tails and one by one: an operand that is NaN, whichever it
 * is, and one element of a reduction, wherever it is. */
static void check_nan(const char *cc, const char *steps)
{
	enum { N = 19 };
	struct run r = run_new("input X: f32[19]\ninput W: f32[19]\n"
			       "Y[i] = max(X[i], W[i])\nZ[i] = min(max(X[i], 0.0), 6.0)\n"
			       "M[i] = min(0.5, X[i])\nS[i] = max(k < 19) X[k] + W[i]\n");
	struct program *p = program_of(&r, steps);
	struct build_pool *b = built_by(cc, "");
	struct trial t;

	assert_true(built_trial(r.a, p, &t));
	built_all(r.a, b, &t, 1);
	for (int i = 0; i < N; i++) {
		((float *)r.args[0])[i] = i % 8 == 1 ? NAN : (float)(i - 9);
		((float *)r.args[1])[i] = i % 8 == 2 ? NAN : (float)i / 4;
	}
	void **args = arguments(&r, p);

	built_run(r.a, &t, args);
	for (int i = 0; i < N; i++) {
		bool x = i % 8 == 1, w = i % 8 == 2;
		const float *const *out = (const float *const *)args + 2;

		assert_true(isnan(out[0][i]) == (x || w));
		assert_true(isnan(out[1][i]) == x);
		assert_true(isnan(out[2][i]) == x);
		assert_true(isnan(out[3][i]));
		if (!x)
			assert_true(out[1][i] == fminf(fmaxf((float)(i - 9), 0), 6));
	}
	build_pool_free(b);
	arena_free(r.a);
}

static void test_nan_goes_through_min_and_max(void **state)
{
	static const char vectors[] = "split Y i 8; vectorize Y i.1; split Z i 8; vectorize Z i.1; "
				      "split M i 8; vectorize M i.1; split S i 8; reorder S i.0 k i.1; "
				      "vectorize S i.1";

	(void)state;
	check_nan("clang", vectors);
	check_nan("gcc", vectors);
	check_nan("clang", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack_gcc),
		cmocka_unit_test(test_stack_clang),
		cmocka_unit_test(test_fast_math_is_refused),
		cmocka_unit_test(test_exp_outlives_reordering),
		cmocka_unit_test(test_own_functions),
		cmocka_unit_test(test_round),
		cmocka_unit_test(test_nan_goes_through_min_and_max),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
