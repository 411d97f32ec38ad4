/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_bench.c - the peers compute what the DAG says; the statistics of interleaving on
 * contenders whose time is made up. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <sched.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/rng.h"
#include "bench/versus.h"
#include "te/eval.h"
#include "te/operator.h"
#include "te/text.h"
#include "tests/skip.h"

/* --- peers */

struct buffers {
	struct arena *a;
	const struct dag *d;
	void **args;
	int n;
};

static struct buffers buffers_new(const char *spec)
{
	struct buffers b = { .a = arena_new() };
	struct rng r = rng_seed(7);

	b.d = strchr(spec, '\n') ? dag_parse(b.a, "test", spec) : operator_build(b.a, spec);
	if (!b.d)
		fail_msg("%s: %s", spec, err_get());
	b.n = dag_arg_count(b.d);
	b.args = arena_many(b.a, void *, b.n);
	for (int i = 0; i < b.d->ops.n; i++) {
		const struct op *op = b.d->ops.at[i];
		int arg = dag_arg(b.d, op);

		if (arg < 0)
			continue;
		b.args[arg] = aligned_alloc(64, (tensor_bytes(&op->tensor) + 63) / 64 * 64);
		for (int64_t j = 0; j < tensor_count(&op->tensor); j++)
			dtype_store(op->tensor.dtype, b.args[arg], j, 2 * rng_unit(&r) - 1);
	}
	return b;
}

static void buffers_free(struct buffers *b)
{
	for (int i = 0; i < b->n; i++)
		free(b->args[i]);
	arena_free(b->a);
}

static int evaluate(void *user)
{
	struct buffers *b = user;

	dag_eval(b->d, b->args);
	return 0;
}

enum { GEMM = 1, CONV = 2, NEITHER = 0 };

static const struct {
	const char *spec;
	int peers;		/* CONV: oneDNN alone; GEMM: both */
} cases[] = {
	{ "matmul:m=19,n=35,k=23", GEMM },
	{ "matmul:m=16,n=16,k=16,const=0", GEMM },
	{ "matmul:m=1,n=33,k=5", GEMM },
	{ "matmul:m=9,n=1,k=5", GEMM },
	{ "batch_matmul:b=3,m=4,n=5,k=6", GEMM },
	{ "batch_matmul:b=3,m=4,n=5,k=6,const=1", GEMM },
	{ "dense:m=3,n=10,k=17,bias=0", GEMM },
	{ "dense:m=3,n=10,k=17,act=relu", CONV },
	{ "dense:m=3,n=10,k=17,act=gelu", CONV },
	{ "conv2d:n=1,ic=16,h=9,w=8,oc=32,k=3,s=1,p=1,layout=nchw16c", CONV },
	{ "conv2d:n=2,ic=16,h=8,w=9,oc=32,k=3,s=2,p=1,layout=nchw16c,const=0", CONV },
	{ "conv2d:n=1,ic=32,h=6,w=6,oc=32,k=1,layout=nchw16c,bias=1,act=relu", CONV },
	{ "conv2d:n=1,ic=32,h=6,w=6,oc=64,k=3,p=1,g=2,layout=nchw16c,act=silu", CONV },
	{ "conv2d:n=1,ic=3,h=11,w=11,oc=5,k=3,s=2,p=1,layout=nchw,bias=1,act=relu6", CONV },
	{ "conv2d:n=1,ic=4,h=11,w=11,oc=6,k=3,s=1,p=2,dil=2,layout=nhwc,act=hard_swish", CONV },
	{ "conv2d:n=1,ic=4,h=8,w=8,oc=8,k=3,s=2,layout=nchw,act=leaky_relu", CONV },
	{ "conv2d:n=1,ic=4,h=7,w=7,oc=8,k=7,layout=nchw,act=sigmoid", CONV },
	{ "conv1d:n=1,ic=8,w=20,oc=4,k=3,p=1,layout=nhwc", CONV },
	{ "conv3d:n=1,ic=8,d=4,h=5,w=6,oc=16,k=3,p=1,layout=nchw8c,act=tanh", CONV },
	{ "depthwise:n=1,c=32,h=12,w=11,k=3,s=2,p=1,layout=nchw16c", CONV },
	{ "depthwise:n=1,c=5,h=8,w=8,k=3,p=1,layout=nhwc,bias=1,act=hard_sigmoid", CONV },
	{ "input A: f32[8, 4]\nconst B: f32[6, 8]\n"
	  "C[i, j] = sum(k < 8) A[k, i] * B[j, k]\n", GEMM },
	{ "input A: f32[2, 4, 8]\ninput B: f32[8, 6]\n"
	  "C[i, b, j] = sum(k < 8) A[b, i, k] * B[k, j]\n", GEMM },
	{ "input A: f32[4, 8]\nconst B: f32[8, 6]\nconst V: f32[6]\ninput R: f32[4, 6]\n"
	  "input S: f32[4, 1]\nC[i, j] = sum(k < 8) A[i, k] * B[k, j]\n"
	  "D[i, j] = max(R[i, j] + (C[i, j] + V[j]) * S[i, 0], 0)\n", CONV },
	{ "input X: f32[1, 2, 6, 16]\nconst W: f32[3, 2, 3, 16, 16]\n"
	  "input R: f32[1, 3, 6, 16]\n"
	  "P[n, c, x < 8, i] = select(1 <= x && x < 7, X[n, c, x - 1, i], 0)\n"
	  "Y[n, o, x < 6, j] = sum(c < 2, k < 3, i < 16) "
	  "P[n, c, x + k, i] * W[o, c, k, i, j]\n"
	  "Z[n, o, x, j] = max(Y[n, o, x, j] + R[n, o, x, j], 0)\n", CONV },
	{ "input A: f32[4, 8]\nconst B: f32[8, 6]\nC[i, j] = sum(k < 8) A[i, k] * B[k, j]\n"
	  "D[i, j] = tanh(C[i, j] * 0.5) * 3 + 1\n", NEITHER },	/* see onednn_epilogue.c */
	{ "softmax:m=4,n=8", NEITHER },
};

static void check_peer(const char *spec, const struct versus_peer *p, bool able)
{
	if (!p->version) {
		skip_part(p->peer->name, p->why);
		assert_non_null(p->peer->missing);
	} else if (!able) {
		assert_non_null(p->why);
	} else if (p->why) {
		fail_msg("%s: %s: %s", spec, p->peer->name, p->why);
	} else if (!(p->difference < 1e-5)) {
		fail_msg("%s: %s (%s) is off by %g", spec, p->peer->name, p->kernel,
			 p->difference);
	}
}

static void test_peers(void **state)
{
	struct interleave how = interleave_default(1);

	(void)state;
	how.budget_s = 0;
	how.sample_us = 0;
	how.min_rounds = 2;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buffers b = buffers_new(cases[i].spec);
		struct versus_peer p[] = { { .peer = peer_find("openblas") },
					   { .peer = peer_find("onednn") } };
		struct standing ours;
		const char *work;

		if (versus(b.a, b.d, b.args, 1, &how, (struct contender){ "eval", evaluate, &b },
			   &ours, p, 2, &work) < 0)
			fail_msg("%s: %s", cases[i].spec, err_get());
		assert_true(*work != '\0' || cases[i].peers == NEITHER);
		assert_true(ours.rounds == 2 && ours.ratio == 1);
		check_peer(cases[i].spec, &p[0], cases[i].peers == GEMM);
		check_peer(cases[i].spec, &p[1], cases[i].peers != NEITHER);
		buffers_free(&b);
	}
}

static void test_two_threads(void **state)
{
	struct buffers b = buffers_new("conv2d:n=1,ic=16,h=9,w=8,oc=32,k=3,p=1,layout=nchw16c");
	struct interleave how = interleave_default(2);
	struct versus_peer p[] = { { .peer = peer_find("onednn") } };
	struct standing ours;

	(void)state;
	how.budget_s = how.sample_us = how.settle_us = 0;
	assert_int_equal(versus(b.a, b.d, b.args, 2, &how,
				(struct contender){ "eval", evaluate, &b }, &ours, p, 1, NULL), 0);
	check_peer("two threads", &p[0], true);
	buffers_free(&b);
}

static void test_names(void **state)
{
	(void)state;
	assert_null(peer_find("mkl"));
	assert_non_null(strstr(err_get(), "openblas, onednn"));
}

/* --- interleaving */

struct fake {
	double *clock;
	double us;		/* of one call */
	double drift;		/* factor of each later call's time */
	int calls, fail_at;
};

static double read_clock(void *clock)
{
	return *(double *)clock;
}

static int act(void *user)
{
	struct fake *f = user;

	if (++f->calls == f->fail_at)
		return err_set("no more");
	*f->clock += f->us;
	f->us *= f->drift;
	return 0;
}

static struct interleave fake_how(double *clock)
{
	return (struct interleave){ .budget_s = 0.01, .sample_us = 200, .min_rounds = 3,
				    .max_rounds = 1000, .cpu = PIN_NONE, .now_us = read_clock,
				    .clock = clock };
}

static void test_turns(void **state)
{
	double clock = 0;
	struct fake f[] = { { &clock, 10, 1, 0, 0 }, { &clock, 25, 1, 0, 0 },
			    { &clock, 1000, 1, 0, 0 } };
	struct contender c[] = { { "a", act, &f[0] }, { "b", act, &f[1] }, { "c", act, &f[2] } };
	struct interleave how = fake_how(&clock);
	struct standing s[3];

	(void)state;
	assert_int_equal(interleave(&how, c, 3, s), 0);
	assert_true(fabs(s[0].us - 10) < 1e-6 && s[0].ratio == 1);
	assert_true(fabs(s[1].us - 25) < 1e-6 && fabs(s[1].ratio - 2.5) < 1e-6);
	assert_true(fabs(s[2].low - 100) < 1e-6 && fabs(s[2].high - 100) < 1e-6);
	assert_true(s[0].calls * 10 >= 200 && s[1].calls * 25 >= 200 && s[2].calls == 1);
	assert_true(s[0].calls < 60);	/* not many times too long */
	assert_true(clock >= 10000 && clock < 14000);
	assert_true(s[0].rounds >= 3 && s[0].rounds == s[2].rounds);
}

/* All slow down to a multiple: the ratio stays. */
static void test_drift(void **state)
{
	double clock = 0;
	struct fake f[] = { { &clock, 300, 1.001, 0, 0 }, { &clock, 600, 1.001, 0, 0 } };
	struct contender c[] = { { "a", act, &f[0] }, { "b", act, &f[1] } };
	struct interleave how = fake_how(&clock);
	struct standing s[2];

	(void)state;
	how.budget_s = 1;
	assert_int_equal(interleave(&how, c, 2, s), 0);
	assert_true(s[0].us > 330 && s[0].rounds > 100);
	assert_true(fabs(s[1].ratio - 2) < 0.01 && s[1].low > 1.98 && s[1].high < 2.02);
}

static void test_rank(void **state)
{
	double times[22];
	struct standing s[2];

	(void)state;
	for (int r = 0; r < 11; r++) {	/* ratios 1.0, 1.1, ... 2.0, in no order */
		times[2 * r] = 10;
		times[2 * r + 1] = 10 + (r * 4) % 11;
	}
	interleave_rank(times, 11, 2, s);
	assert_true(fabs(s[1].us - 15) < 1e-9 && fabs(s[1].ratio - 1.5) < 1e-9);
	assert_true(fabs(s[1].low - 1.1) < 1e-9 && fabs(s[1].high - 1.9) < 1e-9);
	assert_true(s[0].low == 1 && s[0].high == 1);
	interleave_rank(times, 1, 2, s);
	assert_true(s[1].ratio == 1 && s[1].low == s[1].high && s[1].rounds == 1);
}

/* A failing contender ends it with its name; affinity is restored either way. */
static void test_failure(void **state)
{
	double clock = 0;
	struct fake f[] = { { &clock, 10, 1, 0, 0 }, { &clock, 25, 1, 0, 40 } };
	struct contender c[] = { { "a", act, &f[0] }, { "b", act, &f[1] } };
	struct interleave how = fake_how(&clock);
	struct standing s[2];
	cpu_set_t before, after;

	(void)state;
	how.cpu = PIN_HERE;
	sched_getaffinity(0, sizeof(before), &before);
	assert_int_equal(interleave(&how, c, 2, s), -1);
	assert_string_equal(err_get(), "b: no more");
	sched_getaffinity(0, sizeof(after), &after);
	assert_true(CPU_EQUAL(&before, &after));
	how.cpu = CPU_SETSIZE - 1;
	assert_int_equal(interleave(&how, c, 1, s), -1);
	assert_non_null(strstr(err_get(), "cannot pin"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_peers), cmocka_unit_test(test_two_threads),
		cmocka_unit_test(test_names), cmocka_unit_test(test_turns),
		cmocka_unit_test(test_drift), cmocka_unit_test(test_rank),
		cmocka_unit_test(test_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
