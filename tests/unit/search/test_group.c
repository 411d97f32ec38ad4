/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_group.c - which products are computed by an intrinsic: whether sketches name one, and whether what
 * is sampled of them is lowered. AVX2 has one for bytes on every machine. */
#include "search/space/expression/group.h"

#include "schedule/nest.h"
#include "search/space/sampling/sample.h"
#include "tests/te_run.h"

static const struct aim aim = { .target = &target_x86_64_avx2, .threads = 1,
				.l2_bytes = 1 << 19, .peak = 100, .mem_gbs = 13 };

static int count_steps(const struct state *s, enum step_kind kind)
{
	int n = 0;

	for (int i = 0; i < s->steps.n; i++)
		n += s->steps.at[i].kind == kind;
	return n;
}

/* What sketches of a product have: each that tiles it, of those with an intrinsic. */
struct expected {
	const char *source;
	bool groups, pads, copies;	/* intrinsic, zeros behind its terms, a factor in panels */
};

/* Samples of SKETCH that were lowered, of TRIES. */
static int lowered(struct arena *a, const struct dag *d, const struct sketch *sketch, int tries)
{
	struct rng rng = rng_seed(5);
	int n = 0;

	for (int i = 0; i < tries; i++) {
		struct state *s = sample(a, d, sketch, &aim, &rng, NULL, NULL);
		const char *why;

		n += s && lower(a, s, aim.target, &why);
	}
	return n;
}

static void check_sketches(const struct expected *x)
{
	enum { TRIES = 24 };
	struct run r = run_new(x->source);
	struct sketch_vec sketches = sketches_of(r.a, r.d, &aim);
	int grouped = 0;

	for (int i = 0; i < sketches.n; i++) {
		const struct state *s = sketches.at[i]->state;
		int n;

		if (count_steps(s, STEP_TENSORIZE) == 0)
			continue;
		grouped++;
		assert_int_equal(count_steps(s, STEP_DERIVE) > 0, x->pads);
		assert_int_equal(count_steps(s, STEP_CACHE_READ) > 0, x->copies);
		n = lowered(r.a, r.d, sketches.at[i], TRIES);
		if (n < TRIES / 2)
			fail_msg("%s, sketch %d: %d of %d samples are lowered", x->source, i, n, TRIES);
	}
	assert_int_equal(grouped > 0, x->groups);
	arena_free(r.a);
}

#define BYTES ",dtype=u8,wdtype=i8"

static void test_sketches(void **state)
{
	static const struct expected cases[] = {
		{ "matmul:m=32,n=32,k=64" BYTES, true, false, false },
		{ "matmul:m=32,n=32,k=67" BYTES, true, true, false },
		{ "matmul:m=32,n=32,k=3,dtype=i8", true, true, false },
		{ "matmul:m=32,n=32,k=1" BYTES, false, false, false },
		{ "matmul:m=32,n=32,k=64,dtype=u8", false, false, false },	/* no such intrinsic */
		{ "matmul:m=32,n=32,k=67", false, false, false },
		{ "dense:m=32,n=32,k=67,act=relu" BYTES, true, true, false },
		{ "conv2d:ic=3,h=9,w=9,oc=32,k=3,p=1,layout=nhwc" BYTES, true, true, false },
		{ "conv2d:ic=8,h=9,w=9,oc=32,k=3,p=1,layout=nhwc" BYTES, true, false, false },
		/* a factor that is no constant, and large enough for a copy */
		{ "matmul:m=32,n=128,k=128,const=0" BYTES, true, false, true },
		{ "matmul:m=32,n=128,k=127,const=0" BYTES, true, true, false },
		{ "dense:m=32,n=128,k=128,const=0" BYTES, true, false, true },
		{ "batch_matmul:b=2,m=97,n=197,k=64" BYTES, true, false, true },
		{ "matmul:m=32,n=32,k=64,const=0" BYTES, false, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_sketches(&cases[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sketches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
