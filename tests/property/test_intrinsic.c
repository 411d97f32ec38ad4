/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_intrinsic.c - products by intrinsics are what they mean.
 *
 * For each intrinsic random sizes of a product of its types, tiled so that it is called. Interpreted on every machine,
 * for the loops are the meaning; compiled and run where this machine has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "schedule/step_text.h"
#include "te/text/text.h"
#include "tests/property/compiled.h"
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

static struct schedule_sample *product_sample(uint64_t seed, const struct intrinsic *x)
{
	struct arena *a = arena_new();
	struct schedule_sample *s = arena_one(a, struct schedule_sample);
	struct rng r = rng_seed(seed);

	s->seed = seed;
	s->arena = a;
	s->target = target_of_isa(x->isa);
	int64_t columns = x->lanes * (1 + rng_below(&r, 2));

	s->text = product_text(a, &r, x, columns);
	s->dag = dag_parse(a, "product", s->text);
	s->state = s->dag ? state_parse(a, s->dag, "steps", steps_of(a, &r, x, columns)) : NULL;
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
			void *args[3];

			sample_prepare(s);
			for (int k = 0; k < 3; k++)
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

static void check_compiled(const struct intrinsic *x)
{
	const struct target *t = target_of_isa(x->isa);
	struct build_pool *builder = batch_builder(NULL, t);
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

		if (t->runs() && intrinsic_is_there(x, t))
			check_compiled(x);
		else
			skip_part(x->name, "this machine does not have it");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interpreted),
		cmocka_unit_test(test_compiled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
