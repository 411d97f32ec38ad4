/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_products.c - products by intrinsics as a search makes kernels of them: samples of its sketches,
 * compiled and run. Those of matrices have functions in plain C in the place of AMX's (amx_emulated.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "search/space/expression/group.h"
#include "search/space/sampling/sample.h"
#include "te/operator.h"
#include "tests/property/compiled.h"
#include "tests/property/emulating.h"
#include "tests/skip.h"

enum { FIRST = 90000000 };	/* seeds that no other test has */

/* Operators that have products of matrices, each with what it is hard for. */
static const char *const specs[] = {
	"matmul:m=64,n=64,k=128,dtype=u8,wdtype=i8",
	"matmul:m=32,n=48,k=96,dtype=i8",
	"matmul:m=31,n=32,k=64,dtype=u8,wdtype=i8",	/* rows are left over */
	"matmul:m=32,n=53,k=64,dtype=u8,wdtype=i8",	/* columns are */
	"batch_matmul:b=2,m=32,n=64,k=96,dtype=bf16",	/* no constant */
	"batch_matmul:b=3,m=33,n=53,k=96,dtype=bf16",
	"batch_matmul:b=3,m=31,n=85,k=130,dtype=i8",
	"matmul:m=47,n=32,k=67,dtype=bf16",
	"matmul:m=64,n=32,k=136,dtype=u8,wdtype=i8",	/* 34 groups are 17 tiles of two, or three of twelve */
	"matmul:m=64,n=32,k=94,dtype=i8",	/* zeros behind the terms */
	"matmul:m=32,n=32,k=64,dtype=bf16",
	"dense:m=32,n=64,k=64,act=relu,dtype=u8,wdtype=i8",
	"dense:m=24,n=32,k=96,act=relu,dtype=bf16",
	"conv2d:ic=32,h=8,w=8,oc=32,k=1,layout=nhwc,dtype=u8,wdtype=i8",
	"conv2d:ic=16,h=9,w=9,oc=32,k=3,s=2,layout=nhwc,dtype=u8,wdtype=i8",
	"conv2d:ic=16,h=7,w=7,oc=16,k=3,p=1,layout=nhwc,dtype=u8,wdtype=i8",
	"conv2d:ic=16,h=8,w=8,oc=32,k=3,p=1,layout=nhwc,dtype=bf16",
};

/* x86-64-avx512 as if all its machines had AMX. */
static struct target with_matrices(void)
{
	struct target t = *target_of_isa("avx512");

	t.extensions = 1u << EXTENSION_AMX_INT8 | 1u << EXTENSION_AMX_BF16;
	return t;
}

static bool multiplies_matrices(const struct state *s)
{
	for (int i = 0; i < s->stages.n; i++)
		if (stage_group(s->stages.at[i]) && intrinsic_is_matrix(stage_group(s->stages.at[i])->intrinsic))
			return true;
	return false;
}

/* Is an operand copied so that groups for an intrinsic of vectors lie side by side? */
static bool copies_words(const struct state *s)
{
	bool copies = false;

	for (int i = 0; i < s->stages.n; i++)
		copies |= group_stored(s->stages.at[i]).block > 1;
	return copies && !multiplies_matrices(s);
}

static bool interleaves(const struct nest *n)
{
	return n && (n->turns == TURNS_INTERLEAVED || interleaves(n->body) || interleaves(n->other) || interleaves(n->next));
}

typedef bool suits_fn(const struct state *s);

/* A sample of one of SPEC's sketches that SUIT, lowered; NULL where it is none, or cannot be. */
static struct schedule_sample *sketched(const char *spec, suits_fn *suits, const struct aim *aim, uint64_t seed)
{
	struct arena *a = arena_new();
	struct schedule_sample *s = arena_one(a, struct schedule_sample);
	struct rng r = rng_seed(seed);

	*s = (struct schedule_sample){ .seed = seed, .arena = a, .target = aim->target, .text = spec };
	s->dag = operator_build(a, spec);
	if (!s->dag)
		fail_msg("%s: %s", spec, err_get());
	struct sketch_vec sketches = sketches_of(a, s->dag, aim);
	struct sketch_vec some = { 0 };

	for (int i = 0; i < sketches.n; i++)
		if (suits(sketches.at[i]->state))
			vec_push(a, &some, sketches.at[i]);
	if (some.n == 0)
		fail_msg("%s: no sketch suits", spec);
	s->state = sample(a, s->dag, some.at[rng_below(&r, some.n)], aim, &r, NULL, NULL);
	s->agreement = strstr(spec, "bf16") ? AGREES_ROUNDED : AGREES_EXACTLY;
	if (s->state && sample_lower(s))
		return s;
	sample_free(s);
	return NULL;
}

static void check_sketched(const char *spec, suits_fn *suits, struct build_pool *builder, const struct aim *aim)
{
	enum { TRIES = 6, FEWEST = 3 };
	volatile uint64_t current = FIRST;
	struct trial_batch *b = batch_new(builder, case_run_here, NULL);
	int n = 0, words = 0;

	for (uint64_t seed = FIRST; seed < FIRST + TRIES; seed++) {
		struct schedule_sample *s = sketched(spec, suits, aim, seed);

		words += s && interleaves(s->program->body);
		if (s && batch_add(b, s))
			n++;
		else if (s)
			sample_free(s);
	}
	if (n < FEWEST)
		fail_msg("%s: %d of %d samples are lowered", spec, n, TRIES);
	if (suits == copies_words && words == 0)	/* of some a condition on lanes stays, and each has its own store */
		fail_msg("%s: %d of %d samples copy words", spec, words, TRIES);
	assert_int_equal(batch_run(b, &current), 0);
	batch_free(b);
}

static void test_sketched(void **state)
{
	const struct target t = with_matrices();

	(void)state;
	if (!t.runs()) {
		skip_part(t.name, "this machine does not run its code");
		return;
	}
	for (int threads = 1; threads <= 2; threads++) {
		const struct aim aim = { .target = &t, .threads = threads, .l2_bytes = 1 << 21, .peak = 100, .mem_gbs = 13 };
		struct build_pool *builder = emulating_builder(NULL, target_of_isa("avx512"));

		if (!builder)
			fail_msg("%s", err_get());
		for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++)
			if (can_emulate(strstr(specs[i], "bf16"), target_of_isa("avx512")))
				check_sketched(specs[i], multiplies_matrices, builder, &aim);
			else
				skip_part(specs[i], "this machine does not round to bf16");
		build_pool_free(builder);
	}
}

/* Both factors are data, columns no multiple of anything. */
static void test_panels(void **state)
{
	(void)state;
	for (int i = 0; i < 2 * INTRINSIC_COUNT; i++) {
		const struct intrinsic *x = intrinsic_at(i / 2);
		const struct target *t = target_of_isa(x->isa);
		const struct aim aim = { .target = t, .threads = 1, .l2_bytes = 1 << 21, .peak = 100, .mem_gbs = 13 };
		char spec[80];

		snprintf(spec, sizeof(spec), "batch_matmul:b=2,m=9,n=117,k=140,dtype=%s%s%s", dtype_name(x->a),
			 x->a == x->b ? "" : ",wdtype=", x->a == x->b ? "" : dtype_name(x->b));
		if (intrinsic_is_matrix(x) || t->operands || !t->runs() || !intrinsic_is_there(x, t))
			continue;
		struct build_pool *builder = batch_builder(i % 2 ? "gcc" : NULL, t);

		if (builder)
			check_sketched(spec, copies_words, builder, &aim);
		build_pool_free(builder);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sketched),
		cmocka_unit_test(test_panels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
