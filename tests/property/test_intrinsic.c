/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_intrinsic.c - products by intrinsics are what they mean.
 *
 * For each intrinsic random sizes of a product of its types, tiled so that it is called. Interpreted on every machine,
 * for the loops are the meaning; compiled and run where this machine has it. Products of matrices are compiled as they
 * are, and where the machine has none run with functions in plain C in the place of theirs (amx_emulated.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "codegen/emit.h"
#include "schedule/text/step_text.h"
#include "te/text/text.h"
#include "tests/property/compiled.h"
#include "tests/property/emulating.h"
#include "tests/skip.h"

enum { INTERPRETED = 40, COMPILED = 12 };
enum { FIRST = 50000000 };	/* seeds that no other test has */

/* A sum of products of X's types; now and then the operands are the other way round. */
static const char *product_text(struct arena *a, struct rng *r, const struct intrinsic *x, int64_t columns)
{
	int64_t m = 1 + rng_below(r, 7), n = columns * (1 + rng_below(r, 3));
	int64_t k = x->group * (1 + rng_below(r, 9));
	const char *cast = x->sum == DTYPE_I32 ? "i32" : "";
	bool swapped = rng_chance(r, 0.5);

	return arena_printf(a, "input A: %s[%jd, %jd]\nconst B: %s[%jd, %jd]\n"
			       "C[i, j] = sum(k < %jd) %s(%s) * %s(%s)\n",
			    dtype_name(x->a), (intmax_t)m, (intmax_t)k, dtype_name(x->b), (intmax_t)k,
			    (intmax_t)n, (intmax_t)k, cast, swapped ? "B[k, j]" : "A[i, k]", cast,
			    swapped ? "A[i, k]" : "B[k, j]");
}

/* Copies of its operands, in blocks where lanes and groups are. */
static const char *copies_of(struct arena *a, const struct intrinsic *x)
{
	return arena_printf(a, "cache_read A C.local\ncompute_at A.cache C.local k.0\n"
			       "cache_read B C.local\ncompute_at B.cache C.local k.0\n"
			       "split B.cache d0 %d\nsplit B.cache d1 %d\nreorder B.cache d0.0 d1.0 d1.1 d0.1\n"
			       "layout B.cache order=0,1,1%%%d,0%%%d\n",
			    x->group, x->lanes, x->lanes, x->group);
}

static const char *steps_of(struct arena *a, struct rng *r, const struct intrinsic *x, int64_t columns)
{
	int64_t rows = 1 + rng_below(r, 3);
	const char *copies = target_of_isa(x->isa)->operands ? copies_of(a, x) : "";

	return arena_printf(a, "cache_write C\nsplit C i %jd\nsplit C j %jd\nreorder C i.0 j.0 i.1 j.1\n"
			       "compute_at C.local C j.0\nsplit C.local k %d\nsplit C.local j %d\n"
			       "reorder C.local k.0 i j.0 k.1 j.1\nvectorize C.local j.1\n"
			       "unroll C.local i\nunroll C.local j.0\ntensorize C.local k.1 %s\n%slayout B\n",
			    (intmax_t)rows, (intmax_t)columns, x->group, x->lanes, x->name, copies);
}

/* Of matrices: one to four in a tile, which are stored, or read by what adds C to each element. */
struct matrix_sizes {
	int64_t rows, depth, down, across;
	int64_t m, n, k;
	bool adds;
};

static struct matrix_sizes matrix_sizes(struct rng *r, const struct intrinsic *x)
{
	struct matrix_sizes z = { .rows = 2 + rng_below(r, x->rows - 1), .depth = 1 + rng_below(r, x->depth),
				  .down = 1 + rng_below(r, 2), .across = 1 + rng_below(r, 2), .adds = rng_chance(r, 0.5) };

	z.m = z.rows * z.down * (1 + rng_below(r, 2));
	z.n = x->lanes * z.across * (1 + rng_below(r, 2));
	z.k = x->group * z.depth * (1 + rng_below(r, 3));
	return z;
}

static const char *matrix_text(struct arena *a, const struct intrinsic *x, const struct matrix_sizes *z)
{
	const char *cast = x->sum == DTYPE_I32 ? "i32" : "", *sum = dtype_name(x->sum == DTYPE_I32 ? x->sum : x->a);

	return arena_printf(a, "input A: %s[%jd, %jd]\nconst B: %s[%jd, %jd]\nconst c: %s[%jd]\n"
			       "S[i, j] = sum(k < %jd) %s(A[i, k]) * %s(B[k, j])\nC[i, j] = S[i, j]%s\n",
			    dtype_name(x->a), (intmax_t)z->m, (intmax_t)z->k, dtype_name(x->b), (intmax_t)z->k,
			    (intmax_t)z->n, sum, (intmax_t)z->n, (intmax_t)z->k, cast, cast, z->adds ? " + c[j]" : "");
}

static const char *matrix_steps(struct arena *a, const struct intrinsic *x, const struct matrix_sizes *z)
{
	return arena_printf(a, "split C i %jd\nsplit C i.1 %jd\nsplit C j %jd\nsplit C j.1 %d\n"
			       "reorder C i.0 j.0 i.1.0 j.1.0 i.1.1 j.1.1\nunroll C i.1.0\nunroll C j.1.0\n"
			       "vectorize C j.1.1\ncompute_at S C j.0\nsplit S k %d\nsplit S k.0 %jd\nsplit S i %jd\n"
			       "split S j %d\nreorder S k.0.0 i.0 j.0 i.1 k.0.1 k.1 j.1\nunroll S i.0\nunroll S j.0\n"
			       "vectorize S j.1\ntensorize S k.1 %s\nlayout B\n",
			    (intmax_t)(z->rows * z->down), (intmax_t)z->rows, (intmax_t)(x->lanes * z->across), x->lanes,
			    x->group, (intmax_t)z->depth, (intmax_t)z->rows, x->lanes, x->name);
}

/* A product of X, and how it is tiled: text and steps. */
static void describe(struct schedule_sample *s, struct rng *r, const struct intrinsic *x, const char **steps)
{
	if (intrinsic_is_matrix(x)) {
		const struct matrix_sizes z = matrix_sizes(r, x);

		s->text = matrix_text(s->arena, x, &z);
		*steps = matrix_steps(s->arena, x, &z);
		return;
	}
	int64_t columns = x->lanes * (1 + rng_below(r, 2));

	s->text = product_text(s->arena, r, x, columns);
	*steps = steps_of(s->arena, r, x, columns);
}

static struct schedule_sample *product_sample(uint64_t seed, const struct intrinsic *x)
{
	struct arena *a = arena_new();
	struct schedule_sample *s = arena_one(a, struct schedule_sample);
	struct rng r = rng_seed(seed);

	s->seed = seed;
	s->arena = a;
	s->target = target_of_isa(x->isa);
	const char *steps;

	describe(s, &r, x, &steps);
	s->dag = dag_parse(a, "product", s->text);
	s->state = s->dag ? state_parse(a, s->dag, "steps", steps) : NULL;
	if (!s->state)
		fail_msg("%s: %s", x->name, err_get());
	s->agreement = x->sum == DTYPE_I32 ? AGREES_EXACTLY : AGREES_ROUNDED;
	if (!sample_lower(s))
		fail_msg("%s: %s\n%s", x->name, s->why, s->text);
	return s;
}

static bool calls(const struct nest *n)
{
	for (; n; n = n->next)
		if (n->intrinsic || calls(n->body) || calls(n->other))
			return true;
	return false;
}

static void test_interpreted(void **state)
{
	(void)state;
	for (int i = 0; i < INTRINSIC_COUNT; i++)
		for (int j = 0; j < INTERPRETED; j++) {
			struct schedule_sample *s = product_sample(FIRST + (uint64_t)j, intrinsic_at(i));
			void *args[4];

			sample_prepare(s);
			for (int k = 0; k < s->nargs; k++)
				args[k] = s->args[k].data;
			assert_true(calls(s->program->body));
			assert_true(sample_round_trips(s));
			program_interpret(s->program, args);
			if (!sample_matches(s, intrinsic_at(i)->name)) {
				sample_print(s);
				fail();
			}
			sample_free(s);
		}
}

/* Runs products of X as BUILDER, which is freed, compiles them. */
static void check_compiled(const struct intrinsic *x, struct build_pool *builder)
{
	volatile uint64_t current = FIRST;

	if (!builder)
		fail_msg("%s", err_get());
	struct trial_batch *b = batch_new(builder, case_run_here, NULL);

	for (int j = 0; j < COMPILED; j++)
		assert_true(batch_add(b, product_sample(FIRST + (uint64_t)j, x)));
	assert_int_equal(batch_run(b, &current), 0);
	batch_free(b);
	build_pool_free(builder);
}

static void test_compiled(void **state)
{
	(void)state;
	for (int i = 0; i < INTRINSIC_COUNT; i++) {
		const struct intrinsic *x = intrinsic_at(i);
		const struct target *t = target_of_isa(x->isa);

		if (t->runs() && intrinsic_is_there(x, t)) {
			check_compiled(x, batch_builder(NULL, t));
		} else if (intrinsic_is_matrix(x) && can_emulate(x->a == DTYPE_BF16, t)) {
			check_compiled(x, emulating_builder(i % 2 ? "gcc" : "clang", t));
		} else {
			skip_part(x->name, "this machine does not have it");
		}
	}
}

/* As the compiler CC knows products of X, run or not. */
static void check_spelled(const struct intrinsic *x, const char *cc)
{
	const struct build_pool_options o = { .target = target_of_isa(x->isa), .cc = cc, .jobs = 2,
					      .flags = "-mamx-tile -mamx-int8 -mamx-bf16" };
	struct build_pool *builder = build_pool_new(&o);
	struct schedule_sample *s = product_sample(FIRST, x);
	struct text text = { 0 };
	struct trial trial = { .source = NULL };

	if (!builder || !emit_c(&text, s->program, "hone_kernel", NULL))
		fail_msg("%s: %s", cc, err_get());
	trial.source = text_str(&text);
	assert_int_equal(build_all(s->arena, builder, &trial, 1), 0);
	if (!trial.object)
		fail_msg("%s: %s\n%s", cc, trial.text, trial.source);
	trial_discard(&trial);
	text_free(&text);
	sample_free(s);
	build_pool_free(builder);
}

static void test_spelled(void **state)
{
	(void)state;
	for (int i = 0; i < INTRINSIC_COUNT; i++) {
		const struct intrinsic *x = intrinsic_at(i);

		if (!intrinsic_is_matrix(x))
			continue;
		if (target_is_foreign(target_of_isa(x->isa))) {
			skip_part(x->name, "compilers for another architecture");
			continue;
		}
		check_spelled(x, "gcc");
		check_spelled(x, "clang");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interpreted),
		cmocka_unit_test(test_compiled),
		cmocka_unit_test(test_spelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
