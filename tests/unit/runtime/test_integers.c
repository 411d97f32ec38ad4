/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_integers.c - models of integers alone: graphs without floats inside, numbers that are near those
 * of floats, kernels with the bits of the interpreter. */
#include "tests/fixture/integers_fixture.h"
#include "tests/fixture/db_fixture.h"

#include "graph/build/check.h"
#include "graph/quantize/accuracy.h"
#include "runtime/made.h"

static int with_bias(struct graph_maker *m, int x, int64_t ic, int64_t oc, int64_t k, int64_t stride)
{
	struct attr_vec attrs = { 0 };

	attrs_ints(m->a, &attrs, "pads", 4, (int64_t[]){ k / 2, k / 2, k / 2, k / 2 });
	attrs_ints(m->a, &attrs, "strides", 2, (int64_t[]){ stride, stride });
	return build(&m->b, &core_add,
		     build_with(&m->b, &core_conv, &attrs, x, uneven(m, DIMS(oc, ic, k, k), 0.3)),
		     uneven(m, DIMS(oc, 1, 1), 0.5));
}

static int pool(struct graph_maker *m, const struct core_op *op, int x, int64_t k, int64_t stride, int64_t pad)
{
	struct attr_vec attrs = { 0 };

	attrs_ints(m->a, &attrs, "kernel", 2, (int64_t[]){ k, k });
	attrs_ints(m->a, &attrs, "strides", 2, (int64_t[]){ stride, stride });
	attrs_ints(m->a, &attrs, "pads", 4, (int64_t[]){ pad, pad, pad, pad });
	if (op == &core_avg_pool)
		attrs_int(m->a, &attrs, "count_include_pad", 1);
	return build_with(&m->b, op, &attrs, x);
}

static int clip6(struct graph_maker *m, int x)
{
	return build(&m->b, &core_clip, x, build_scalar(&m->b, ELEMENT_F32, 0), build_scalar(&m->b, ELEMENT_F32, 6));
}

static int dense(struct graph_maker *m, int x, int64_t n, int64_t classes)
{
	int flat = build(&m->b, &core_reshape, x, build_ints(&m->b, 2, (int64_t[]){ 1, n }));

	return build(&m->b, &core_add, build(&m->b, &core_matmul, flat, uneven(m, DIMS(n, classes), 0.3)),
		     uneven(m, DIMS(classes), 0.5));
}

static int mean(struct graph_maker *m, int x)
{
	return build(&m->b, &core_reduce_mean, x, build_ints(&m->b, 2, (int64_t[]){ 2, 3 }));
}

/* As a resnet begins and ends: a pool, a block whose other way is a convolution, one whose is none. */
static int resnet(struct graph_maker *m, int x)
{
	x = pool(m, &core_max_pool, build(&m->b, &core_relu, with_bias(m, x, 3, 8, 3, 1)), 3, 2, 1);
	int y = with_bias(m, build(&m->b, &core_relu, with_bias(m, x, 8, 12, 3, 2)), 12, 12, 3, 1);

	x = build(&m->b, &core_relu, build(&m->b, &core_add, y, with_bias(m, x, 8, 12, 1, 2)));
	y = with_bias(m, build(&m->b, &core_relu, with_bias(m, x, 12, 12, 3, 1)), 12, 12, 3, 1);
	x = build(&m->b, &core_relu, build(&m->b, &core_add, x, y));
	return dense(m, mean(m, x), 12, 10);
}

/* Bounds of 6, images one behind the other, windows that average, tensors that are moved, a sum of two that have
 * other readers, a pool of what may be negative. */
static int many(struct graph_maker *m, int x)
{
	struct attr_vec axis = { 0 }, perm = { 0 };

	attrs_int(m->a, &axis, "axis", 1);
	attrs_ints(m->a, &perm, "perm", 4, (int64_t[]){ 0, 1, 3, 2 });
	int a = with_bias(m, x, 3, 6, 3, 1), b = clip6(m, with_bias(m, x, 3, 6, 5, 1));
	int both = build(&m->b, &core_add, a, b);	/* of the one's sums: the other is rounded */
	int c = build_with(&m->b, &core_concat, &axis, both, pool(m, &core_avg_pool, b, 3, 1, 1), a);
	int d = build_with(&m->b, &core_transpose, &perm, pool(m, &core_max_pool, c, 3, 2, 1));
	int e = with_bias(m, d, 18, 8, 3, 1), f = build(&m->b, &core_relu, e);
	int g = build(&m->b, &core_add, f, build(&m->b, &core_slice, d, build_ints(&m->b, 1, (int64_t[]){ 0 }),
						 build_ints(&m->b, 1, (int64_t[]){ 8 }),
						 build_ints(&m->b, 1, (int64_t[]){ 1 })));
	int h = build(&m->b, &core_pad, pool(m, &core_avg_pool, g, 2, 2, 0),
		      build_ints(&m->b, 8, (int64_t[]){ 0, 0, 1, 0, 0, 0, 1, 0 }));

	return dense(m, build(&m->b, &core_add, mean(m, with_bias(m, h, 8, 6, 3, 1)), mean(m, with_bias(m, f, 8, 6, 1, 1))),
		     6, 5);
}

/* A site that is followed by what has no form in integers, on the way to another. */
static int interrupted(struct graph_maker *m, int x)
{
	int a = build(&m->b, &core_relu, with_bias(m, x, 3, 8, 3, 1));
	int b = build(&m->b, &core_sigmoid, with_bias(m, a, 8, 8, 1, 1));

	return build(&m->b, &core_add, with_bias(m, build(&m->b, &core_mul, a, b), 8, 8, 3, 1), a);
}

/* Next to nothing added to much: what scales the sums cannot be as fine as their weights would have it. */
static int small(struct graph_maker *m, int x)
{
	int a = build(&m->b, &core_relu, with_bias(m, x, 3, 8, 3, 1));
	int y = build(&m->b, &core_conv, a, uneven(m, DIMS(8, 8, 1, 1), 1e-4));

	return with_bias(m, clip6(m, build(&m->b, &core_add, y, a)), 8, 4, 1, 1);
}

static const struct {
	int (*make)(struct graph_maker *m, int x);
	int roundings;	/* of floats, at entries */
	double db;	/* signal over noise, at least */
} cases[] = {
	{ resnet, 1, 30 },
	{ many, 1, 28 },
	{ interrupted, 2, 30 },
	{ small, 1, 30 },
};

/* A case quantized by samples. */
struct made {
	struct graph_maker m;
	struct quant q;
	struct quantized z;
	struct value in[4];
};

static struct made make(int which, const char *keep)
{
	struct made z = { .m = graph_maker_new() };
	const struct quant_options o = { .method = QUANT_MINMAX, .scheme = &quant_integers,
					 .sites = { &keep, keep != NULL } };
	int x = input(&z.m, 1, 3, 16, 16);

	z.m.b.origin = origin_new(z.m.a, "a node", (struct demand){ 0 });
	finish(&z.m, cases[which].make(&z.m, x));
	if (quant_new(z.m.a, z.m.g, &o, &z.q) < 0)
		fail_msg("%s", err_get());
	for (int i = 0; i < 4; i++) {
		struct array *image = array_in(z.m.a, ELEMENT_F32, 4, (int64_t[]){ 1, 3, 16, 16 });

		for (int64_t k = 0; k < image->count; k++)
			((float *)image->data)[k] = (float)symmetric(&z.m.rng);
		z.in[i] = value_of_array(image);
	}
	calibrate_by(&z.q, 3, z.in, true);
	if (quant_apply(&z.q, &z.z) < 0 || graph_check(z.z.graph) < 0)
		fail_msg("%s", err_get());
	return z;
}

/* Calls of G that read or give floats, but for those of an entry and of an exit; *ROUNDS: entries. */
static int count_floats(const struct graph *g, int *rounds)
{
	const struct function *f = graph_main(g);
	int n = 0;

	*rounds = 0;
	for (int v = f->nparams; v < f->bindings.n; v++) {
		const struct binding *b = function_at(f, v);

		if (b->kind != BIND_CALL)
			continue;
		*rounds += b->op == &core_round;
		n += b->type->element == ELEMENT_F32 && b->op != &core_div && b->op != &core_round &&
		     b->op != &core_clip && b->op != &core_mul && b->op != &core_cast;
	}
	return n;
}

static void test_no_floats(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made z = make((int)i, NULL);
		int rounds, floats = count_floats(z.z.graph, &rounds);

		for (int k = 0; k < z.q.sites.n; k++)
			if (z.q.sites.at[k].why)
				fail_msg("case %d, site %d: %s", (int)i, k, z.q.sites.at[k].why);
		/* of what is interrupted the sigmoid */
		assert_int_equal(floats, cases[i].make == interrupted);
		assert_int_equal(rounds, cases[i].roundings);
		arena_free(z.m.a);
	}
}

static void test_near_floats(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made z = make((int)i, NULL);
		struct quant_error e = { .rows = 0 };
		struct value y[2];

		for (int k = 0; k < 4; k++) {
			run_main(z.m.a, z.m.g, &z.in[k], &y[0]);
			run_main(z.m.a, z.z.graph, &z.in[k], &y[1]);
			quant_error_add(&e, y[1].array, y[0].array);
			values_release(y, 2);
		}
		if (!(quant_error_sqnr(&e) > cases[i].db))
			fail_msg("case %d: %.1f dB", (int)i, quant_error_sqnr(&e));
		arena_free(z.m.a);
	}
}

static void test_same_bits(void **state)
{
	struct open_options o = { .threads = 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made z = make((int)i, NULL);
		const struct model_code *code = made_code(z.m.a, z.z.graph, &o);

		if (!code)
			fail_msg("%s", err_get());
		struct session *s = session_new(code, interp_usual_limits);
		struct value *got = values_new(1), want;

		for (int k = 0; k < 4; k++) {
			run_main(z.m.a, z.z.graph, &z.in[k], &want);
			if (session_run(s, &z.in[k], got) < 0)
				fail_msg("%s", err_get());
			/* what is interrupted has a sigmoid, which rounds as it likes */
			if (cases[i].make != interrupted)
				assert_true(array_equal(got[0].array, want.array));
			values_release(got, 1);
			got[0] = value_empty();
			value_release(want);
		}
		free(got);
		session_free(s);
		arena_free(z.m.a);
	}
}

/* All nodes are to stay float: nothing changes. */
static void test_kept(void **state)
{
	struct made z = make(0, "a node");
	struct value y[2];

	(void)state;
	run_main(z.m.a, z.m.g, &z.in[0], &y[0]);
	run_main(z.m.a, z.z.graph, &z.in[0], &y[1]);
	assert_true(array_equal(y[0].array, y[1].array));
	values_release(y, 2);
	arena_free(z.m.a);
}

static int setup(void **state)
{
	return fixture_new(state) < 0 ? -1 : setenv("XDG_CACHE_HOME", ((struct fixture *)*state)->folder, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_floats),
		cmocka_unit_test(test_near_floats),
		cmocka_unit_test(test_same_bits),
		cmocka_unit_test(test_kept),
	};

	return cmocka_run_group_tests(tests, setup, fixture_free);
}
